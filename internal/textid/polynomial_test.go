package textid

import (
	"math/rand/v2"
	"testing"
)

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
