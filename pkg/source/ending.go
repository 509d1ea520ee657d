package source

import (
	"bytes"
	"context"
	"io"
	"time"

	"clawctl/internal/parallel"
	"clawctl/pkg/jsonl"
)

// An endReader reads the ends of texts, one after the other.
type endReader struct {
	records jsonl.Reader
	buf     []byte
}

// firstEnd is how much of the end of a file is read first for the time of its last record. Tests make it smaller.
var firstEnd int64 = 4 << 10

// ReadEnds finds out when sessions were used last, several at a time. LastUsed does that for one of them.
func ReadEnds(sessions []*Session) {
	newReader := func() *endReader { return &endReader{} }
	read := func(_ context.Context, r *endReader, i int) error {
		if s := sessions[i]; s.lastUsed == nil {
			s.lastUsed = new(s.UsedAt(r.timeOf(s)))
		}
		return nil
	}
	_ = parallel.Run(context.Background(), len(sessions), 0, newReader, read) // nothing fails or ends it
}

// timeOf returns the time of the last record of a session that has one. It is zero if no record has a time, if the text
// cannot be read twice, and for archives that would have to be decompressed.
func (r *endReader) timeOf(s *Session) time.Time {
	switch {
	case s.endTime != nil:
		return s.endTime()
	case s.open == nil:
		return time.Time{}
	}
	in, err := s.open()
	if err != nil {
		return time.Time{}
	}
	defer in.Close()
	switch file, ok := in.Reader.(io.ReaderAt); {
	case ok && in.IsPlain():
		return r.timeAtEnd(file, in.Size)
	case s.inBundle || s.Kind == Live:
		return r.lastTime(in)
	}
	return time.Time{}
}

// timeAtEnd returns the time of the last record of a file that has one. It reads a larger and larger part of the file,
// until that has a time.
func (r *endReader) timeAtEnd(file io.ReaderAt, size int64) time.Time {
	for length := firstEnd; length < size && !jsonl.BeginsOddly(file); length *= 8 {
		if int64(len(r.buf)) < length {
			r.buf = make([]byte, length)
		}
		end := r.buf[:length]
		if _, err := file.ReadAt(end, size-length); err != nil && err != io.EOF {
			return time.Time{}
		}
		_, lines, _ := bytes.Cut(end, []byte("\n"))
		if last := r.lastTime(bytes.NewReader(lines)); !last.IsZero() {
			return last
		}
	}
	return r.lastTime(io.NewSectionReader(file, 0, size))
}

// lastTime returns the time of the last record of a text that has one. What comes after an error is not read, as in
// Inspect.
func (r *endReader) lastTime(text io.Reader) time.Time {
	var last time.Time
	for rec, err := range r.records.Records(text, jsonl.Options{}) {
		if err != nil {
			break
		}
		if t, ok := rec.Time(); ok && rec.Legible() {
			last = t
		}
	}
	return last
}

// neverRead is the time at the end of what can be read only once.
func neverRead() time.Time { return time.Time{} }
