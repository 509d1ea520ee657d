package jsontext

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// StringEnd returns the index of the quote that ends the string around an index.
func StringEnd(text []byte, at int) int {
	for ; at < len(text); at++ {
		quote := bytes.IndexByte(text[at:], '"')
		if quote < 0 {
			break
		}
		if at += quote; !isEscaped(text, at) {
			return at
		}
	}
	return len(text)
}

// EscapeLen returns the length of the escape that a text begins with: two characters, six, or twelve for a pair of
// surrogates.
func EscapeLen(text []byte) int {
	unit, ok := escapedUnit(text, 0)
	if !ok {
		return 2
	}
	if low, ok := escapedUnit(text, 6); ok && utf16.DecodeRune(unit, low) != utf8.RuneError {
		return 12
	}
	return 6
}
