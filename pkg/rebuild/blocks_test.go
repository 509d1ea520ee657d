package rebuild

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Entries find their blocks again, however many they have, also those of a list that was joined.
func TestBlockList(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var list, inner blockList
	var entries [][]block
	var places []uint32
	add := func(l *blockList, sizes ...int) {
		for _, n := range sizes {
			blocks := make([]block, n)
			for i := range blocks {
				blocks[i] = block{id: sym(len(entries)), name: sym(i)}
			}
			entries, places = append(entries, blocks), append(places, l.add(blocks))
		}
	}
	add(&list, 0, 0, 1, 0, 1<<blockBits-1, 0, 1<<blockBits, 0, 0, 5<<blockBits+1, 0, 3, 1<<blockBits+1)
	for range 5000 {
		add(&list, random.IntN(4), random.IntN(2)*random.IntN(600))
	}
	rows := len(entries)
	add(&inner, 0, 2, 1<<blockBits, 0, 7)
	base := list.join(inner)
	for i := rows; i < len(places); i++ {
		places[i] += base
	}
	for i, want := range entries {
		end := list.end()
		if i+1 < len(places) {
			end = places[i+1]
		}
		if got := list.between(places[i], end); !slices.Equal(got, want) {
			t.Fatalf("entry %d has %d blocks, want %d", i, len(got), len(want))
		}
	}
}
