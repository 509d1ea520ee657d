package jsonl

import (
	"io"

	"clawctl/internal/openfile"
)

// Batches reads a stream in batches of lines that are not checked. It is for whoever looks at bytes first, and parses
// few of the lines. Long lines take no more memory than in a Reader. A large file is looked at where it lies, because
// copying it would take longer than looking (views.go).
type Batches struct {
	filler filler
	views  *views // nil if the stream is read
}

// A Batch is a part of a stream: complete lines, a piece of a line that is too long, or the last line.
type Batch struct {
	Text   []byte
	Offset int64 // of the text in the stream
	// IsLong is set if the text begins with a piece of a line that is longer than MaxLine, and IsContinued if an earlier
	// batch has another piece of that line.
	IsLong, IsContinued bool

	buf  []byte
	view *openfile.View // has the text, unless buf does
	file io.ReaderAt    // of the view
	at   int64          // where the text begins in that file
}

// BatchSize is the length of a buffer for Next, which most batches fit into.
const BatchSize = chunkSize + padding

// isLarge reports whether the batch takes so much memory that no further one should be read before it is released.
func (b *Batch) isLarge() bool { return max(len(b.buf), len(b.Text)) > spareRoom }

// Look calls look with the text. If that is a file's where it lies, it may change or get lost while look reads it: then
// look is called again with a copy of what is left. What look keeps of the text must be copied.
func (b *Batch) Look(look func(text []byte)) error {
	if b.view == nil {
		look(b.Text)
		return nil
	}
	if b.view.Look(func() { look(b.Text) }) {
		return nil
	}
	left := make([]byte, len(b.Text))
	n, err := b.file.ReadAt(left, b.at)
	if err == nil || err == io.EOF {
		look(left[:n])
		return nil
	}
	return err
}

// Reset makes b read another stream. lends is set if a batch is still in use when the next one is read.
func (b *Batches) Reset(src io.Reader, opts Options, lends bool) {
	if opts.MaxLine <= 0 {
		opts.MaxLine = DefaultMaxLine
	}
	b.views = newViews(src, opts)
	b.filler = b.filler.reset(src, opts)
	b.filler.lends = lends
}

// Next returns the next batch, or io.EOF after the last. Its text is in the given buffer, of BatchSize bytes, unless it
// is longer or a file's.
func (b *Batches) Next(buf []byte) (Batch, error) {
	if b.views != nil {
		next, err := b.views.next()
		if err != nil || next.view != nil {
			return next, err
		}
		if err := b.readRest(); err != nil {
			return Batch{}, err
		}
	}
	next, err := b.filler.fill(buf)
	if err != nil {
		return Batch{}, err
	}
	return Batch{Text: next.buf[:next.ready], Offset: next.offset, IsLong: next.long, IsContinued: next.begun,
		buf: next.buf}, nil
}

// readRest reads what comes after the last view.
func (b *Batches) readRest() error {
	v := b.views
	b.views = nil
	if _, err := v.file.Seek(v.start+v.done, io.SeekStart); err != nil {
		return err
	}
	v.opts.BytesBefore += v.done
	b.filler = b.filler.reset(b.filler.stream.src, v.opts)
	return nil
}

// Release lets another batch use the memory of one that was longer than its buffer, and ends a look at a file. Any
// goroutine may call it.
func (b *Batches) Release(done Batch, buf []byte) {
	if done.view != nil {
		done.view.Close()
		return
	}
	if b.filler.lends && &done.buf[0] != &buf[0] {
		giveBack(done.buf)
	}
}
