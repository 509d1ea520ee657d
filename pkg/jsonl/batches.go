package jsonl

import "io"

// Batches reads a stream in batches of lines that are not checked. It is for whoever looks at bytes first, and parses
// few of the lines. Long lines take no more memory than in a Reader.
type Batches struct{ filler filler }

// A Batch is a part of a stream: complete lines, a piece of a line that is too long, or the last line.
type Batch struct {
	Text   []byte
	Offset int64 // of the text in the stream
	// IsLong is set if the text begins with a piece of a line that is longer than MaxLine, and IsContinued if an earlier
	// batch has another piece of that line.
	IsLong, IsContinued bool

	buf []byte
}

// BatchSize is the length of a buffer for Next, which most batches fit into.
const BatchSize = chunkSize + padding

// IsLarge reports whether the batch takes so much memory that no further one should be read before it is released.
func (b *Batch) IsLarge() bool { return len(b.buf) > largeBatch }

// Reset makes b read another stream. lends is set if a batch is still in use when the next one is read.
func (b *Batches) Reset(src io.Reader, opts Options, lends bool) {
	if opts.MaxLine <= 0 {
		opts.MaxLine = DefaultMaxLine
	}
	b.filler = b.filler.reset(src, opts)
	if b.filler.lends = lends; lends {
		b.filler.spare, b.filler.spares = nil, make(chan []byte, sparesKept)
	}
}

// Next returns the next batch, or io.EOF after the last. Its text is in the given buffer, of BatchSize bytes, unless it
// is longer.
func (b *Batches) Next(buf []byte) (Batch, error) {
	next, err := b.filler.fill(buf)
	if err != nil {
		return Batch{}, err
	}
	return Batch{Text: next.buf[:next.ready], Offset: next.offset, IsLong: next.long, IsContinued: next.begun,
		buf: next.buf}, nil
}

// Release lets another batch use the memory of one that was longer than its buffer. Any goroutine may call it.
func (b *Batches) Release(done Batch, buf []byte) {
	if &done.buf[0] != &buf[0] {
		b.filler.giveBack(done.buf)
	}
}
