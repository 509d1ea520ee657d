package main

// The rules of the terminal:
//
//   - What goes to a terminal never drives it. Control characters other than newline and tab, and characters that
//     change the direction of text or hide in it, are shown as escapes, \u001b for ESC, in JSON and in prose alike; a
//     byte that is not UTF-8 is shown as \ufffd. What goes to a pipe or a file is byte-exact.
//   - Messages on stderr are always escaped: logs are read in terminals too.
//   - Colour is used for two words of an error message alone, on a terminal, unless NO_COLOR is set, TERM is dumb, or
//     --color says otherwise.
//   - Text that we write is wrapped to the width of the terminal, at most 100 columns; transcripts are not.
//   - Progress is shown on a terminal alone, after a second, never in CI, with --quiet or --json, and never while
//     stdout is a terminal too (progress.go).

import (
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/term"
)

// A terminal is what is known about the stream that output goes to.
type terminal struct {
	is      bool
	columns int // of the terminal
	width   int // that text is wrapped to
	color   bool
}

const (
	defaultWidth = 80
	maxWidth     = 100
)

func newTerminal(stream any) terminal {
	t := terminal{width: defaultWidth, columns: defaultWidth}
	file, ok := stream.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return t
	}
	t.is = true
	if w, _, err := term.GetSize(int(file.Fd())); err == nil && w > 20 {
		t.columns, t.width = w, min(w, maxWidth)
	}
	t.color = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
	return t
}

// setColor obeys --color.
func (t *terminal) setColor(when string) {
	switch when {
	case "always":
		t.color = true
	case "never":
		t.color = false
	}
}

const (
	styleError = "\x1b[1;31m"
	styleHint  = "\x1b[1;36m"
	styleWarn  = "\x1b[1;33m"
	styleReset = "\x1b[0m"
)

func (t terminal) paint(style, text string) string {
	if !t.color {
		return text
	}
	return style + text + styleReset
}

// isUnsafe reports whether a terminal must not see the character.
func isUnsafe(r rune) bool {
	switch r {
	case '\n', '\t', '\u200c', '\u200d': // the joiners shape letters and emoji
		return false
	case '\u2028', '\u2029', utf8.RuneError:
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf)
}

// escapeControls makes text safe for a terminal.
func escapeControls(s string) string {
	if strings.IndexFunc(s, isUnsafe) < 0 {
		return s
	}
	return string(appendEscaped(nil, []byte(s)))
}

func appendEscaped(dst, src []byte) []byte {
	for len(src) > 0 {
		r, n := utf8.DecodeRune(src)
		if isUnsafe(r) {
			dst = appendUnicodeEscape(dst, r)
		} else {
			dst = append(dst, src[:n]...)
		}
		src = src[n:]
	}
	return dst
}

// appendUnicodeEscape writes a character as JSON would.
func appendUnicodeEscape(dst []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	units := utf16.AppendRune(nil, r)
	for _, u := range units {
		dst = append(dst, '\\', 'u', hex[u>>12], hex[u>>8&15], hex[u>>4&15], hex[u&15])
	}
	return dst
}

// A safeWriter escapes what it passes on to a terminal. A character may be split between two writes.
type safeWriter struct {
	dst  io.Writer
	rest []byte // the beginning of a character
	buf  []byte
}

func (w *safeWriter) Write(p []byte) (int, error) {
	text := append(w.rest, p...)
	cut := len(text) - incompleteTail(text)
	w.buf = appendEscaped(w.buf[:0], text[:cut])
	w.rest = append([]byte(nil), text[cut:]...)
	if _, err := w.dst.Write(w.buf); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close writes the beginning of a character that never ended.
func (w *safeWriter) Close() error {
	_, err := w.dst.Write(appendEscaped(nil, w.rest))
	w.rest = nil
	return err
}

// incompleteTail returns how many bytes at the end begin a character without ending it.
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

// wrap breaks a paragraph into lines of at most width columns.
func wrap(text string, width int, indent string) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case column == 0:
			b.WriteString(indent)
			column = len(indent)
		case column+1+n > width:
			b.WriteString("\n" + indent)
			column = len(indent)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}
