package tokens

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// alphabets make pieces of all kinds, whether or not a splitter would leave them whole.
var alphabets = map[string]func(r *rand.Rand) string{
	"letters":        func(r *rand.Rand) string { return string(rune('a' + r.IntN(26))) },
	"two letters":    func(r *rand.Rand) string { return string(rune('a' + r.IntN(2))) },
	"five letters":   func(r *rand.Rand) string { return string("aeist"[r.IntN(5)]) },
	"both cases":     func(r *rand.Rand) string { return string(rune('A' + r.IntN(26) + 32*r.IntN(2))) },
	"base64":         func(r *rand.Rand) string { return string(rune('+' + r.IntN(80))) },
	"one letter":     func(*rand.Rand) string { return "a" },
	"one ideograph":  func(*rand.Rand) string { return "日" },
	"runs":           func(r *rand.Rand) string { return strings.Repeat(string("a =-_\n"[r.IntN(6)]), 1+r.IntN(100)) },
	"spaces":         func(r *rand.Rand) string { return string("    \t\n\r"[r.IntN(7)]) },
	"digits":         func(r *rand.Rand) string { return string(rune('0' + r.IntN(10))) },
	"signs":          func(r *rand.Rand) string { return string(rune('!' + r.IntN(15))) },
	"ideographs":     func(r *rand.Rand) string { return string(rune(0x4e00 + r.IntN(0x5200))) },
	"kana":           func(r *rand.Rand) string { return string(rune(0x3041 + r.IntN(0xb0))) },
	"Hangul":         func(r *rand.Rand) string { return string(rune(0xac00 + r.IntN(0x2ba0))) },
	"Cyrillic":       func(r *rand.Rand) string { return string(rune(0x410 + r.IntN(64))) },
	"Devanagari":     func(r *rand.Rand) string { return string(rune(0x900 + r.IntN(128))) },
	"emoji":          func(r *rand.Rand) string { return string(rune(0x1f300 + r.IntN(0x350))) },
	"any characters": func(r *rand.Rand) string { return string(rune(r.IntN(0x11000))) },
	"any bytes":      func(r *rand.Rand) string { return string([]byte{byte(r.IntN(256))}) },
	"lead bytes":     func(r *rand.Rand) string { return string([]byte{byte(0xc0 + r.IntN(64)), byte(0x80 + r.IntN(8))}) },
	"words":          func(r *rand.Rand) string { return wordOf(O200K, r.IntN(100_000)) },
	"common words":   func(r *rand.Rand) string { return wordOf(O200K, r.IntN(2000)) },
	"parts of words": func(r *rand.Rand) string { w := wordOf(CL100K, r.IntN(100_000)); return w[r.IntN(len(w)):] },
	"odd texts":      randomText,
}

// vocabularies are the words of the encodings.
var vocabularies = map[*Encoding][]string{CL100K: CL100K.words(), O200K: O200K.words()}

func wordOf(e *Encoding, rank int) string { return vocabularies[e][rank] }

// pieceOf returns about n bytes of an alphabet, sometimes with a period.
func pieceOf(r *rand.Rand, part func(r *rand.Rand) string, n int) []byte {
	var b []byte
	for len(b) < n {
		b = append(b, part(r)...)
	}
	if r.IntN(8) == 0 {
		period := b[:1+r.IntN(min(len(b), 300))]
		b = slices.Repeat(period, 1+n/len(period))
	}
	return b[:min(len(b), n)]
}

// Merging finds the tokens that merging by definition leaves, for every alphabet. CLAWCTL_PIECES sets how many pieces
// of each are tried.
func TestMergesByDefinition(t *testing.T) {
	count := 150
	if n, err := strconv.Atoi(os.Getenv("CLAWCTL_PIECES")); err == nil {
		count = n
	}
	for name, part := range alphabets {
		r := rand.New(rand.NewPCG(3, 4))
		for _, e := range []*Encoding{CL100K, O200K} {
			m := &merger{table: e.table()}
			for i := range count {
				piece := pieceOf(r, part, 2+r.IntN(2+min(i, 500)))
				want := slowEnds(e, piece)
				if got := mergedEnds(m, piece); !slices.Equal(got, want) {
					t.Fatalf("%s, %s: tokens end at %d, want %d, for %q", name, e.Name(), got, want, piece)
				}
				if got := m.count(piece); got != len(want) {
					t.Fatalf("%s, %s: %d tokens, want %d, for %q", name, e.Name(), got, len(want), piece)
				}
			}
		}
	}
}

// mergedEnds returns where the tokens of a piece end.
func mergedEnds(m *merger, piece []byte) (ends []int) {
	m.merge(piece)
	for end := 0; end < len(piece); {
		end += int(m.spans[end].size)
		ends = append(ends, end)
	}
	return ends
}

// slowEnds returns where the tokens end that merging by definition leaves.
func slowEnds(e *Encoding, piece []byte) (ends []int) {
	end := 0
	for _, part := range mergeSlowly(piece, e.table().rank) {
		end += len(part)
		ends = append(ends, end)
	}
	return ends
}

// mergeSlowly merges the bytes of a piece by definition: it joins the first pair of the lowest rank until no pair has
// one.
func mergeSlowly(piece []byte, rank func(pair []byte) int32) [][]byte {
	var parts [][]byte
	for i := range piece {
		parts = append(parts, piece[i:i+1])
	}
	for {
		best, lowest := 0, int32(noRank)
		for i := range len(parts) - 1 {
			n := len(parts[i])
			if r := rank(parts[i][:n+len(parts[i+1])]); r < lowest {
				best, lowest = i, r
			}
		}
		if lowest == noRank {
			return parts
		}
		parts[best] = parts[best][:len(parts[best])+len(parts[best+1])]
		parts = append(parts[:best+1], parts[best+2:]...)
	}
}

// FuzzMerge compares the tokens of any piece with those that merging by definition leaves.
func FuzzMerge(f *testing.F) {
	for _, text := range odd {
		f.Add([]byte(text))
	}
	mergers := map[*Encoding]*merger{CL100K: {table: CL100K.table()}, O200K: {table: O200K.table()}}
	f.Fuzz(func(t *testing.T, piece []byte) {
		if len(piece) < 2 || len(piece) > 2048 {
			return
		}
		for e, m := range mergers {
			want := slowEnds(e, piece)
			if got := mergedEnds(m, piece); !slices.Equal(got, want) {
				t.Errorf("%s: tokens end at %d, want %d, for %q", e.Name(), got, want, piece)
			}
			if got := m.count(piece); got != len(want) {
				t.Errorf("%s: %d tokens, want %d, for %q", e.Name(), got, len(want), piece)
			}
		}
	})
}
