package textid

import (
	"math/rand/v2"
	"testing"
)

// The instructions compute the polynomial of the blocks and the length.
func TestPolynomial(t *testing.T) {
	if !hasPolynomial {
		t.Skip("this processor has no VPCLMULQDQ with AVX-512")
	}
	dice := rand.New(rand.NewPCG(1, 2))
	for size := range 1500 {
		point := element{dice.Uint64(), dice.Uint64()}
		text := make([]byte, size)
		for i := range text {
			text[i] = byte(dice.Uint32())
		}
		var id ID
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

// Multiplication in the field has the properties of one, and x to the 128th is what it has to be.
func TestElements(t *testing.T) {
	dice := rand.New(rand.NewPCG(3, 4))
	one := element{1}
	for range 100 {
		a, b, c := randomElement(dice), randomElement(dice), randomElement(dice)
		if a.times(one) != a || a.times(b) != b.times(a) || a.times(b.times(c)) != a.times(b).times(c) {
			t.Fatalf("%x, %x and %x", a, b, c)
		}
	}
	if got := (element{0, 1}).times(element{0, 1}); got != (element{0x87}) {
		t.Errorf("x to the 128th is %x", got)
	}
}

func randomElement(dice *rand.Rand) element { return element{dice.Uint64(), dice.Uint64()} }
