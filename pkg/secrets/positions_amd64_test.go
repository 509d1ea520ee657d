//go:build !purego

package secrets

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// With and without vector instructions, the same keywords are found at the same places.
func TestVectorsAgainstPlainGo(t *testing.T) {
	if !hasAVX2 {
		t.Skip("this processor has no AVX2")
	}
	defer func() { hasAVX2 = true }()
	x := standard().index
	dice := rand.New(rand.NewPCG(6, 19))
	for range 20_000 {
		text := hostileText(dice, x.keywords)
		text = text[min(len(text), dice.IntN(33)):]
		hasAVX2 = true
		fast := sightings(x, text)
		hasAVX2 = false
		plain := sightings(x, text)
		if !slices.Equal(fast, plain) {
			t.Fatalf("%q: %v with vectors, %v without", text, fast, plain)
		}
	}
}
