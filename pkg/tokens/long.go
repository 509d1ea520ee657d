package tokens

import "encoding/binary"

// A merger merges long pieces. A span is what has merged so far, and every span but the last begins a pair. All numbers
// are at the index at which a span starts. A span is a token, so its size fits in a byte.
type merger struct {
	*table
	piece   []byte
	sizes   []uint8 // of the spans
	befores []uint8 // sizes of the spans before them
	ranks   []int32 // of the pairs that they begin
	pairs   pairQueue
}

// A long piece is merged in blocks that fit into the processor's cache. Blocks overlap, because the end of a block may
// merge differently if more follows.
const (
	block   = 2048
	overlap = 512
)

// count returns the number of tokens of a piece.
//
// Cutting a piece is exact if the tokens on both sides of the cut stay apart when they are merged alone. Reason: take
// the first merge of the whole piece that crosses one of the final boundaries. Until then, the two tokens beside it have
// merged as they do alone, because the lowest pair of the piece is also the lowest of theirs. So it would happen there
// too. Neighbours in the result of a merge stay apart for the same reason. So a cut is exact if the block after it begins
// with the same token that followed in the block before.
func (m *merger) count(piece []byte) (tokens int) {
	defer m.forget()
	expected := 0 // the size of the first token of the block
	for rest := piece; ; {
		left := m.merge(rest[:min(block, len(rest))])
		if expected > 0 && int(m.sizes[0]) != expected {
			return m.merge(piece)
		}
		if len(rest) <= block {
			return tokens + left
		}
		cut := 0
		for ; cut < block-overlap; tokens++ {
			cut += int(m.sizes[cut])
		}
		expected = int(m.sizes[cut])
		rest = rest[cut:]
	}
}

// merge merges a piece, the pair of the lowest rank first, and returns the number of tokens left.
func (m *merger) merge(piece []byte) int {
	m.begin(piece)
	left := len(piece)
	for {
		p, ok := m.pairs.pop()
		if !ok {
			return left
		}
		if start := p.start(); m.ranks[start] == p.rank() { // otherwise one of its spans has merged since
			m.join(start)
			left--
		}
	}
}

// begin makes a span of every byte of a piece.
func (m *merger) begin(piece []byte) {
	n := len(piece)
	m.piece = piece
	m.sizes, m.befores, m.ranks = resized(m.sizes, n), resized(m.befores, n), resized(m.ranks, n)
	m.pairs.sorted = m.pairs.sorted[:0]
	ranks := m.twoBytes()
	for i := range n - 1 {
		m.sizes[i], m.befores[i], m.ranks[i] = 1, 1, ranks[binary.LittleEndian.Uint16(piece[i:])]
		if m.ranks[i] != noRank {
			m.pairs.sorted = append(m.pairs.sorted, pairAt(i, m.ranks[i]))
		}
	}
	m.sizes[n-1], m.befores[n-1], m.ranks[n-1] = 1, 1, noRank
	m.pairs.begin()
}

// resized returns a slice of n elements, whatever they are.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// forget drops the piece, and the memory if the piece was merged as a whole.
func (m *merger) forget() {
	m.piece = nil
	if cap(m.sizes) > block {
		*m = merger{table: m.table}
	}
}

// join merges the pair that begins at a span.
func (m *merger) join(start int) {
	second := start + int(m.sizes[start])
	m.ranks[second] = noRank
	m.sizes[start] += m.sizes[second]
	if after := start + int(m.sizes[start]); after < len(m.piece) {
		m.befores[after] = m.sizes[start]
	}
	m.look(start)
	if start > 0 {
		m.look(start - int(m.befores[start]))
	}
}

// look ranks the pair that begins at a span after one of its spans has changed.
func (m *merger) look(start int) {
	rank, second := int32(noRank), start+int(m.sizes[start])
	if second < len(m.piece) {
		rank = m.rank(m.piece[start : second+int(m.sizes[second])])
	}
	m.ranks[start] = rank
	if rank != noRank {
		m.pairs.heap.push(pairAt(start, rank))
	}
}
