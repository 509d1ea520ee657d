// Package regex compiles regular expressions when they are first used, so that a command does not wait for those of
// others.
package regex

import (
	"regexp"
	"sync"
)

// Lazy returns a function that compiles an expression once.
func Lazy(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
