package tokens

// A merger merges the bytes of a piece into tokens, the pair of the lowest rank first. A span is what has merged so
// far, and every span but the last begins a pair.
type merger struct {
	table *table
	piece []byte
	spans []span // at the index at which they start
	// lowest is a tournament of the pairs. The one at the start of a span is at the index len(spans) + start, and every
	// number before is the lower of the two that begin at twice its index. So the lowest pair of all is at 1.
	lowest []pair
}

// A span is a token, so its size fits in a byte.
type span struct {
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
		m.join(p.start())
	}
}

// begin makes a span of every byte of a piece.
func (m *merger) begin(piece []byte) {
	n := len(piece)
	m.piece, m.spans, m.lowest = piece, resized(m.spans, n), resized(m.lowest, 2*n)
	for i := range n {
		m.spans[i] = span{1, 1}
	}
	for i := range n {
		m.lowest[n+i] = m.pairAt(i)
	}
	for i := n - 1; i > 0; i-- {
		m.lowest[i] = min(m.lowest[2*i], m.lowest[2*i+1])
	}
}

// resized returns a slice of n elements, whatever they are.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// pairAt returns the pair that begins at a span.
func (m *merger) pairAt(start int) pair {
	next := start + int(m.spans[start].size)
	if next == len(m.spans) {
		return pairAt(start, noRank)
	}
	return pairAt(start, m.table.rank(m.piece[start:next+int(m.spans[next].size)]))
}

// join merges the pair that begins at a span.
func (m *merger) join(start int) {
	s := &m.spans[start]
	second := start + int(s.size)
	s.size += m.spans[second].size
	if after := start + int(s.size); after < len(m.spans) {
		m.spans[after].before = s.size
	}
	m.replace(second, pairAt(second, noRank))
	m.replace(start, m.pairAt(start))
	if start > 0 {
		before := start - int(s.before)
		m.replace(before, m.pairAt(before))
	}
}

// replace replaces the pair that begins at a span, and repeats the tournament above it.
func (m *merger) replace(start int, p pair) {
	i := len(m.spans) + start
	m.lowest[i] = p
	for i /= 2; i > 0; i /= 2 {
		lowest := min(m.lowest[2*i], m.lowest[2*i+1])
		if lowest == m.lowest[i] {
			return
		}
		m.lowest[i] = lowest
	}
}
