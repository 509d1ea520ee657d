//go:build (amd64 || arm64) && !purego

package secrets

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// With and without vector instructions, the same keywords are found at the same places.
func TestVectorsAgainstPlainGo(t *testing.T) {
	if !hasVectors {
		t.Skip("this processor has no AVX2")
	}
	defer func() { hasVectors = true }()
	x := standard().index
	dice := rand.New(rand.NewPCG(6, 19))
	for range 20_000 {
		text := hostileText(dice, x.keywords)
		text = text[min(len(text), dice.IntN(33)):]
		hasVectors = true
		fast := sightings(x, text)
		hasVectors = false
		plain := sightings(x, text)
		if !slices.Equal(fast, plain) {
			t.Fatalf("%q: %v with vectors, %v without", text, fast, plain)
		}
	}
}
