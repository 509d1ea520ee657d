package jsonl

import (
	"io"
	"sync/atomic"
)

// A filler reads a stream in batches.
type filler struct {
	src  io.Reader
	opts Options

	spare   []byte  // a larger buffer for long lines, kept for reuse
	backlog backlog // bytes that were read ahead
	buf     []byte  // of the last batch, with the bytes behind it; ends with padding
	ready   int     // the end of the last batch
	end     int     // after the last byte read
	offset  int64   // of buf[0] in the stream
	last    error   // what ended the stream: io.EOF or an error
	long    bool    // the line at ready is longer than MaxLine
	begun   bool    // a piece of that line was in a batch
	ahead   *lookahead
	// isAstray is set if a file is not at the place that is to be read next.
	isAstray bool

	// lends is set if a batch is still in use when the next one is read, so that each needs a buffer of its own.
	lends bool
	// spares are larger buffers that are no longer in use, if lends is set.
	spares chan []byte
	// pursuits has the one that other workers may join, if lends is set.
	pursuits *atomic.Pointer[pursuit]
}

// A batch is a part of a stream: complete lines, a piece of a line that is longer than MaxLine, or the last line.
type batch struct {
	buf   []byte // ends with padding
	ready int    // the end of the text
	end   int    // the end of what was read; the line behind the text is not complete
	// missing is the length of the beginning that is yet to be loaded.
	missing int
	offset  int64 // of the text in the stream
	long    bool  // the text begins with a piece of a long line
	begun   bool  // and an earlier batch has another piece of it
	ended   bool  // the stream ends with the text
	// endsBlank is set if only white space follows the text. It is only known if the text may be trimmed.
	endsBlank bool
}

func (f *filler) reset(src io.Reader, opts Options) filler {
	spare := f.spare
	if len(spare) > spareSize {
		spare = nil
	}
	return filler{src: src, opts: opts, spare: spare, offset: opts.BytesBefore, ahead: newLookahead(src)}
}

// isLong reports whether the stream is too long for one batch, as far as is known.
func (f *filler) isLong() bool { return f.last == nil && f.ready > 0 }

// fill reads until there is a complete line, a piece of a long one, or the end of the stream. It uses the given buffer,
// which includes padding, unless the text is longer.
func (f *filler) fill(chunk []byte) (batch, error) {
	f.compact(chunk)
	for searched := 0; ; {
		if i := LastNewline(f.buf[searched:f.end]); i >= 0 {
			f.ready = searched + i + 1
			return f.batch(true), nil
		}
		searched = f.end
		switch {
		case f.last != nil && f.end == 0:
			return batch{}, f.last
		case f.last != nil:
			f.ready = f.end
			return f.batch(true), nil
		case f.end == len(f.buf)-padding && (f.long || !f.grow()):
			f.long, f.ready = true, f.end
			return f.batch(false), nil
		}
		if err := f.read(); err != nil {
			return batch{}, err
		}
	}
}

// batch returns the text up to ready. endsLine is set if it contains the end of its first line.
func (f *filler) batch(endsLine bool) batch {
	b := batch{buf: f.buf, ready: f.ready, end: f.end, offset: f.offset, long: f.long, begun: f.begun}
	b.ended, b.endsBlank = f.last != nil, mayTrim(f.buf[:f.ready]) && f.endsBlank()
	f.begun = !endsLine
	f.long = f.long && !endsLine
	return b
}

// compact moves the bytes behind the last batch to the front of a buffer: to the given one if they fit.
func (f *filler) compact(chunk []byte) {
	to := f.buf
	switch rest := f.end - f.ready; {
	case rest < len(chunk)-padding:
		to = chunk
	case f.lends:
		to = f.borrow(len(f.buf))
	}
	f.offset += int64(f.ready)
	f.end = copy(to, f.buf[f.ready:f.end])
	f.buf, f.ready = to, 0
}

// grow makes room for the rest of the line that fills the buffer. It reports false for a line longer than MaxLine.
func (f *filler) grow() bool {
	want := f.lengthWanted()
	if want > f.opts.MaxLine+1 || want <= f.end {
		return false
	}
	// The end of the stream is only noticed if there is room to read more.
	need := want + 1 + padding
	full := f.buf
	if f.lends {
		f.spare = f.borrow(need)
	} else if need > len(f.spare) {
		f.spare = make([]byte, max(need, min(2*want, spareSize)))
	}
	copy(f.spare, f.buf[:f.end])
	f.buf = f.spare[:need] // the pieces of a line that is too long do not depend on earlier lines
	if f.lends && len(full) > chunkSize+padding {
		f.giveBack(full)
	}
	return true
}

// borrow returns a buffer that no batch uses.
func (f *filler) borrow(size int) []byte {
	select {
	case spare := <-f.spares:
		if len(spare) >= size {
			return spare[:size]
		}
	default:
	}
	if spare := idleSpares.take(size); spare != nil {
		return spare[:size]
	}
	return make([]byte, max(size, min(2*size, spareSize)))[:size]
}

// leaveSpares lets others use the buffers that nobody uses.
func (f *filler) leaveSpares() {
	for {
		select {
		case spare := <-f.spares:
			idleSpares.put(spare)
		default:
			return
		}
	}
}

// giveBack makes a borrowed buffer available for another batch. Few are kept, and no huge one.
func (f *filler) giveBack(buf []byte) {
	if cap(buf) > spareSize {
		return
	}
	select {
	case f.spares <- buf[:cap(buf)]:
	default:
	}
}

// lengthWanted returns how much room the line that fills the buffer needs. For a long line that is exactly its length,
// which keeps the number of copies in memory low. A buffer that is used again may be larger, which saves a search.
func (f *filler) lengthWanted() int {
	if want := 4 * f.end; want <= min(spareSize, f.opts.MaxLine/2) {
		return want
	}
	if rest, known := f.ahead.lineRest(f.offset-f.opts.BytesBefore+int64(f.end), int64(f.opts.MaxLine)); known {
		return f.end + int(max(rest, 1))
	}
	want := 2 * f.end
	if want >= f.opts.MaxLine-f.opts.MaxLine/8 {
		want = f.opts.MaxLine + 1 // one byte more shows that the line is too long
	}
	if want <= spareSize {
		return want
	}
	return f.end + max(f.readAhead(f.opts.MaxLine+1-f.end), 1)
}

// readAhead reads the rest of the line into the backlog and returns its length. It gives up if that is more than limit.
func (f *filler) readAhead(limit int) int {
	rest, ended := f.backlog.lineRest(0)
	for !ended && rest <= limit && f.backlog.last == nil {
		n, last, err := f.ask(f.backlog.room())
		if err != nil {
			break // read will return the error again
		}
		f.backlog.end += n
		f.backlog.last = last
		var more int
		more, ended = f.backlog.lineRest(rest)
		rest += more
	}
	return rest
}

// read moves at most a chunk from the backlog or the stream to the buffer. Bytes that came with an error are read
// before it is returned.
func (f *filler) read() error {
	var err error
	room := f.buf[f.end:min(len(f.buf)-padding, f.end+chunkSize)]
	var n int
	if f.backlog.isEmpty() {
		n, f.last, err = f.ask(room)
	} else {
		n, f.last = f.backlog.take(room)
	}
	f.end += n
	return err
}

// ask reads from the stream once. last is the error that ended the stream after these n bytes. err is why it was not
// read.
func (f *filler) ask(room []byte) (n int, last, err error) {
	for range 100 {
		if f.opts.BeforeRead != nil {
			if err := f.opts.BeforeRead(); err != nil {
				return 0, nil, err
			}
		}
		n, last = f.src.Read(room)
		if last != nil || n > 0 {
			return n, last, nil
		}
	}
	return 0, nil, io.ErrNoProgress
}
