package tokens

// A merger merges the bytes of a piece into tokens, the pair of the lowest rank first. A span is what has merged so
// far, and every span but the last begins a pair.
type merger struct {
	table *table
	known knownPairs
	piece []byte
	spans []span // at the index at which they start
	// lowest is a tournament of the pairs. The one at the start of a span is at the index leaves + start, and every
	// number before is the lowest of the four that begin at four times its index. So the lowest pair of all is at 1.
	lowest []pair
	leaves int // a power of four
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
	n := len(piece)
	for m.leaves = 4; m.leaves < n; {
		m.leaves *= 4
	}
	m.piece, m.spans, m.lowest = piece, resized(m.spans, n), resized(m.lowest, 2*m.leaves)
	for i, c := range piece {
		m.spans[i] = span{rank: m.table.rankOfByte(c), size: 1, before: 1}
	}
	pairs := m.lowest[m.leaves:]
	for i := range n - 1 {
		pairs[i] = pairAt(i, m.table.rankOfTwo(piece[i:]))
	}
	pairs[n-1] = pairAt(n-1, noRank)
	m.beginLevels(n)
}

// beginLevels fills the tournament above its first n leaves.
func (m *merger) beginLevels(n int) {
	for level := m.leaves; level > 1; level /= 4 {
		for ; n%4 > 0; n++ {
			m.lowest[level+n] = pairAt(0, noRank)
		}
		n /= 4
		for i := level / 4; i < level/4+n; i++ {
			m.lowest[i] = m.lowestBelow(i)
		}
	}
}

// lowestBelow returns the lowest of the four pairs below an index.
func (m *merger) lowestBelow(i int) pair {
	four := (*[4]pair)(m.lowest[4*i:])
	return min(min(four[0], four[1]), min(four[2], four[3]))
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
	next, before := int32(noRank), start
	if after := start + int(s.size); after < len(m.spans) {
		m.spans[after].before = s.size
		next = m.rankOf(start, after)
	}
	pairs := m.lowest[m.leaves:]
	pairs[start], pairs[second] = pairAt(start, next), pairAt(second, noRank)
	if start > 0 {
		before = start - int(s.before)
		pairs[before] = pairAt(before, m.rankOf(before, start))
	}
	m.update(before, start, second)
}

// knownPairs remember pairs and the rank of the word that they merge into, or rankMask. A pair that is found in the
// table costs two reads of memory that is in no cache of the processor.
type knownPairs [1 << knownBits]merge

const knownBits = 13

// rankOf returns the rank of the word that two spans merge into, or noRank.
func (m *merger) rankOf(first, second int) int32 {
	return m.rankOfParts(partsOf(m.spans[first].rank, m.spans[second].rank))
}

// rankOfParts returns the rank of the word that two words merge into, or noRank. One of them has at least two bytes, so
// their parts are never 0, which is an empty place in known.
func (m *merger) rankOfParts(p parts) int32 {
	if !m.table.mayMerge(p) {
		return noRank
	}
	known := &m.known[p.hash()>>(32-knownBits)]
	if known.parts() != p {
		*known = mergeOf(p, m.table.merged(p))
	}
	if rank := known.rank(); rank != rankMask {
		return rank
	}
	return noRank
}

// update repeats the tournament above three pairs. They are close to each other, so their ways meet soon.
func (m *merger) update(first, second, third int) {
	first, second, third = (m.leaves+first)/4, (m.leaves+second)/4, (m.leaves+third)/4
	for ; first != third; first, second, third = first/4, second/4, third/4 {
		m.lowest[first] = m.lowestBelow(first)
		m.lowest[second] = m.lowestBelow(second)
		m.lowest[third] = m.lowestBelow(third)
	}
	for ; first > 0; first /= 4 {
		m.lowest[first] = m.lowestBelow(first)
	}
}
