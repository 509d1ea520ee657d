package tokens

import "math/bits"

// A shortMerger merges a piece of at most longestWord bytes. Its tokens have places: the first byte is at 1. At 0 and
// after the last byte are tokens that merge with nothing, so that all others have neighbours.
type shortMerger struct {
	starts uint32                 // a bit for every place at which a token begins
	ranks  [longestWord + 2]int32 // of the tokens
	pairs  [longestWord + 1]shortPair
}

// A shortPair is the rank of the word that two tokens merge into, and below it the place of the first one.
type shortPair uint32

const (
	placeBits           = 4
	noPair    shortPair = noRank << placeBits & (1<<32 - 1)
)

func shortPairAt(place int, rank int32) shortPair {
	return shortPair(rank)<<placeBits | shortPair(place)
}
func (p shortPair) rank() int32 { return int32(p >> placeBits) }
func (p shortPair) place() int  { return int(p & (1<<placeBits - 1)) }

// mergeShort is merge for a short piece. It compares all pairs to find the lowest one: that has no branches.
func (m *merger) mergeShort(piece []byte) int {
	var s shortMerger
	m.beginShort(&s, piece)
	for left := len(piece); ; left-- {
		p := s.lowest()
		if p >= noPair {
			return left
		}
		m.joinShort(&s, p.place(), p.rank())
	}
}

// beginShort makes a token of every byte.
func (m *merger) beginShort(s *shortMerger, piece []byte) {
	n := len(piece)
	for i := range s.pairs {
		s.pairs[i] = noPair
	}
	for i, c := range piece {
		s.ranks[i+1] = m.table.rankOfByte(c)
	}
	for i := range n - 1 {
		s.pairs[i+1] = shortPairAt(i+1, m.table.rankOfTwo(piece[i:]))
	}
	s.ranks[0], s.ranks[n+1] = rankMask, rankMask
	s.starts = 1<<(n+2) - 1
}

func (s *shortMerger) lowest() shortPair {
	p := &s.pairs
	return min(
		min(min(min(p[0], p[1]), min(p[2], p[3])), min(min(p[4], p[5]), min(p[6], p[7]))),
		min(min(min(p[8], p[9]), min(p[10], p[11])), min(min(p[12], p[13]), min(p[14], p[15]))))
}

// joinShort merges the pair at a place into a token of this rank.
func (m *merger) joinShort(s *shortMerger, place int, rank int32) {
	above := s.starts >> (place + 1) << (place + 1)
	second := bits.TrailingZeros32(above) & 15
	after := bits.TrailingZeros32(above&(above-1)) & 31
	before := (bits.Len32(s.starts&(1<<place-1)) - 1) & 15
	s.starts &^= 1 << second
	s.ranks[place] = rank
	s.pairs[second] = noPair
	s.pairs[place] = shortPairAt(place, m.rankOfParts(partsOf(rank, s.ranks[after])))
	s.pairs[before] = shortPairAt(before, m.rankOfParts(partsOf(s.ranks[before], rank)))
}
