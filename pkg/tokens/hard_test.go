package tokens

import (
	"strings"
	"testing"
)

// letters returns random letters.
func letters(n int) string {
	var s strings.Builder
	for seed := uint32(1); s.Len() < n; seed = seed*1664525 + 1013904223 {
		s.WriteByte('a' + byte((seed>>24)%26))
	}
	return s.String()
}

// spaced puts a space after every size bytes of a text.
func spaced(text string, size int) string {
	var s strings.Builder
	for ; len(text) > size; text = text[size:] {
		s.WriteString(text[:size] + " ")
	}
	return s.String() + text
}

// BenchmarkHard counts a megabyte of texts that are hard for a tokenizer.
func BenchmarkHard(b *testing.B) {
	for name, text := range map[string]string{
		"letters": letters(1e6), "words of 25": spaced(letters(1e6), 25), "words of 80": spaced(letters(1e6), 80),
		"words of 200": spaced(letters(1e6), 200), "one letter": strings.Repeat("a", 1e6),
	} {
		for _, e := range []*Encoding{CL100K, O200K} {
			b.Run(name+"/"+e.Name(), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					e.Count(text)
				}
			})
		}
	}
}

// Long pieces of many lengths count the same on several cores as one after the other.
func TestHardTexts(t *testing.T) {
	for _, size := range []int{16, 25, 63, 64, 65, 80, 200, 2047, 2048, 2049, 70_000, 200_000} {
		text := spaced(letters(300_000), size)
		for _, e := range []*Encoding{CL100K, O200K} {
			want := 0
			for i := 0; i < len(text); {
				end := e.split(text, i)
				want += e.Count(text[i:end])
				i = end
			}
			if got := e.Count(text); got != want {
				t.Errorf("%s: words of %d letters: got %d tokens, want %d", e.Name(), size, got, want)
			}
		}
	}
}
