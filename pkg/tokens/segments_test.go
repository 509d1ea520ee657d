package tokens

import (
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// TestSegmentsAgree compares counting on several cores with merging the whole piece. CLAWCTL_PIECES sets how many
// pieces are tried.
func TestSegmentsAgree(t *testing.T) {
	if runtime.GOMAXPROCS(0) == 1 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	}
	count := 8
	if n, err := strconv.Atoi(os.Getenv("CLAWCTL_PIECES")); err == nil {
		count = n
	}
	for seed := range count {
		r := rand.New(rand.NewPCG(uint64(seed), 5))
		text := hardText(r, minParallel+r.IntN(3*segment))
		for _, e := range []*Encoding{CL100K, O200K} {
			if got, want := e.Count(text), countWhole(e, text); got != want {
				t.Fatalf("seed %d, %s: %d tokens, want %d", seed, e.Name(), got, want)
			}
		}
	}
}

// countWhole counts a text on one core, each piece as a whole.
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

// Segments of a run whose tokens have several units do not fit together. They are joined nevertheless, without counting
// the whole piece again.
func TestJoinsSegmentsThatDoNotFit(t *testing.T) {
	for unit, e := range map[string]*Encoding{"../": CL100K, "்க": O200K} {
		w := e.worker()
		piece := []byte(strings.Repeat(unit, 3*segment/len(unit)))
		jobs := segmentsOf(piece)
		for _, j := range jobs {
			j.run(w)
		}
		if _, _, ok := w.fit(jobs[0], jobs[1]); ok {
			t.Errorf("%q: the segments fit together", unit)
		}
		again := jobs[0].continued(jobs[1].end)
		again.run(w)
		if _, _, ok := w.fit(jobs[0], again); !ok {
			t.Errorf("%q: the segment that was counted again does not fit", unit)
		}
		if got, want := w.joinSegments(jobs), w.merger.merge(piece); got != want {
			t.Errorf("%q: %d tokens, want %d", unit, got, want)
		}
	}
}

// FuzzSegments compares counting on several cores with merging the whole piece, for two units that are repeated by
// turns.
func FuzzSegments(f *testing.F) {
	f.Add("../", "=", uint16(0), uint16(0))
	f.Add("்க", "a", uint16(3000), uint16(1))
	f.Add("it's ", "\xff \n", uint16(20), uint16(7))
	f.Add(" \n ", "日A", uint16(100), uint16(3))
	f.Fuzz(func(t *testing.T, first, second string, often, seldom uint16) {
		if len(first) == 0 || len(first) > 300 || len(second) > 300 {
			return
		}
		turn := strings.Repeat(first, int(often)+1) + strings.Repeat(second, int(seldom)%100)
		text := strings.Repeat(turn, 1+(minParallel+segment)/len(turn))[:minParallel+segment]
		for _, e := range []*Encoding{CL100K, O200K} {
			if got, want := e.countParallel(text), countWhole(e, text); got != want {
				t.Errorf("%s: %d tokens, want %d", e.Name(), got, want)
			}
		}
	})
}

// hardText returns a text of long pieces: letters, words without spaces, and runs of one character. One kind has short
// pieces of all sorts.
func hardText(r *rand.Rand, n int) string {
	words := strings.Fields("the quick brown fox jumps over lazy dog and again through forest internationalization")
	var b strings.Builder
	kind := r.IntN(6)
	for b.Len() < n {
		switch kind {
		case 0:
			b.WriteByte(byte('a' + r.IntN(26)))
		case 1:
			b.WriteString(words[r.IntN(len(words))])
		case 2:
			b.WriteString(strings.Repeat(string(rune('a'+r.IntN(3))), 1+r.IntN(300)))
		case 3:
			b.WriteString(strings.Repeat("=", 1+r.IntN(3000)) + strings.Repeat("-", r.IntN(40)))
		case 4:
			b.WriteString(randomText(r))
		default:
			b.WriteString(string("東京日本語"[3*r.IntN(5):][:3]))
		}
	}
	return b.String()
}
