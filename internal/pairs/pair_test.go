package pairs

import (
	"math/rand/v2"
	"testing"
)

func TestFindPair(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := func(n int, letters string) []byte {
		text := make([]byte, n)
		for i := range text {
			text[i] = letters[r.IntN(len(letters))]
		}
		return text
	}
	for range 20000 {
		n, letters := r.IntN(200), "abAB\xff\x00"
		if r.IntN(2) == 0 {
			letters += "----------------------------------------" // so that later blocks are looked at too
		}
		x, y, z := random(n, letters), random(n, letters), random(n+1, letters)
		p := pair{a: "ab\x00"[r.IntN(3)], b: "ab\xff"[r.IntN(3)], other: Pair(random(2, "abAB"))}
		if r.IntN(2) == 0 {
			p.aBit, p.bBit = caseBit(p.a), caseBit(p.b)
		}
		if got, want := findPair(x, y, z, p), findPairGo(x, y, z, p); got != want {
			t.Fatalf("findPair(%q, %q, %q, %v) is %d, want %d", x, y, z, p, got, want)
		}
	}
}
