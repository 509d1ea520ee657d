package source

import (
	"bytes"
	"context"
	"io"
	"time"

	"clawctl/internal/parallel"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext"
)

// An endReader reads the ends of texts, one after the other.
type endReader struct {
	records jsonl.Reader
	parser  jsonl.Parser
	buf     []byte
	line    []byte // a long one without the middle of its data
}

// firstEnd is how much of the end of a file is read first for the time of its last record. Lines up to copiedLine are
// read backward, and those up to longestLine where the system keeps them, if it can. Tests make them smaller.
var firstEnd, copiedLine, longestLine int64 = 4 << 10, 64 << 10, 4 << 20

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
	file := in.plainFile()
	switch {
	case file != nil:
		return r.timeAtEnd(in, file)
	case s.inBundle || s.Kind == Live:
		return r.lastTime(in)
	}
	return time.Time{}
}

// readEnd notes the time of the last record of a session whose file is open, unless it would have to be decompressed.
func (r *endReader) readEnd(s *Session, text io.Reader) {
	in, ok := text.(*Input)
	if r == nil || !ok || s.endTime != nil {
		return
	}
	if file := in.plainFile(); file != nil {
		last := r.timeAtEnd(in, file)
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

// timeAtEnd returns the time of the last record of a file that has one. Usually that is the last line, so that no other
// is read. If not, it reads a larger and larger part of the file, until that has a time.
func (r *endReader) timeAtEnd(in *Input, file io.ReaderAt) time.Time {
	size := in.Size
	if jsonl.BeginsOddly(file) {
		return r.lastTime(io.NewSectionReader(file, 0, size))
	}
	if rec := r.lastRecord(in, file); rec != nil && rec.Legible() {
		if last, ok := rec.Time(); ok {
			return last
		}
	}
	for length := firstEnd; length < size; length *= 8 {
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

// lastRecord returns the record of the last line that is not blank, or nil if that is very long or cannot be read. Some
// sessions end with an image, and copying those took a tenth of the time of a search.
func (r *endReader) lastRecord(in *Input, file io.ReaderAt) *jsonl.Record {
	if line := r.lastLine(file, in.Size, copiedLine); line != nil {
		return r.parser.Parse(line, 1, 0)
	}
	length := min(in.Size, longestLine)
	view, err := in.Map(in.Size-length, int(length))
	if err != nil {
		return r.parser.Parse(r.lastLine(file, in.Size, longestLine), 1, 0)
	}
	defer view.Close()
	found := false
	whole := view.Look(func() {
		text := trimEnd(view.Bytes)
		start, data := lastStart(text)
		if found = start > 0 || length == in.Size; found {
			r.copyLine(text, start, data)
		}
	})
	if !found || !whole {
		return nil
	}
	return r.parser.Parse(r.line, 1, 0)
}

// A span is a part of a text.
type span struct{ start, end int }

// dataBlock is how much of a line is looked at together for data in base64.
const dataBlock = 4 << 10

// lastStart returns where the last line of a text begins, and the longest row of blocks in it that are all base64.
func lastStart(text []byte) (start int, data span) {
	row := len(text) // where the blocks at hand end that are base64
	for end := len(text); end > 0; {
		begin := max(0, end-dataBlock)
		block := text[begin:end]
		if jsontext.DataRun(block) == len(block) {
			if row-begin > data.end-data.start {
				data = span{begin, row}
			}
		} else {
			if at := jsonl.LastNewline(block); at >= 0 {
				return begin + at + 1, data
			}
			row = begin
		}
		end = begin
	}
	return 0, data
}

// copyLine copies a line, without the middle of the data in it. That changes neither its time nor whether it can be
// read: if the data is not in a string and no number, what is left of it is damage as well.
func (r *endReader) copyLine(text []byte, start int, data span) {
	head, tail := data.start+dataBlock, data.end-dataBlock
	if head >= tail || len(bytes.Trim(text[data.start:head], "0123456789+eE")) == 0 {
		head, tail = start, start
	}
	r.line = append(append(r.line[:0], text[start:head]...), text[tail:]...)
}

// lastLine returns the last line of a file that is not blank, or nil if it is longer than longest or cannot be read.
// The file is read backward, and what was read stays at the end of the buffer.
func (r *endReader) lastLine(file io.ReaderAt, size, longest int64) []byte {
	for have, length := int64(0), min(firstEnd, size); length <= longest; length = min(2*length, size) {
		if int64(len(r.buf)) < length {
			r.buf = append(make([]byte, 2*length-have), r.buf[int64(len(r.buf))-have:]...)
		}
		end := r.buf[int64(len(r.buf))-length:]
		if n, _ := file.ReadAt(end[:length-have], size-length); int64(n) < length-have {
			return nil
		}
		text := trimEnd(end)
		if at := jsonl.LastNewline(text[:min(int64(len(text)), length-have)]); at >= 0 || length == size {
			return text[at+1:]
		}
		have = length
	}
	return nil
}

// trimEnd returns a text without the blank lines at its end.
func trimEnd(text []byte) []byte { return bytes.TrimRight(text, " \t\r\n") }

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
