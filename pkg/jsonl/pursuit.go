package jsonl

import (
	"bytes"
	"math"
	"runtime"
	"sync/atomic"
)

// A pursuit follows a line that does not fit into a batch to its end. No batch can be located before that is known, so
// the workers that wait for their turn read pieces of the line too. Lines with images are most of the bytes of some
// transcripts.
type pursuit struct {
	file   *lookahead
	offset int64  // of the room in the stream
	room   []byte // for the line

	next    atomic.Int64 // where the next piece begins
	newline atomic.Int64 // after the first one that was found
	limit   atomic.Int64 // where the room or the file ends, or cannot be read
	readers atomic.Int64
}

const (
	longPiece   = 32 << 10 // how much of a line is read at a time; what is read behind its end is lost
	mostReaders = 4        // how many workers read pieces of a line
)

// pursue reads a line into a room, from a place on. It returns where the line ends, or 0, and where the room or the
// file ends before that.
func (f *filler) pursue(room []byte, from int) (end, limit int) {
	p := &pursuit{file: f.ahead, offset: f.position(), room: room}
	p.next.Store(int64(from))
	p.newline.Store(math.MaxInt64)
	p.limit.Store(int64(len(room)))
	f.pursuits.Store(p)
	for p.readPiece() {
	}
	f.pursuits.Store(nil)
	for p.readers.Load() > 0 {
		runtime.Gosched()
	}
	limit = int(p.limit.Load())
	if at := p.newline.Load(); at <= int64(limit) {
		end = int(at)
	}
	return end, limit
}

// join reads a piece of the line that another worker follows. It reports false if there is none to read.
func (f *filler) join() bool {
	p := f.pursuits.Load()
	return p != nil && p.readers.Load() < mostReaders && p.readPiece()
}

// readPiece reads the next piece, unless that lies behind the end. Whoever began the pursuit waits for the readers, and
// then no further piece lies before the end.
func (p *pursuit) readPiece() bool {
	p.readers.Add(1)
	defer p.readers.Add(-1)
	from := p.next.Add(longPiece) - longPiece
	if from >= min(p.newline.Load(), p.limit.Load()) {
		return false
	}
	piece := p.room[from:min(from+longPiece, int64(len(p.room)))]
	n, err := p.file.readAt(piece, p.offset+from)
	if err != nil {
		lower(&p.limit, from+int64(n))
	}
	if i := bytes.IndexByte(piece[:n], '\n'); i >= 0 {
		lower(&p.newline, from+int64(i)+1)
	}
	return true
}

// lower makes a number smaller, if it is not.
func lower(number *atomic.Int64, to int64) {
	for {
		if old := number.Load(); old <= to || number.CompareAndSwap(old, to) {
			return
		}
	}
}
