package render

import (
	"strings"
	"testing"
)

// No quoted text looks like what is around it, whichever character a reader takes for a line end.
func TestQuote(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", "\r", "\u2028", "\u0085", "\v"} {
		got := Quote("> ", "a"+end+end+"## b"+end)
		for l := range strings.Lines(got) {
			if !strings.HasPrefix(l, ">") {
				t.Errorf("%q: %q", end, got)
			}
		}
		if !strings.Contains(got, "> ## b\n") || strings.ContainsAny(got, "\r\u2028\u0085\v") {
			t.Errorf("%q: %q", end, got)
		}
	}
	if got := OneLine("a\r\n## b"); got != "a ## b" {
		t.Errorf("%q", got)
	}
}
