package jsonl

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// A stream is what a filler reads. It can be looked at ahead of the bytes that were read: a file without moving its
// position, and anything else by reading on and keeping the bytes.
type stream struct {
	src        io.Reader
	beforeRead func() error
	at         int64       // the place of the next byte, in the file if src is one
	file       io.ReaderAt // nil unless src can be read at any place
	window     []byte      // what was looked at of the file

	kept     [][]byte // pieces of keptPiece bytes, which are used again
	pos, end int      // where the bytes that are kept begin and end, counted over all pieces
	last     error    // what ended src: io.EOF or an error

	blankTo int64 // what follows is known to be white space up to this place
}

const (
	keptPiece = spareSize
	// maxBlankEnd is how many blank bytes are kept at the end of a pipe to find out that nothing else follows.
	maxBlankEnd = 64 << 10
)

// seekable is a file, or what can be read like one.
type seekable interface {
	io.ReaderAt
	io.Seeker
}

func newStream(src io.Reader, beforeRead func() error) stream {
	s := stream{src: src, beforeRead: beforeRead}
	if file, ok := src.(seekable); ok {
		if at, err := file.Seek(0, io.SeekCurrent); err == nil {
			s.file, s.at = file, at
		}
	}
	return s
}

// isOver reports whether all bytes have been read.
func (s *stream) isOver() bool { return s.last != nil && s.pos == s.end }

// read reads at least one byte, unless the stream is over or may not be read.
func (s *stream) read(p []byte) (n int, err error) {
	if s.pos == s.end {
		n, err = s.ask(p)
	}
	for n < len(p) && s.pos < s.end {
		moved := copy(p[n:], s.keptFrom(s.pos))
		n, s.pos = n+moved, s.pos+moved
	}
	if s.pos == s.end {
		s.pos, s.end = 0, 0
	}
	s.at += int64(n)
	return n, err
}

// ask reads from src once. The error says why it was not read.
func (s *stream) ask(p []byte) (n int, err error) {
	for range 100 {
		if s.beforeRead != nil {
			if err := s.beforeRead(); err != nil {
				return 0, err
			}
		}
		if n, s.last = s.src.Read(p); s.last != nil || n > 0 {
			return n, nil
		}
	}
	return 0, io.ErrNoProgress
}

// ahead returns some of the bytes that begin a distance after the next one. There are none if the stream ends before,
// or if it cannot be read, which reading will find out too.
func (s *stream) ahead(distance int) []byte {
	if s.file != nil {
		if s.window == nil {
			s.window = make([]byte, smallChunk)
		}
		n, err := s.file.ReadAt(s.window, s.at+int64(distance))
		if n > 0 || err == io.EOF {
			return s.window[:n]
		}
		s.file = nil
	}
	for s.end-s.pos <= distance && s.last == nil {
		if err := s.keep(); err != nil {
			return nil
		}
	}
	return s.keptFrom(s.pos + distance)
}

// keep reads more than was asked for.
func (s *stream) keep() error {
	if s.end == keptPiece*len(s.kept) {
		s.kept = append(s.kept, make([]byte, keptPiece))
	}
	at := s.end % keptPiece
	n, err := s.ask(s.kept[s.end/keptPiece][at:min(keptPiece, at+chunkSize)])
	s.end += n
	return err
}

// keptFrom returns the bytes that are kept from a position up to the end of their piece.
func (s *stream) keptFrom(pos int) []byte {
	if pos >= s.end {
		return nil
	}
	start := pos / keptPiece * keptPiece
	return s.kept[pos/keptPiece][pos-start : min(keptPiece, s.end-start)]
}

// lineRest returns how many of the next bytes belong to the same line, or more than a limit. The buffer of a very long
// line is made with its length: smaller ones that it outgrows would take as much memory again.
func (s *stream) lineRest(limit int) (rest int) {
	for rest <= limit {
		text := s.ahead(rest)
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			return rest + i + 1
		}
		if len(text) == 0 {
			break
		}
		rest += len(text)
	}
	return rest
}

// isBlankAfter reports whether only white space follows a text that was read last. It remembers how far it has looked,
// so that a file of blank lines is not looked at again and again.
func (s *stream) isBlankAfter(text []byte) bool {
	text = afterSpace(nil, text)
	next := max(s.at, s.blankTo)
	if next > s.at {
		text = nil
	}
	for len(text) < utf8.UTFMax {
		if s.file == nil && next-s.at > maxBlankEnd {
			return false
		}
		more := s.ahead(int(next - s.at))
		if len(more) == 0 {
			break
		}
		next += int64(len(more))
		text = afterSpace(text, more)
		s.blankTo = next - int64(len(text))
		text = bytes.Clone(text[:min(len(text), utf8.UTFMax)])
	}
	return len(text) == 0
}
