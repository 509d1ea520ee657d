// Package lazy makes regular expressions that cost nothing until they are used. A command starts in a few milliseconds,
// of which compiling every expression of the program would take half.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns a function that compiles an expression at its first call. It panics then if the expression is wrong.
func Regexp(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
