//go:build (amd64 || arm64) && !purego

package secrets

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// With and without vector instructions, the same keywords are found at the same places.
func TestVectorsAgainstPlainGo(t *testing.T) {
	x := foreignIndex()
	dice := rand.New(rand.NewPCG(6, 19))
	for range 20_000 {
		text := hostileText(dice, x.keywords)
		text = text[min(len(text), dice.IntN(65)):]
		var lists [][]sighting
		eachVector(func() { lists = append(lists, sightings(x, text)) })
		for _, list := range lists {
			if !slices.Equal(list, lists[len(lists)-1]) {
				t.Fatalf("%q: %v with vectors, %v without", text, list, lists[len(lists)-1])
			}
		}
	}
}

// foreignIndex has every keyword, and some outside ASCII.
func foreignIndex() *index {
	return newIndex(slices.Concat(standard().index.keywords, []keyword{{text: "clé "}, {text: "ключ", fold: true}}))
}

// A text may let every place through, so that the list of places is full.
func TestSieveLetsEverythingThrough(t *testing.T) {
	x := newIndex([]keyword{{text: "aaaa"}})
	for length := 0; length < 3*siftSize; length += 7 {
		text := make([]byte, length)
		for i := range text {
			text[i] = 'a'
		}
		eachVector(func() {
			if found := len(sightings(x, text)); found != max(0, length-3) {
				t.Fatalf("%d of %d keywords", found, length-3)
			}
		})
	}
}
