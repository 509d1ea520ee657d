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
	defer m.forget()
	for size := block; ; size *= 4 {
		if tokens, ok := m.countBlocks(piece, size); ok {
			return tokens
		}
	}
}

// countBlocks counts the tokens of a piece in blocks of a size. It fails if two blocks do not agree, which cannot
// happen if the piece fits into one.
func (m *merger) countBlocks(piece []byte, size int) (tokens int, ok bool) {
	expected := 0 // the size of the first token of the block
	left := 0     // the number of tokens of the block
	var before []byte
	for start := 0; ; {
		now := piece[start:min(start+size, len(piece))]
		if !bytes.Equal(now, before) { // otherwise it merges like the one before
			left = m.merge(now)
			before = now
		}
		if expected > 0 && int(m.spans[0].size) != expected {
			return 0, false
		}
		if len(piece)-start <= size {
			return tokens + left, true
		}
		n, cut := m.walk(size - size/overlap)
		expected = int(m.spans[cut].size)
		tokens, start = tokens+n, start+cut
	}
}

// walk returns how many tokens of the merged block end at or before an index, and where the last of them ends.
func (m *merger) walk(last int) (tokens, end int) {
	for {
		next := end + int(m.spans[end].size)
		if next > last {
			return tokens, end
		}
		tokens, end = tokens+1, next
	}
}

// forget drops the memory if the piece was merged as a whole.
func (m *merger) forget() {
	if m.piece = nil; cap(m.spans) > block {
		m.spans, m.lowest = nil, nil
	}
}
