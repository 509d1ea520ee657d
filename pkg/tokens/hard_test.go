package tokens

import (
	"testing"

	"clawctl/internal/hardtext"
	"clawctl/internal/longtest"
)

// BenchmarkHard counts a megabyte of texts that are hard for a tokenizer.
func BenchmarkHard(b *testing.B) {
	for _, e := range []*Encoding{CL100K, O200K} {
		for _, f := range hardtext.Families(e.Words()) {
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

// Hard texts count the same on several cores as their pieces do one after the other.
func TestHardTexts(t *testing.T) {
	for _, e := range []*Encoding{CL100K, O200K} {
		for _, f := range hardtext.Families(e.Words()) {
			text := f.Text(longtest.Rounds(t, "CLAWCTL_HARD", 50_000, 150_000))
			if got, want := e.Count(text), countWhole(e, text); got != want {
				t.Errorf("%s: %s: %d tokens, want %d", e.Name(), f.Name, got, want)
			}
		}
	}
}
