// Package jsontext reads JSON where it lies, without decoding more than it is asked for: a [Value] and its members, and
// the insides of strings as they are written, with white space, escapes and halves of surrogate pairs. It also quotes
// texts, edits the members of objects (edit.go), and reads the times of transcripts.
package jsontext

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsWhite reports whether the inside of a JSON string consists of white space. It stops at the first other character,
// which usually comes early.
func IsWhite(text []byte) bool {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r == '\\' {
			if r, size = '\n', 2; strings.IndexByte("ntrf", text[1]) < 0 {
				unit, ok := escapedUnit(text, 0)
				if !ok {
					return false
				}
				r, size = unit, 6
			}
		}
		if !isSpace(r) {
			return false
		}
		text = text[size:]
	}
	return true
}

// EndsWithSpace reports whether the inside of a JSON string ends with white space, plain or as an escape.
func EndsWithSpace(text []byte) bool {
	last, size := utf8.DecodeLastRune(text)
	if at := bytes.LastIndexByte(text[max(0, len(text)-6):], '\\'); at >= 0 {
		at += max(0, len(text)-6)
		switch {
		case isEscaped(text, at):
		case len(text)-at == 2:
			return strings.IndexByte("ntrf", text[at+1]) >= 0
		case len(text)-at == 6 && text[at+1] == 'u':
			unit, ok := escapedUnit(text, at)
			return ok && isSpace(unit)
		}
	}
	return size > 0 && isSpace(last)
}

// TrimEnd removes the white space at the end of a text, including that of JavaScript and Python.
func TrimEnd(text string) string { return strings.TrimRightFunc(text, isSpace) }

// IsBlank reports whether a text consists of white space, including that of JavaScript and Python.
func IsBlank(text string) bool { return strings.TrimLeftFunc(text, isSpace) == "" }

// isSpace reports whether Go, JavaScript or Python treats a character as white space.
func isSpace(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' || r >= 0x1c && r <= 0x1f }

// IsJavaScriptSpace reports whether JavaScript's trim removes a character.
func IsJavaScriptSpace(r rune) bool { return r == '\ufeff' || r != '\u0085' && unicode.IsSpace(r) }

// IsPlain reports whether the inside of a JSON string equals its text: printable ASCII without escapes.
func IsPlain(text []byte) bool {
	for _, c := range text {
		if c == '\\' || c >= 0x80 {
			return false
		}
	}
	return true
}

// HasLoneSurrogate reports whether a JSON text has an escape that is half of a surrogate pair.
func HasLoneSurrogate(text []byte) bool {
	at, _ := nextLoneSurrogate(text)
	return at >= 0
}

// CountLoneSurrogates returns the number of such escapes in a JSON text.
func CountLoneSurrogates(text []byte) int {
	var n int
	for {
		at, _ := nextLoneSurrogate(text)
		if at < 0 {
			return n
		}
		n, text = n+1, text[at+6:]
	}
}

// nextLoneSurrogate returns the index and the code of the first escape in a JSON text that is half of a surrogate pair.
// The index is -1 if there is none.
func nextLoneSurrogate(text []byte) (at int, unit rune) {
	for done := 0; ; {
		at := bytes.Index(text[done:], []byte(`\u`))
		if at < 0 {
			return -1, 0
		}
		at += done
		first, ok := escapedUnit(text, at)
		switch {
		case !ok || isEscaped(text, at):
			done = at + 2
		case first < 0xd800 || first > 0xdfff:
			done = at + 6
		default:
			second, ok := escapedUnit(text, at+6)
			if first >= 0xdc00 || !ok || second < 0xdc00 || second > 0xdfff {
				return at, first
			}
			done = at + 12
		}
	}
}

// Readable returns a text that Decode returned as UTF-8, with U+FFFD for halves of surrogate pairs.
func Readable(name []byte) string {
	at := bytes.IndexByte(name, 0xed)
	if at < 0 || utf8.Valid(name) {
		return string(name)
	}
	var b strings.Builder
	for len(name) > 0 {
		_, size := utf8.DecodeRune(name)
		if size == 1 && len(name) >= 3 && name[0] == 0xed {
			b.WriteRune(utf8.RuneError)
			size = 3
		} else {
			b.Write(name[:size])
		}
		name = name[size:]
	}
	return b.String()
}

// isEscaped reports whether the backslash or quote at an index is itself escaped.
func isEscaped(text []byte, at int) bool {
	slashes := 0
	for at-slashes > 0 && text[at-slashes-1] == '\\' {
		slashes++
	}
	return slashes%2 == 1
}

// escapedUnit reads the \uXXXX at an index.
func escapedUnit(text []byte, at int) (unit rune, ok bool) {
	if at+6 > len(text) || text[at] != '\\' || text[at+1] != 'u' {
		return 0, false
	}
	for _, c := range text[at+2 : at+6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		unit = unit<<4 | rune(c)
	}
	return unit, true
}

// ReplaceLoneSurrogates replaces halves of surrogate pairs in a JSON text with U+FFFD.
func ReplaceLoneSurrogates(text string) string {
	if !strings.Contains(text, `\u`) {
		return text
	}
	rest, out := []byte(text), []byte(nil)
	for {
		at, _ := nextLoneSurrogate(rest)
		if at < 0 {
			return string(append(out, rest...))
		}
		out = append(append(out, rest[:at]...), `\ufffd`...)
		rest = rest[at+len(`\ufffd`):]
	}
}

// ReplaceNULs replaces escaped NULs in a JSON text with U+FFFD. A text without any is returned as it is.
func ReplaceNULs(text []byte) []byte {
	const escape, replacement = `\u0000`, `\ufffd`
	changed := false
	for done := 0; ; done += len(escape) {
		at := bytes.Index(text[done:], []byte(escape))
		if at < 0 {
			return text
		}
		if done += at; isEscaped(text, done) {
			continue
		}
		if !changed {
			text, changed = bytes.Clone(text), true
		}
		copy(text[done:], replacement)
	}
}
