package secrets

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestLastNewline(t *testing.T) {
	dice := rand.New(rand.NewPCG(8, 1))
	const letters = "\n\x0b\x8a\x00a"
	for range 10_000 {
		text := make([]byte, narrowest-dice.IntN(20))
		for i := range text {
			text[i] = 'x'
			if dice.IntN(12) == 0 {
				text[i] = letters[dice.IntN(len(letters))]
			}
		}
		if got, want := lastNewline(text), bytes.LastIndexByte(text, '\n'); got != want {
			t.Fatalf("%q: %d, want %d", text, got, want)
		}
	}
}

// The wide lines of a page are those that a look at every line finds.
func TestMeasure(t *testing.T) {
	dice := rand.New(rand.NewPCG(8, 2))
	for range 5000 {
		var b strings.Builder
		for range dice.IntN(12) {
			b.WriteString(strings.Repeat("w", dice.IntN(narrowest*3/2)))
			b.WriteString([]string{"\n", "\r\n", "\n\n", " "}[dice.IntN(4)])
		}
		p := page{text: []byte(b.String())}
		p.measure()
		var wide []span
		widest := 0
		for start, line := 0, ""; start < len(p.text); start += len(line) {
			line = b.String()[start:]
			if end := strings.IndexByte(line, '\n'); end >= 0 {
				line = line[:end+1]
				if end >= narrowest {
					wide = append(wide, span{start, start + end})
				}
			}
			widest = max(widest, len(strings.TrimRight(line, "\r\n")))
		}
		if !slices.Equal(p.wide, wide) || len(wide) > 0 && p.widest != widest {
			t.Fatalf("%q: %v, widest %d, want %v, %d", p.text, p.wide, p.widest, wide, widest)
		}
	}
}
