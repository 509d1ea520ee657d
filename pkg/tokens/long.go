package tokens

import (
	"bytes"
	"encoding/binary"
)

// A merger merges long pieces. A span is what has merged so far, and every span but the last begins a pair. All numbers
// are at the index at which a span starts. A span is a token, so its size fits in a byte.
type merger struct {
	*table
	words   *wordFilter
	cache   rankCache
	piece   []byte
	sizes   []uint8 // of the spans
	befores []uint8 // sizes of the spans before them
	ranks   []int32 // of the pairs that they begin
	pairs   pairQueue
	reached int // the index after the last token that was visited
}

// A long piece is merged in blocks that fit into the processor's cache. Blocks overlap, because the end of a block may
// merge differently if more follows.
const (
	block   = 2048
	overlap = 256
)

// count returns the number of tokens of a piece.
//
// Cutting a piece is exact if the tokens on both sides of the cut stay apart when they are merged alone. Reason: take
// the first merge of the whole piece that crosses one of the final boundaries. Until then, the two tokens beside it
// have merged as they do alone, because the lowest pair of the piece is also the lowest of theirs. So it would happen
// there too. Neighbours in the result of a merge stay apart for the same reason. So a cut is exact if the block after
// it begins with the same token that followed in the block before.
func (m *merger) count(piece []byte) (tokens int) { return m.tokenize(piece, nil) }

// tokenize is count, and calls visit, if it is not nil, with the end of every token. An end of 0 means that all ends so
// far do not count.
func (m *merger) tokenize(piece []byte, visit func(end int)) (tokens int) {
	defer m.forget()
	if visit == nil {
		visit = func(int) {}
	}
	expected := 0 // the size of the first token of the block
	var before []byte
	for start := 0; ; {
		now := piece[start:min(start+block, len(piece))]
		if !bytes.Equal(now, before) { // otherwise it merges like the one before
			m.merge(now)
			before = now
		}
		if expected > 0 && int(m.sizes[0]) != expected {
			visit(0)
			m.merge(piece)
			return m.walk(0, len(piece), visit)
		}
		if len(piece)-start <= block {
			return tokens + m.walk(start, len(now), visit)
		}
		tokens += m.walk(start, block-overlap, visit)
		cut := m.reached
		expected = int(m.sizes[cut])
		start += cut
	}
}

// walk visits the tokens of the merged block that begin before an index, and returns how many they are.
func (m *merger) walk(start, end int, visit func(end int)) (tokens int) {
	at := 0
	for ; at < end; tokens++ {
		at += int(m.sizes[at])
		visit(start + at)
	}
	m.reached = at
	return tokens
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
	m.piece, m.words = piece, m.present()
	m.sizes, m.befores, m.ranks = resized(m.sizes, n), resized(m.befores, n), resized(m.ranks, n)
	m.pairs.begin()
	ranks := m.twoBytes()
	for i := range n - 1 {
		m.sizes[i], m.befores[i], m.ranks[i] = 1, 1, ranks[binary.LittleEndian.Uint16(piece[i:])]
		if m.ranks[i] != noRank {
			m.pairs.push(pairAt(i, m.ranks[i]))
		}
	}
	m.sizes[n-1], m.befores[n-1], m.ranks[n-1] = 1, 1, noRank
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
		m.sizes, m.befores, m.ranks, m.pairs = nil, nil, nil, pairQueue{}
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
		rank = m.cachedRank(&m.cache, m.words, m.piece[start:second+int(m.sizes[second])])
	}
	m.ranks[start] = rank
	if rank != noRank {
		m.pairs.push(pairAt(start, rank))
	}
}
