//go:build (amd64 || arm64) && !purego

package secrets

// siftNarrow is sift with blocks of 32 bytes.
func (s *sieve) siftNarrow(text []byte, from int, places *[siftPlaces]uint16) (n, next int) {
	blocks := min(len(text)-from-(gramSize-1), siftSize) / blockSize
	if blocks > 0 && hasVectors {
		return siftBlocks(&text[from], blocks, s, places), from + blocks*blockSize
	}
	last := len(text) - (gramSize - 1) - blockSize // where the last block of all begins
	if last < 0 || from >= last+blockSize || !hasVectors {
		return s.siftGo(text, from, places)
	}
	for _, place := range places[:siftBlocks(&text[last], 1, s, places)] {
		if at := last + int(place) - from; at >= 0 {
			places[n] = uint16(at)
			n++
		}
	}
	return n, last + blockSize
}

// siftBlocks looks at blocks of 32 places. It also reads the three bytes after them.
//
//go:noescape
func siftBlocks(text *byte, blocks int, s *sieve, places *[siftPlaces]uint16) (n int)
