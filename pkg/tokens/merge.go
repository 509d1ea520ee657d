package tokens

import "encoding/binary"

// shortPiece is the length up to which searching all pairs is faster than a heap.
const shortPiece = 64

// mergeShort merges the bytes of a short piece, the pair of the lowest rank first, and returns the number of tokens
// left. It searches for the best pair again after every merge.
func (t *merger) mergeShort(piece []byte) int {
	var starts [shortPiece + 1]uint8
	var ranks [shortPiece + 1]int32 // of the pair that begins at each span
	n := len(piece)
	for i := range n + 1 {
		starts[i] = uint8(i)
	}
	words := t.present()
	rank := func(i int) int32 { // of the pair of spans i and i+1
		if i+2 > n {
			return noRank
		}
		return t.cachedRank(&t.cache, words, piece[starts[i]:starts[i+2]])
	}
	pairs := t.twoBytes()
	for i := range n - 1 {
		ranks[i] = pairs[binary.LittleEndian.Uint16(piece[i:])]
	}
	ranks[n-1] = noRank
	for n > 1 {
		best := 0
		for i := 1; i < n-1; i++ {
			if ranks[i] < ranks[best] {
				best = i
			}
		}
		if ranks[best] == noRank {
			break
		}
		copy(starts[best+1:n], starts[best+2:n+1])
		copy(ranks[best+1:n-1], ranks[best+2:n])
		n--
		ranks[n-1] = noRank
		ranks[best] = rank(best)
		if best > 0 {
			ranks[best-1] = rank(best - 1)
		}
	}
	return n
}
