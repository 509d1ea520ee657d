package cli

import (
	"strings"
	"testing"

	"clawctl/internal/ui"
)

// A message is broken to the width that is left, and a first word that is longer than a line is not preceded by
// anything.
func TestWrap(t *testing.T) {
	c := &Console{Term: ui.Terminal{Is: true, Columns: 20}}
	for text, want := range map[string]string{
		"a b":                   "a b",
		"one two three four":    "one two\n  three four",
		strings.Repeat("p", 40): strings.Repeat("p", 40),
	} {
		if got := c.wrap(text, len("clawctl: ")); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
