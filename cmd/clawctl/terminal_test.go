package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestEscapeControls(t *testing.T) {
	for in, want := range map[string]string{
		"plain é 日本 👩\u200d💻\n\t": "plain é 日本 👩\u200d💻\n\t",
		"\x1b[31mred\x07":         `\u001b[31mred\u0007`,
		"a\rb":                    `a\u000db`,
		"\u202eevil\u2066":        `\u202eevil\u2066`,
		"\u009b31m\x7f":           `\u009b31m\u007f`,
		"\xff\xc3":                `\ufffd\ufffd`,
		"\U000e0041":              `\udb40\udc41`,
		"\u2028":                  `\u2028`,
	} {
		if got := escapeControls(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// Whatever is written, in whatever pieces: nothing unsafe comes out, and safe text is not changed.
func FuzzSafeWriter(f *testing.F) {
	f.Add([]byte("plain"), 2)
	f.Add([]byte("\x1b]0;title\x07\u202e\u009b日本\xe6\x97"), 3)
	f.Add([]byte("👩\u200d💻\U000e0041\xf0\x9f"), 1)
	f.Fuzz(func(t *testing.T, text []byte, size int) {
		var out bytes.Buffer
		w := &safeWriter{dst: &out}
		size = 1 + int(uint(size)%64)
		for rest := text; len(rest) > 0; {
			n := min(size, len(rest))
			if written, err := w.Write(rest[:n]); written != n || err != nil {
				t.Fatal(written, err)
			}
			rest = rest[n:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		for _, r := range out.String() {
			if r == utf8.RuneError || r != '\n' && r != '\t' && unicode.IsControl(r) || strings.ContainsRune(bidi, r) {
				t.Fatalf("%q lets %U through", text, r)
			}
		}
		if want := string(appendEscaped(nil, text)); out.String() != want {
			t.Fatalf("%q in pieces of %d: %q, want %q", text, size, out.String(), want)
		}
		if !bytes.ContainsFunc(text, isUnsafe) && !bytes.Equal(out.Bytes(), text) {
			t.Fatalf("%q was changed to %q", text, out.String())
		}
	})
}

// bidi are the characters that change the direction of text.
const bidi = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"

func TestWrap(t *testing.T) {
	if got := wrap("one two  three\nfour", 9, "  "); got != "  one two\n  three\n  four" {
		t.Errorf("%q", got)
	}
}
