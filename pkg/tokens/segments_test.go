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
		case len(piece) < 2 || w.rank(piece) != noRank:
			tokens++
		default:
			tokens += w.merge(piece)
		}
		i = end
	}
	return tokens
}

// hardText returns a text of long pieces: letters, words without spaces, and runs of one character.
func hardText(r *rand.Rand, n int) string {
	words := strings.Fields("the quick brown fox jumps over lazy dog and again through forest internationalization")
	var b strings.Builder
	kind := r.IntN(5)
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
		default:
			b.WriteString(string("東京日本語"[3*r.IntN(5):][:3]))
		}
	}
	return b.String()
}
