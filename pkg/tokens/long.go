package tokens

import "bytes"

// A long piece is merged in blocks that fit into the processor's cache. Blocks overlap, because the end of a block may
// merge differently if more follows.
const (
	block   = 1024
	overlap = 8 // divides the size of a block
)

// count returns the number of tokens of a piece.
//
// Cutting a piece is exact if the tokens on both sides of the cut stay apart when they are merged alone. Reason: take
// the first merge of the whole piece that crosses one of the final boundaries. Until then, the two tokens beside it
// have merged as they do alone, because the lowest pair of the piece is also the lowest of theirs. So it would happen
// there too. Neighbours in the result of a merge stay apart for the same reason. So a cut is exact if the block after
// it begins with the same token that followed in the block before.
func (m *merger) count(piece []byte) int {
	if len(piece) <= block {
		return m.merge(piece)
	}
	return m.tokenize(piece, func(int) {})
}

// tokenize is count, and calls visit with the end of every token. An end of 0 means that all ends so far do not count.
func (m *merger) tokenize(piece []byte, visit func(end int)) int {
	defer m.forget()
	for size := block; ; size *= 4 {
		if tokens, ok := m.tokenizeBlocks(piece, size, visit); ok {
			return tokens
		}
		visit(0)
	}
}

// tokenizeBlocks tokenizes a piece in blocks of a size. It fails if two blocks do not agree, which cannot happen if the
// piece fits into one.
func (m *merger) tokenizeBlocks(piece []byte, size int, visit func(end int)) (tokens int, ok bool) {
	expected := 0 // the size of the first token of the block
	var before []byte
	for start := 0; ; {
		now := piece[start:min(start+size, len(piece))]
		if !bytes.Equal(now, before) { // otherwise it merges like the one before
			m.merge(now)
			before = now
		}
		if expected > 0 && int(m.spans[0].size) != expected {
			return 0, false
		}
		if len(piece)-start <= size {
			return tokens + m.walk(start, len(now), visit), true
		}
		tokens += m.walk(start, size-size/overlap, visit)
		cut := m.reached
		expected = int(m.spans[cut].size)
		start += cut
	}
}

// walk visits the tokens of the merged block that end at or before an index, and returns how many they are.
func (m *merger) walk(start, last int, visit func(end int)) int {
	var tokens int
	at := 0
	for at < last {
		end := at + int(m.spans[at].size)
		if end > last {
			break
		}
		visit(start + end)
		at, tokens = end, tokens+1
	}
	m.reached = at
	return tokens
}

// forget drops the memory if the piece was merged as a whole.
func (m *merger) forget() {
	if m.piece = nil; cap(m.spans) > block {
		m.spans, m.lowest = nil, nil
	}
}
