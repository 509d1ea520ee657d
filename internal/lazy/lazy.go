// Package lazy makes values that cost nothing until they are used. A command starts in a few milliseconds, of which
// compiling every expression and filling every table of the program would take half.
//
// The compiler lays out a [Value] and a [Pattern] of a package in advance, so that the start has no code to run for
// them. For a function of sync.OnceValue it would have three objects to allocate.
package lazy

import (
	"regexp"
	"sync"
	"sync/atomic"
)

// A Value is made at its first use.
type Value[T any] struct {
	Make   func() T
	value  T
	isMade atomic.Bool
	mu     sync.Mutex
}

// Get returns the value. It is short enough to become part of its callers.
func (v *Value[T]) Get() T {
	if !v.isMade.Load() {
		v.make()
	}
	return v.value
}

func (v *Value[T]) make() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.isMade.Load() {
		v.value = v.Make()
		v.isMade.Store(true)
	}
}

// A Pattern is a regular expression that is compiled at its first use.
type Pattern struct {
	expression string
	compiled   atomic.Pointer[regexp.Regexp]
}

// Regexp returns the pattern of an expression.
func Regexp(expression string) Pattern { return Pattern{expression: expression} }

// Get returns the compiled expression. It panics if the expression is wrong.
func (p *Pattern) Get() *regexp.Regexp {
	if p.compiled.Load() == nil {
		p.compiled.Store(regexp.MustCompile(p.expression)) // several at once are equal
	}
	return p.compiled.Load()
}

// Match reports whether the expression is in a text.
func (p *Pattern) Match(text []byte) bool { return p.Get().Match(text) }

// MatchString is Match for a string.
func (p *Pattern) MatchString(text string) bool { return p.Get().MatchString(text) }
