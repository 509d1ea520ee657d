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
	x := foreignIndex()
	dice := rand.New(rand.NewPCG(6, 19))
	for range 20_000 {
		text := hostileText(dice, x.keywords)
		text = text[min(len(text), dice.IntN(65)):]
		hasVectors = true
		fast, narrow := sightings(x, text), narrowSightings(x, text)
		hasVectors = false
		plain := narrowSightings(x, text)
		if !slices.Equal(fast, plain) || !slices.Equal(narrow, plain) {
			t.Fatalf("%q: %v or %v with vectors, %v without", text, fast, narrow, plain)
		}
	}
}

// foreignIndex has every keyword, and some outside ASCII.
func foreignIndex() *index {
	return newIndex(slices.Concat(standard.Get().index.keywords, []keyword{{text: "clé "}, {text: "ключ", fold: true}}))
}

// A text may let every place through, so that the list of places is full.
func TestSieveLetsEverythingThrough(t *testing.T) {
	x := newIndex([]keyword{{text: "aaaa"}})
	for length := 0; length < 3*siftSize; length += 7 {
		text := make([]byte, length)
		for i := range text {
			text[i] = 'a'
		}
		if found := len(sightings(x, text)); found != max(0, length-3) {
			t.Fatalf("%d of %d keywords", found, length-3)
		}
	}
}
