package tokens

import (
	"strings"
	"testing"

	"clawctl/internal/longtest"
)

// BenchmarkHard counts a megabyte of texts that are hard for a tokenizer.
func BenchmarkHard(b *testing.B) {
	for _, e := range []*Encoding{CL100K, O200K} {
		for _, f := range hardTexts(e.words()) {
			text := f.Text(1_000_000)
			b.Run(f.Name+"/"+e.Name(), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					e.Count(text)
				}
			})
		}
	}
}

// Hard texts have as many tokens as their pieces have when each is merged as a whole.
func TestHardTexts(t *testing.T) {
	for _, e := range []*Encoding{CL100K, O200K} {
		for _, f := range hardTexts(e.words()) {
			text := f.Text(longtest.Rounds(t, "CLAWCTL_HARD", 50_000, 150_000))
			if got, want := e.Count(text), countWhole(e, text); got != want {
				t.Errorf("%s: %s: %d tokens, want %d", e.Name(), f.Name, got, want)
			}
		}
	}
}

// countWhole counts a text, each piece as a whole.
func countWhole(e *Encoding, text string) (tokens int) {
	text = string([]rune(text)) // with U+FFFD for every byte that is not UTF-8
	w := e.worker()
	defer e.workers.Put(w)
	for i := 0; i < len(text); {
		end := e.split(text, i)
		switch piece := []byte(text[i:end]); {
		case len(piece) < 2 || w.merger.table.rank(piece) != noRank:
			tokens++
		default:
			tokens += w.merger.merge(piece)
		}
		i = end
	}
	return tokens
}

// FuzzBlocks compares counting with merging each piece as a whole, for two units that are repeated by turns.
func FuzzBlocks(f *testing.F) {
	f.Add("../", "=", uint16(0), uint16(0))
	f.Add("்க", "a", uint16(3000), uint16(1))
	f.Add("it's ", "\xff \n", uint16(20), uint16(7))
	f.Add(" \n ", "日A", uint16(100), uint16(3))
	f.Fuzz(func(t *testing.T, first, second string, often, seldom uint16) {
		if len(first) == 0 || len(first) > 300 || len(second) > 300 {
			return
		}
		const size = 40 * block
		turn := strings.Repeat(first, int(often)+1) + strings.Repeat(second, int(seldom)%100)
		text := strings.Repeat(turn, 1+size/len(turn))[:size]
		for _, e := range []*Encoding{CL100K, O200K} {
			if got, want := e.Count(text), countWhole(e, text); got != want {
				t.Errorf("%s: %d tokens, want %d", e.Name(), got, want)
			}
		}
	})
}
