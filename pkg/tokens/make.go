package tokens

import (
	"encoding/binary"
	"fmt"
)

// MakeTable makes a table from the words of a vocabulary in the order of their ranks. It returns an error if they
// do not fit.
func MakeTable(words []string) ([]byte, error) {
	longest, size := 0, 0
	for _, w := range words {
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
	offset := 0
	for _, w := range words {
		data = binary.LittleEndian.AppendUint32(data, uint32(newEntry(offset, len(w))))
		offset += len(w)
	}
	for _, slot := range makeIndex(words, slots) {
		data = binary.LittleEndian.AppendUint32(data, slot)
	}
	for _, w := range words {
		data = append(data, w...)
	}
	return data, nil
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
