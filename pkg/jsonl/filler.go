package jsonl

import (
	"io"
	"slices"
	"sync"
)

// A filler cuts a stream into batches.
type filler struct {
	stream stream
	opts   Options
	batch      // the last one; long and begun say so of the line behind it
	step   int // how much is read at a time
	// lends is set if a batch is still in use when the next one is read. Then whoever uses it gives its buffer back.
	lends bool
	huge  []byte // the buffer for lines that are longer than a spare; one batch has it at a time
}

// A batch is a part of a stream: complete lines, a piece of a line that is longer than MaxLine, or the last line.
type batch struct {
	buf    []byte // ends with padding
	ready  int    // the end of the text
	end    int    // the end of what was read; the line behind the text is not complete
	offset int64  // of the text in the stream
	long   bool   // the text begins with a piece of a long line
	begun  bool   // and an earlier batch has another piece of it
	ended  bool   // the stream ends with the text
	// endsBlank is set if only white space follows the text. It is only known if the text may be trimmed.
	endsBlank bool
}

// isLarge reports whether no further batch should be read before this one is released.
func (b *batch) isLarge() bool { return len(b.buf) > spareRoom }

func (f *filler) reset(src io.Reader, opts Options) filler {
	if !f.lends {
		giveBack(f.buf)
	}
	return filler{stream: newStream(src, opts.BeforeRead), opts: opts, lends: f.lends,
		batch: batch{offset: opts.BytesBefore}}
}

// detach returns a filler that reads on where f is, and shares no buffer with it. Its batches are lent.
func (f *filler) detach() filler {
	d := *f
	d.offset += int64(f.ready)
	d.buf = slices.Concat(f.buf[f.ready:f.end], make([]byte, padding))
	d.ready, d.end = 0, f.end-f.ready
	d.huge, d.lends, d.stream.beforeRead = nil, true, nil
	return d
}

// isLong reports whether the stream is too long for one batch, as far as is known.
func (f *filler) isLong() bool { return !f.stream.isOver() && f.ready > 0 }

// fill reads until there is a complete line, a piece of a long one, or the end of the stream. It uses the given buffer,
// which includes padding, unless the text is longer.
func (f *filler) fill(chunk []byte) (batch, error) {
	f.moveTo(chunk)
	for searched := 0; ; {
		if i := LastNewline(f.buf[searched:f.end]); i >= 0 {
			f.ready = searched + i + 1
			return f.next(true), nil
		}
		searched = f.end
		switch isOver := f.stream.isOver(); {
		case isOver && f.end == 0:
			return batch{}, f.stream.last
		case isOver:
			f.ready = f.end
			return f.next(true), nil
		case f.end == len(f.buf)-padding && (f.long || !f.grow()):
			f.long, f.ready = true, f.end
			return f.next(false), nil
		}
		n, err := f.stream.read(f.buf[f.end:min(len(f.buf)-padding, f.end+f.step)])
		if err != nil {
			return batch{}, err
		}
		f.end += n
	}
}

// next returns the batch up to ready. endsLine is set if it contains the end of its first line.
func (f *filler) next(endsLine bool) batch {
	b := f.batch
	b.ended = f.stream.isOver()
	b.endsBlank = mayTrim(f.buf[:f.ready]) && f.stream.isBlankAfter(f.buf[f.ready:f.end])
	f.begun = !endsLine
	f.long = f.long && !endsLine
	return b
}

// moveTo moves the bytes behind the last batch to the front of another buffer. They came with the end of its last line,
// so they are fewer than are read at a time, and fit into a chunk.
func (f *filler) moveTo(chunk []byte) {
	f.offset += int64(f.ready)
	f.end = copy(chunk, f.buf[f.ready:f.end])
	if !f.lends {
		giveBack(f.buf)
	}
	f.buf, f.ready, f.step = chunk, 0, len(chunk)-padding
}

// grow makes room for the rest of the line that fills the buffer. It reports false for a line longer than MaxLine.
func (f *filler) grow() bool {
	want := min(spareSize, f.opts.MaxLine+1) // one byte more shows that the line is too long
	if want <= f.end {
		want = f.end + max(1, f.stream.lineRest(f.opts.MaxLine+1-f.end))
	}
	if want > f.opts.MaxLine+1 {
		return false
	}
	small := f.buf
	f.buf = f.bufferOf(want + 1 + padding) // the end of the stream is only noticed if there is room to read more
	copy(f.buf, small[:f.end])
	giveBack(small)
	return true
}

// spareRoom is the size of a buffer for lines that do not fit into a chunk.
const spareRoom = spareSize + 1 + padding

// Buffers that nobody uses are kept for the next batch, or the next stream. Many short sessions, read one after the
// other on several cores, took twice the time when each made its own.
var (
	chunks = sync.Pool{New: func() any { return new([BatchSize]byte) }}
	spares = sync.Pool{New: func() any { return new([spareRoom]byte) }}
)

// bufferOf returns a buffer for a long line.
func (f *filler) bufferOf(size int) []byte {
	if size <= spareRoom {
		return spares.Get().(*[spareRoom]byte)[:size]
	}
	if size > cap(f.huge) {
		f.huge = make([]byte, size)
	}
	return f.huge[:size]
}

// giveBack keeps a spare for other long lines. Any other buffer belongs to somebody.
func giveBack(buf []byte) {
	if cap(buf) == spareRoom {
		spares.Put((*[spareRoom]byte)(buf[:spareRoom]))
	}
}
