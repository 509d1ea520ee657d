package ui

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// IsUnsafe reports whether a character must not be sent to a terminal.
func IsUnsafe(r rune) bool {
	switch r {
	case '\n', '\t', '\u200c', '\u200d': // the joiners shape letters and emoji
		return false
	case '\u2028', '\u2029':
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf)
}

// Escape makes text safe for a terminal. Bytes that are not UTF-8 become U+FFFD.
func Escape(s string) string {
	if strings.IndexFunc(s, IsUnsafe) < 0 && utf8.ValidString(s) {
		return s
	}
	return string(appendEscaped(nil, []byte(s)))
}

// EscapeLine makes text safe for a terminal and keeps it on one line.
func EscapeLine(s string) string {
	return lineBreaks.Replace(Escape(s))
}

var lineBreaks = strings.NewReplacer("\n", `\n`, "\t", `\t`)

func appendEscaped(dst, src []byte) []byte {
	for len(src) > 0 {
		r, n := utf8.DecodeRune(src)
		if IsUnsafe(r) {
			dst = appendUnicodeEscape(dst, r)
		} else {
			dst = utf8.AppendRune(dst, r)
		}
		src = src[n:]
	}
	return dst
}

// appendUnicodeEscape appends a character as an escape of JSON.
func appendUnicodeEscape(dst []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	for _, u := range utf16.AppendRune(nil, r) {
		dst = append(dst, '\\', 'u', hex[u>>12], hex[u>>8&15], hex[u>>4&15], hex[u&15])
	}
	return dst
}

// A SafeWriter escapes what it writes to a terminal. A character may be split between two writes.
type SafeWriter struct {
	dst  io.Writer
	rest []byte // the beginning of a character
	buf  []byte
}

// NewSafeWriter returns a SafeWriter that writes to dst.
func NewSafeWriter(dst io.Writer) *SafeWriter { return &SafeWriter{dst: dst} }

// Write escapes and writes p.
func (w *SafeWriter) Write(p []byte) (int, error) {
	text := append(w.rest, p...)
	cut := len(text) - incompleteTail(text)
	w.buf = appendEscaped(w.buf[:0], text[:cut])
	w.rest = append([]byte(nil), text[cut:]...)
	if _, err := w.dst.Write(w.buf); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close writes the rest of an incomplete character.
func (w *SafeWriter) Close() error {
	_, err := w.dst.Write(appendEscaped(nil, w.rest))
	w.rest = nil
	return err
}

// incompleteTail returns the number of bytes of an incomplete character at the end.
func incompleteTail(text []byte) int {
	for n := 1; n <= min(utf8.UTFMax-1, len(text)); n++ {
		if tail := text[len(text)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}
