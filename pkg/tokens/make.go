package tokens

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// MakeTable makes a table from the words of a vocabulary in the order of their ranks. It returns an error if counting
// with the table would not be exact.
func MakeTable(words []string) ([]byte, error) {
	ranks := make(map[string]int, len(words))
	longest, size := 0, 0
	for rank, w := range words {
		ranks[w] = rank
		longest, size = max(longest, len(w)), size+len(w)
	}
	slots := len(words) * 3 / 2
	if len(words) >= rankMask || longest > 1<<sizeBits || size > 1<<offsetBits {
		return nil, fmt.Errorf("%d words of up to %d bytes, %d in total, do not fit into a table", len(words), longest, size)
	}
	var data []byte
	for _, n := range []int{len(words), slots, longest} {
		data = binary.LittleEndian.AppendUint32(data, uint32(n))
	}
	merges, err := mergesOf(words, ranks)
	if err != nil {
		return nil, err
	}
	offset := 0
	for _, w := range words {
		data = binary.LittleEndian.AppendUint32(data, uint32(newEntry(offset, len(w))))
		offset += len(w)
	}
	for _, slot := range makeIndex(words, slots) {
		data = binary.LittleEndian.AppendUint32(data, slot)
	}
	for _, slot := range makeMerges(merges, slots) {
		data = binary.LittleEndian.AppendUint64(data, uint64(slot))
	}
	for _, rank := range makeShort(words) {
		data = binary.LittleEndian.AppendUint32(data, rank)
	}
	data = append(data, makeFilter(merges, len(words))...)
	for _, w := range words {
		data = append(data, w...)
	}
	return data, nil
}

// mergesOf returns how the words of more than two bytes are merged. Shorter ones are never looked up by their parts.
func mergesOf(words []string, ranks map[string]int) (merges []merge, err error) {
	for rank, w := range words {
		left, right, err := split(w, rank, ranks)
		if err != nil {
			return nil, err
		}
		if len(w) > 2 {
			merges = append(merges, mergeOf(partsOf(int32(left), int32(right)), int32(rank)))
		}
	}
	return merges, nil
}

// split returns the ranks of the two words that merge into a word. For a single byte it returns its own rank. Every
// word must be the result of merging its bytes, and rank higher than its parts, or merging would not find it.
func split(word string, rank int, ranks map[string]int) (left, right int, err error) {
	if len(word) == 1 {
		return rank, rank, nil
	}
	parts := mergeSlowly([]byte(word), func(pair []byte) int32 {
		if r, ok := ranks[string(pair)]; ok && r != rank {
			return int32(r)
		}
		return noRank
	})
	if len(parts) != 2 {
		return 0, 0, fmt.Errorf("the word %q of rank %d is not merged from two words", word, rank)
	}
	left, right = ranks[string(parts[0])], ranks[string(parts[1])]
	if max(left, right) >= rank {
		return 0, 0, fmt.Errorf("the word %q of rank %d has a part of rank %d", word, rank, max(left, right))
	}
	return left, right, nil
}

// mergeSlowly merges the bytes of a piece by definition: it joins the first pair of the lowest rank until no pair has
// one.
func mergeSlowly(piece []byte, rank func(pair []byte) int32) [][]byte {
	var parts [][]byte
	for i := range piece {
		parts = append(parts, piece[i:i+1])
	}
	for {
		best, lowest := 0, int32(noRank)
		for i := range len(parts) - 1 {
			n := len(parts[i])
			if r := rank(parts[i][:n+len(parts[i+1])]); r < lowest {
				best, lowest = i, r
			}
		}
		if lowest == noRank {
			return parts
		}
		parts[best] = parts[best][:len(parts[best])+len(parts[best+1])]
		parts = append(parts[:best+1], parts[best+2:]...)
	}
}

// makeIndex makes the hash table of all words.
func makeIndex(words []string, slots int) []uint32 {
	index := make([]uint32, slots)
	for rank, w := range words {
		h := hash([]byte(w))
		at := slotOf(h, slots)
		for index[at] != 0 {
			at = (at + 1) % slots
		}
		index[at] = uint32(rank+1) | h<<rankBits
	}
	return index
}

// makeMerges makes the hash table of the merges.
func makeMerges(merges []merge, slots int) []merge {
	table := make([]merge, slots)
	for _, m := range merges {
		at := slotOf(m.parts().hash(), slots)
		for table[at] != 0 {
			at = (at + 1) % slots
		}
		table[at] = m
	}
	return table
}

// makeShort returns the ranks of all bytes, and of every two bytes.
func makeShort(words []string) []uint32 {
	ranks := slices.Repeat([]uint32{noRank}, 1<<8+1<<16)
	for rank, w := range words {
		switch len(w) {
		case 1:
			ranks[w[0]] = uint32(rank)
		case 2:
			ranks[1<<8+int(binary.LittleEndian.Uint16([]byte(w)))] = uint32(rank)
		}
	}
	return ranks
}

// makeFilter marks the parts of all merges.
func makeFilter(merges []merge, words int) []byte {
	t := table{filter: make([]byte, filterSize(words))}
	for _, m := range merges {
		at, bit := t.filterBit(m.parts())
		t.filter[at] |= bit
	}
	return t.filter
}
