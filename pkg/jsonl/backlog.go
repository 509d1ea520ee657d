package jsonl

import "bytes"

// A backlog holds bytes that were read ahead, to learn the length of a line before a buffer is made for it. A buffer
// that grows with the line would leave smaller ones behind that take as much memory again. The backlog keeps its pieces
// for the next long line of the stream.
type backlog struct {
	pieces   [][]byte // of pieceSize bytes each
	pos, end int      // where the unread bytes begin and end, counted over all pieces
	last     error    // what ended the stream after these bytes
}

const pieceSize = spareSize

// isEmpty reports whether the stream itself is next.
func (b *backlog) isEmpty() bool { return b.pos == b.end && b.last == nil }

// room returns a buffer for the next bytes, at most a chunk.
func (b *backlog) room() []byte {
	if b.end == pieceSize*len(b.pieces) {
		b.pieces = append(b.pieces, make([]byte, pieceSize))
	}
	at := b.end % pieceSize
	return b.pieces[b.end/pieceSize][at:min(pieceSize, at+chunkSize)]
}

// lineRest returns how many of the bytes from offset, counted from the first unread byte, belong to the same line as
// offset, and whether they include its end.
func (b *backlog) lineRest(offset int) (rest int, ended bool) {
	for at := b.pos + offset; at < b.end; {
		part := b.from(at)
		if i := bytes.IndexByte(part, '\n'); i >= 0 {
			return rest + i + 1, true
		}
		rest += len(part)
		at += len(part)
	}
	return rest, false
}

// from returns the bytes at a position up to the end of their piece.
func (b *backlog) from(at int) []byte {
	start := at / pieceSize * pieceSize
	return b.pieces[at/pieceSize][at-start : min(pieceSize, b.end-start)]
}

// take moves bytes to p. The error is returned with the last of them.
func (b *backlog) take(p []byte) (n int, err error) {
	for n < len(p) && b.pos < b.end {
		copied := copy(p[n:], b.from(b.pos))
		n += copied
		b.pos += copied
	}
	if b.pos < b.end {
		return n, nil
	}
	b.pos, b.end = 0, 0
	return n, b.last
}
