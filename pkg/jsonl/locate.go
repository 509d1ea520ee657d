package jsonl

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// Copying a file into memory takes a third of the time of checking it, so the workers of a pipeline do not wait for
// each other while they read one. In turn, a worker only locates its batch: it reads the last bytes that its buffer has
// room for, and finds the end of a line there, or follows a long line to its end. It loads what comes before while the
// next worker has its turn. Pipes, huge lines and the end of a file are read in turn.

// advance returns the next batch: one that is yet to be loaded, if possible.
func (f *filler) advance(chunk []byte) (batch, error) {
	if b, ok := f.locate(chunk); ok {
		return b, nil
	}
	if f.isAstray {
		f.isAstray = false
		if err := f.ahead.seek(f.position()); err != nil {
			return batch{}, err
		}
	}
	return f.fill(chunk)
}

// locate returns the next batch of a file, of which only the end has been read. ok is false if more must be known than
// the place of the batch.
func (f *filler) locate(chunk []byte) (b batch, ok bool) {
	if f.ahead == nil || f.last != nil || f.long || !f.backlog.isEmpty() {
		return batch{}, false
	}
	f.moveTo(f.offset + int64(f.ready))
	if b, ok = f.locateEnd(chunk); ok {
		f.moveTo(b.offset + int64(b.ready))
	}
	return b, ok
}

// moveTo makes a file be read from another place. What an earlier fill read behind its batch is forgotten, because it
// may be in a buffer that is used again.
func (f *filler) moveTo(offset int64) {
	f.buf, f.ready, f.end, f.offset, f.isAstray = nil, 0, 0, offset, true
}

// locateEnd finds the end of the next batch: of the last line that the buffer has room for, or of the first one that
// has no room in it.
func (f *filler) locateEnd(chunk []byte) (batch, bool) {
	text := chunk[:len(chunk)-padding]
	b := batch{buf: chunk, offset: f.offset}
	b.missing, b.ready = f.ahead.lastLineEnd(f.position(), text)
	if b.ready == 0 && !f.locateLong(&b, len(text)) {
		return batch{}, false
	}
	b.end = b.ready
	return b, endsPlainly(b.buf[b.missing:b.ready])
}

// firstLong is the least room for a line that does not fit into a batch, until its length is known.
const firstLong = 1 << 20

// locateLong finds the end of the line that goes on after a text of some length, and makes room for it. What it reads
// on the way stays in the batch.
func (f *filler) locateLong(b *batch, length int) bool {
	b.missing = max(0, length-2*utf8.UTFMax)
	most := min(largeBatch, f.opts.MaxLine) + padding
	b.buf = f.borrowUpTo(min(firstLong+padding, most), most)
	for from := b.missing; ; {
		end, limit := f.pursue(b.buf[:len(b.buf)-padding], from)
		if end > 0 {
			b.ready, b.buf = end, b.buf[:end+padding]
			return true
		}
		if limit < len(b.buf)-padding || len(b.buf) == most {
			f.giveBack(b.buf)
			return false
		}
		from = limit
		b.buf = f.enlarge(b.buf, min(2*len(b.buf), most))
	}
}

// borrowUpTo returns a buffer that no batch uses, with all the room that it has, up to a size.
func (f *filler) borrowUpTo(least, most int) []byte {
	buf := f.borrow(least)
	return buf[:min(cap(buf), most)]
}

// enlarge moves a text to a larger buffer.
func (f *filler) enlarge(buf []byte, size int) []byte {
	larger := f.borrow(size)
	copy(larger, buf)
	f.giveBack(buf)
	return larger
}

// endsPlainly reports whether a text, of which these are the last bytes, ends with a line, and with nothing that might
// be trimmed.
func endsPlainly(last []byte) bool {
	line := bytes.TrimRight(last, " \t\r\n")
	return last[len(last)-1] == '\n' && len(line) >= utf8.UTFMax && !mayTrim(line)
}

// position returns where the text after the last batch is, counted from the beginning of the reading.
func (f *filler) position() int64 { return f.offset + int64(f.ready) - f.opts.BytesBefore }

// load reads what is missing of a batch. last is why it is shorter now, if it is.
func (f *filler) load(b *batch) error {
	var last error
	missing := b.buf[:b.missing]
	b.missing = 0
	n, err := f.ahead.readAt(missing, b.offset-f.opts.BytesBefore)
	if n < len(missing) {
		b.ready, b.end, b.ended, last = n, n, true, err
		b.endsBlank = err == io.EOF && mayTrim(b.buf[:n])
	}
	return last
}

// The end of a batch is looked for in the last part of its buffer: first in a small one, then in larger ones.
const (
	firstSearch  = 64 // a 64th of the buffer
	widestSearch = 4  // a quarter
)

// lastLineEnd reads the last bytes of a text that begins at offset and fills buf, to find the last end of a line in it.
// It returns where the bytes begin and where the line ends. end is 0 if there is none, or if the file ends before.
func (l *lookahead) lastLineEnd(offset int64, buf []byte) (from, end int) {
	from = len(buf)
	for part := firstSearch; part >= widestSearch; part /= 4 {
		start := len(buf) - len(buf)/part
		if n, _ := l.readAt(buf[start:from], offset+int64(start)); n < from-start {
			return 0, 0
		}
		if i := LastNewline(buf[start:from]); i >= 0 {
			return start, start + i + 1
		}
		from = start
	}
	return 0, 0
}

// readAt reads a part of the stream. It returns an error only if that is not complete.
func (l *lookahead) readAt(p []byte, offset int64) (int, error) {
	n, err := l.src.ReadAt(p, l.base+offset)
	if n == len(p) {
		err = nil
	}
	return n, err
}

// seek makes the file be read from another place.
func (l *lookahead) seek(offset int64) error {
	_, err := l.src.Seek(l.base+offset, io.SeekStart)
	return err
}
