package jsonl

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// White space that only JavaScript trims is allowed at both ends of a stream, and nowhere else.
func TestTrimmedStream(t *testing.T) {
	const a, b = `{"type":"session","id":"s"}`, `{"type":"message","id":"b"}`
	for _, space := range []string{"\u00a0", "\v", "\f", "\ufeff", "\ufeff\ufeff", "\u2028", "\u3000", "\ufeff \u00a0\t"} {
		for text, want := range map[string]int{
			space + a + "\n" + b + "\n":                                  2,
			space + "\n" + space + a + "\n" + b + "\n":                   2,
			space + "\r\n" + space + a + "\r\n" + b + "\r\n":             2,
			a + "\n" + b + space:                                         2,
			a + "\n" + b + space + "\n":                                  2,
			a + "\r\n" + b + space + "\r\n":                              2,
			a + "\n" + b + space + "\n" + space + "\n\n" + space:         2,
			a + "\n" + b + space + strings.Repeat("\n"+space, 4000):      2,
			a + "\n" + b + space + strings.Repeat("\n", 200_000) + a:     2,
			a + "\n" + b + space + "\n" + a + "\n":                       2,
			a + "\n" + space + b + "\n":                                  1,
			a + space + "\n" + b + "\n":                                  1,
			a + "\n" + space + "\n" + b + "\n":                           2,
			a + "\n" + `{"type":` + space:                                1,
			"x\n" + space + a + "\n":                                     0,
			space + a + space + "\n" + strings.Repeat(space, 100) + "\n": 1,
		} {
			for name, stream := range map[string]io.Reader{
				"at once": strings.NewReader(text), "byte by byte": iotest.OneByteReader(strings.NewReader(text)),
			} {
				legible, raw := 0, []byte(nil)
				for rec, err := range NewReader(stream, Options{}).All() {
					if err != nil {
						t.Fatal(err)
					}
					raw = append(raw, rec.Raw...)
					if rec.Legible() {
						legible++
					}
					if rec.Legible() && !slices.Contains([]string{a, b}, string(rec.Text())) {
						t.Errorf("%.80q: the text of a record is %q", text, rec.Text())
					}
				}
				if legible != want || !bytes.Equal(raw, []byte(text)) {
					t.Errorf("%s, %.80q: %d records, want %d; tiles: %v", name, text, legible, want, string(raw) == text)
				}
			}
		}
	}
}
