package source

import (
	"context"
	"io"
	"time"

	"clawctl/internal/parallel"
	"clawctl/pkg/jsonl"
)

// noState is for workers that share nothing from one session to the next.
func noState() any { return nil }

// ReadEnds finds out when sessions were used last, several at a time. LastUsed does that for one of them.
func ReadEnds(sessions []*Session) {
	read := func(_ context.Context, _ any, i int) error {
		if s := sessions[i]; s.lastUsed == nil {
			s.lastUsed = new(s.UsedAt(s.lastTime()))
		}
		return nil
	}
	_ = parallel.Run(context.Background(), len(sessions), 0, noState, read) // nothing fails or ends it
}

// lastTime returns the time of the last record of a session that has one. It is zero if no record has a time, if the
// text cannot be read twice, and for archives that would have to be decompressed.
func (s *Session) lastTime() time.Time {
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
	file := in.plainFile()
	switch {
	case file != nil:
		return timeAtEnd(file, in.Size)
	case s.inBundle || s.Kind == Live:
		return lastTimeIn(in)
	}
	return time.Time{}
}

// readEnd notes the time of the last record of a session whose file is open, unless it would have to be decompressed.
func (s *Session) readEnd(text io.Reader) {
	in, ok := text.(*Input)
	if !ok || s.endTime != nil {
		return
	}
	if file := in.plainFile(); file != nil {
		last := timeAtEnd(file, in.Size)
		s.endTime = func() time.Time { return last }
	}
}

// plainFile returns the file with the text as it is, or nil.
func (in *Input) plainFile() io.ReaderAt {
	if file, ok := in.Reader.(io.ReaderAt); ok && in.IsPlain() {
		return file
	}
	return nil
}

// timeAtEnd returns the time of the last record of a file that has one. It reads a larger and larger end of the file,
// until that has a time.
func timeAtEnd(file io.ReaderAt, size int64) time.Time {
	isOdd := jsonl.BeginsOddly(file)
	for start, err := range jsonl.Ends(file, size) {
		if err != nil {
			break
		}
		if isOdd {
			start = 0
		}
		if last := lastTimeIn(io.NewSectionReader(file, start, size-start)); isOdd || !last.IsZero() {
			return last
		}
	}
	return time.Time{}
}

// lastTimeIn returns the time of the last record of a text that has one. What comes after an error is not read, as in
// Inspect.
func lastTimeIn(text io.Reader) time.Time {
	var last time.Time
	for rec, err := range jsonl.Records(text, jsonl.Options{}) {
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
