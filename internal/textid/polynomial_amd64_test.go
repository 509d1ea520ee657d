//go:build !purego

package textid

import (
	"math/rand/v2"
	"testing"
)

func TestNarrowPolynomial(t *testing.T) {
	if !hasPolynomial {
		t.Skip("this processor has no PCLMULQDQ")
	}
	testPolynomial(t, narrowPolynomial)
}

func TestWidePolynomial(t *testing.T) {
	if !isWide {
		t.Skip("this processor has no VPCLMULQDQ with AVX-512")
	}
	testPolynomial(t, widePolynomial)
}

// testPolynomial tests whether instructions compute the polynomial of the blocks and the length.
func testPolynomial(t *testing.T, polynomial func(*ID, []byte, *powers)) {
	dice := rand.New(rand.NewPCG(1, 2))
	for size := range 1500 {
		point := element{dice.Uint64(), dice.Uint64()}
		text := make([]byte, size)
		for i := range text {
			text[i] = byte(dice.Uint32())
		}
		id := ID{1, 2, 3} // whatever it was
		polynomial(&id, text, powersOf(point))
		if got, want := elementOf(id), slowPolynomial(text, point); got != want {
			t.Fatalf("%d bytes: %x, want %x", size, got, want)
		}
	}
}

// slowPolynomial is polynomial, one block after the other. The last block of the last row is at the fifth power, and
// the length at the fourth.
func slowPolynomial(text []byte, point element) (sum element) {
	add := func(value element) {
		sum = sum.times(point)
		sum[0] ^= value[0]
		sum[1] ^= value[1]
	}
	for at := range (len(text) + 63) / 64 * 4 {
		var block ID
		if 16*at < len(text) {
			copy(block[:], text[16*at:])
		}
		add(elementOf(block))
	}
	add(element{uint64(len(text))})
	for range 4 {
		add(element{})
	}
	return sum
}
