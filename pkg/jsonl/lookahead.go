package jsonl

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// A lookahead finds the end of a line in a file without moving the file's position or keeping the bytes. Pipes and
// compressed streams have a nil lookahead, which finds nothing.
type lookahead struct {
	src  seekable
	base int64 // where the stream begins in the file
	buf  []byte

	blankFrom, blankTo int64 // white space that was found
	blankIsLast        bool  // nothing follows it
}

// seekable is a file, or what can be read like one.
type seekable interface {
	io.ReaderAt
	io.Seeker
}

func newLookahead(src io.Reader) *lookahead {
	file, ok := src.(seekable)
	if !ok {
		return nil
	}
	base, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil
	}
	return &lookahead{src: file, base: base}
}

// lineRest returns the number of bytes from offset to the end of its line, including the newline. If the line is longer
// than limit, it stops and returns more than limit.
func (l *lookahead) lineRest(offset, limit int64) (int64, bool) {
	if l == nil {
		return 0, false
	}
	l.makeRoom()
	for rest := int64(0); ; {
		n, err := l.src.ReadAt(l.buf, l.base+offset+rest)
		if i := bytes.IndexByte(l.buf[:n], '\n'); i >= 0 {
			return rest + int64(i) + 1, true
		}
		rest += int64(n)
		if err != nil {
			return rest, err == io.EOF
		}
		if rest > limit {
			return rest, true
		}
	}
}

// endsBlank reports whether only white space follows an offset. It remembers what it has read, so that a file of blank
// lines is read only once.
func (l *lookahead) endsBlank(offset int64) bool {
	if l.blankFrom <= offset && offset < l.blankTo {
		return l.blankIsLast
	}
	l.makeRoom()
	l.blankFrom, l.blankTo, l.blankIsLast = offset, offset, false
	for text := []byte(nil); ; {
		n, err := l.src.ReadAt(l.buf, l.base+l.blankTo)
		text = afterSpace(text, l.buf[:n])
		l.blankTo += int64(n)
		if err != nil || len(text) >= utf8.UTFMax {
			l.blankTo -= int64(len(text))
			l.blankIsLast = err == io.EOF && len(text) == 0
			return l.blankIsLast
		}
		text = bytes.Clone(text)
	}
}

func (l *lookahead) makeRoom() {
	if l.buf == nil {
		l.buf = make([]byte, smallChunk)
	}
}
