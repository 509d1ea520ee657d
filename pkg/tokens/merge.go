package tokens

import "encoding/binary"

// A merger merges the bytes of a piece into tokens, the pair of the lowest rank first. A span is what has merged so
// far, and every span but the last begins a pair.
type merger struct {
	*table
	*shortWords
	known knownPairs
	piece []byte
	spans []span // at the index at which they start
	// lowest is a tournament of the pairs. Those at the start of a span are in its second half, and each number before
	// is the lower one of those at twice its index and after it. So the lowest pair of all is at 1.
	lowest  []pair
	reached int // the index after the last token that was visited
}

// A span is a token, so its size fits in a byte.
type span struct {
	rank   int32
	size   uint8
	before uint8 // the size of the span before it
}

// A pair is a rank and, below it, the start of a pair of this rank. The lowest pair is the next to merge.
type pair uint64

func pairAt(start int, rank int32) pair { return pair(rank)<<32 | pair(start) }
func (p pair) rank() int32              { return int32(p >> 32) }
func (p pair) start() int               { return int(uint32(p)) }

// merge merges a piece of at least two bytes and returns the number of tokens left.
func (m *merger) merge(piece []byte) int {
	m.begin(piece)
	for left := len(piece); ; left-- {
		p := m.lowest[1]
		if p.rank() == noRank {
			return left
		}
		m.join(p.start(), p.rank())
	}
}

// begin makes a span of every byte of a piece.
func (m *merger) begin(piece []byte) {
	if m.shortWords == nil {
		m.shortWords = m.table.shortWords()
	}
	n := len(piece)
	m.piece, m.spans, m.lowest = piece, resized(m.spans, n), resized(m.lowest, 2*n)
	spans, lowest := m.spans, m.lowest
	for i, c := range piece {
		spans[i] = span{rank: m.bytes[c], size: 1, before: 1}
	}
	for i := range n - 1 {
		lowest[n+i] = pairAt(i, m.twoBytes[binary.LittleEndian.Uint16(piece[i:])])
	}
	lowest[2*n-1] = pairAt(n-1, noRank)
	for i := n - 1; i > 0; i-- {
		lowest[i] = min(lowest[2*i], lowest[2*i+1])
	}
}

// resized returns a slice of n elements, whatever they are.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// join merges the pair that begins at a span into a token of this rank.
func (m *merger) join(start int, rank int32) {
	s := &m.spans[start]
	second := start + int(s.size)
	s.rank, s.size = rank, s.size+m.spans[second].size
	next := int32(noRank)
	if after := start + int(s.size); after < len(m.spans) {
		m.spans[after].before = s.size
		next = m.rankOf(start, after)
	}
	if start > 0 {
		before := start - int(s.before)
		m.set(before, m.rankOf(before, start))
	}
	m.set(start, next)
	m.set(second, noRank)
}

// knownPairs remember pairs and the rank of the word that they merge into, or rankMask. A pair that is found in the
// table costs two reads of memory that is in no cache of the processor.
type knownPairs [1 << knownBits]uint64

const knownBits = 13

// rankOf returns the rank of the word that two spans merge into, or noRank. One of them has at least two bytes, so
// their parts are never 0, which is an empty place in known.
func (m *merger) rankOf(first, second int) int32 {
	p := partsOf(m.spans[first].rank, m.spans[second].rank)
	if !m.mayMerge(p) {
		return noRank
	}
	known := &m.known[p.hash()>>(64-knownBits)]
	if parts(*known>>rankBits) != p {
		rank := m.merged(hash(m.piece[first:second+int(m.spans[second].size)]), p)
		*known = uint64(p)<<rankBits | uint64(rank&rankMask)
	}
	if rank := int32(*known & rankMask); rank != rankMask {
		return rank
	}
	return noRank
}

// set changes the rank of the pair that begins at a span.
func (m *merger) set(start int, rank int32) {
	p := pairAt(start, rank)
	lowest := m.lowest
	i := len(lowest)/2 + start
	lowest[i] = p
	for i > 1 {
		p = min(p, lowest[i^1])
		i /= 2
		lowest[i] = p
	}
}
