package tokens

import "encoding/binary"

// A wordCache remembers the token counts of short pieces. Nearly all pieces of a text are short and have occurred
// before, and a hit reads one cache line. It is bounded: each slot holds its latest piece.
type wordCache [1 << slotBits]word

const (
	slotBits    = 17
	longestWord = 15
	lengthShift = 56 // of the length in word.high, above seven bytes of text
	countShift  = 60 // of the count, above the length
	countMask   = uint64(15) << countShift
)

// A word is a piece of up to 15 bytes, its length and its count in 16 bytes.
type word struct{ low, high uint64 }

// wordAt returns the piece of n bytes at i without a count.
func wordAt(text []byte, i, n int) word {
	if len(text)-i < 16 {
		var end [16]byte
		copy(end[:], text[i:])
		text, i = end[:], 0
	}
	mask := &masks[n]
	low, high := binary.LittleEndian.Uint64(text[i:]), binary.LittleEndian.Uint64(text[i+8:])
	return word{low & mask.low, high&mask.high | uint64(n)<<lengthShift}
}

// masks are the bits of the bytes of a piece.
var masks = func() (masks [longestWord + 1]word) {
	for n := range masks {
		masks[n] = word{1<<(8*n) - 1, 1<<(8*max(0, n-8)) - 1}
	}
	return masks
}()

// is reports whether a word with a count is the same as one without.
func (w word) is(other word) bool { return w.low == other.low && w.high&^countMask == other.high }

// slot returns the place of a word.
func (c *wordCache) slot(w word) *word {
	return &c[(w.low^w.high*0x9e3779b97f4a7c15)*0xff51afd7ed558ccd>>(64-slotBits)]
}
