package search

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// A SyntaxError says what is wrong with a regular expression, and where.
type SyntaxError struct {
	Reason    string
	Character int // of the pattern, from 1; 0 if unknown
}

func (e *SyntaxError) Error() string {
	if e.Character == 0 {
		return "invalid regular expression: " + e.Reason
	}
	return fmt.Sprintf("invalid regular expression at character %d: %s", e.Character, e.Reason)
}

// newSyntaxError makes a SyntaxError from an error of regexp/syntax.
func newSyntaxError(pattern string, err error) error {
	var found *syntax.Error
	if !errors.As(err, &found) {
		return &SyntaxError{Reason: err.Error()}
	}
	e := &SyntaxError{Reason: found.Code.String()}
	if found.Expr != "" && found.Expr != pattern {
		e.Reason += fmt.Sprintf(" %q", found.Expr)
	}
	if at := placeOfError(pattern, found); at >= 0 {
		e.Character = utf8.RuneCountInString(pattern[:at]) + 1
	}
	return e
}

// placeOfError returns the index at which a pattern is wrong, or -1. The parser names a piece of the pattern, or all of
// it if a parenthesis is missing.
func placeOfError(pattern string, err *syntax.Error) int {
	switch err.Code {
	case syntax.ErrMissingParen, syntax.ErrUnexpectedParen:
		return oddParenthesis(pattern)
	case syntax.ErrTrailingBackslash:
		return len(pattern) - 1
	}
	if err.Expr == pattern {
		return -1
	}
	return strings.Index(pattern, err.Expr)
}

// oddParenthesis returns the index of the parenthesis that has no partner, or -1.
func oddParenthesis(pattern string) int {
	var open []int
	inClass := false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case inClass:
			inClass = c != ']'
		case c == '[':
			inClass = true
		case c == '(':
			open = append(open, i)
		case c == ')' && len(open) == 0:
			return i
		case c == ')':
			open = open[:len(open)-1]
		}
	}
	if len(open) == 0 {
		return -1
	}
	return open[len(open)-1]
}
