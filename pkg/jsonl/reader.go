package jsonl

import (
	"bytes"
	"io"
	"iter"
	"sync"
)

// Default limits of the reader.
const (
	DefaultMaxLine = 256 << 20
	chunkSize      = 256 << 10
	spareSize      = 4 << 20 // the largest buffer for long lines that is kept for the next stream
)

// Options change how a stream is read. The zero value reads leniently.
type Options struct {
	// Strict ends the stream with its first Damage as the error.
	Strict bool
	// MaxLine is the longest line that is held in memory. 0 means DefaultMaxLine. A longer line is damage (TooLong) and
	// is returned in pieces.
	MaxLine int
	// BeforeRead, if set, is called before every read of the stream, which may block. Its error ends the stream.
	BeforeRead func() error
	// LinesBefore and BytesBefore are the lines and bytes before a stream that is the rest of another one.
	LinesBefore, BytesBefore int64
}

// A Reader splits a stream into records. Its memory grows only with the longest line, not with the stream.
type Reader struct {
	src  io.Reader
	opts Options

	chunk   []byte  // the buffer for ordinary lines
	spare   []byte  // a larger buffer, kept for reuse
	backlog backlog // bytes that were read ahead
	buf     []byte  // chunk, or a larger buffer while a line needs it; ends with padding
	pos     int     // the next unread byte of buf
	ready   int     // buf up to here can be split into lines, or into pieces of a long line
	end     int     // after the last byte read
	last    error   // what ended the stream: io.EOF or an error
	long    bool    // the line at pos is longer than MaxLine

	offset int64 // of buf[0] in the stream
	line   int64 // lines begun
	begun  bool  // a piece of the line at pos has been returned
	sniffs bool  // the stream may begin with a byte order mark, or be UTF-16
	utf16  bool
	// unstarted is set until a line of the stream is not blank.
	unstarted bool
	ahead     *lookahead
	dialect   Dialect
	err       error // final

	scanner scanner
	record  Record
}

// NewReader returns a reader for a transcript.
func NewReader(src io.Reader, opts Options) *Reader {
	r := &Reader{}
	r.Reset(src, opts)
	return r
}

// Reset makes r read another stream and reuses its buffers.
func (r *Reader) Reset(src io.Reader, opts Options) {
	if opts.MaxLine <= 0 {
		opts.MaxLine = DefaultMaxLine
	}
	chunk, spare, marks := r.chunk, r.spare, r.scanner.marks
	if chunk == nil {
		chunk = make([]byte, chunkSize+padding)
	}
	if len(spare) > spareSize {
		spare = nil
	}
	*r = Reader{src: src, opts: opts, chunk: chunk, spare: spare, buf: chunk, sniffs: true, ahead: newLookahead(src)}
	r.scanner.marks = marks
	r.line, r.offset = opts.LinesBefore, opts.BytesBefore
	r.unstarted = r.offset == 0
}

// Dialect returns the dialect that the records read so far are in.
func (r *Reader) Dialect() Dialect { return r.dialect }

// Offset returns the number of bytes in the records read so far.
func (r *Reader) Offset() int64 { return r.offset + int64(r.pos) }

// All returns the records. A yielded error is final: the stream could not be read, or it is strict and damaged.
func (r *Reader) All() iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		for {
			rec, err := r.Next()
			if err == io.EOF || !yield(rec, err) || err != nil {
				return
			}
		}
	}
}

// Records resets r to another stream and returns its records, as All does.
func (r *Reader) Records(src io.Reader, opts Options) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		r.Reset(src, opts)
		r.All()(yield)
	}
}

// readers are reused by Records, because allocating their buffers takes longer than reading a small transcript.
var readers = sync.Pool{New: func() any { return &Reader{} }}

// Records returns the records of src, as All does. A record is valid until the next one or the end of the loop, after
// which another stream uses its reader.
func Records(src io.Reader, opts Options) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		r := readers.Get().(*Reader)
		defer readers.Put(r)
		r.Records(src, opts)(yield)
	}
}

// Next returns the next record, or io.EOF after the last.
func (r *Reader) Next() (*Record, error) {
	if r.pos >= r.ready && r.err == nil {
		r.err = r.fill()
	}
	if r.err != nil {
		return nil, r.err
	}
	if r.long {
		r.cutPiece()
	} else {
		r.cutLine()
	}
	rec := &r.record
	if rec.Damage != nil && r.opts.Strict {
		r.err = rec.Damage
		return nil, r.err
	}
	if rec.Legible() {
		r.dialect = r.dialect.refine(rec)
	}
	return rec, nil
}

// fill reads until there is a complete line, a piece of a long one, or the end of the stream.
func (r *Reader) fill() error {
	r.compact()
	for searched := 0; ; {
		if i := lastNewline(r.buf[searched:r.end]); i >= 0 {
			r.ready = searched + i + 1
			r.scanner.marks.set(r.buf, 0, r.ready)
			return nil
		}
		searched = r.end
		switch {
		case r.last != nil && r.end == 0:
			return r.last
		case r.last != nil:
			r.buf[r.end] = '\n' // the scanner stops at a newline, read or not
			r.ready = r.end
			r.scanner.marks.set(r.buf, 0, r.end+1)
			return nil
		case r.end == len(r.buf)-padding && (r.long || !r.grow()):
			r.long, r.ready = true, r.end
			return nil
		}
		if err := r.read(); err != nil {
			return err
		}
	}
}

// compact moves the unread bytes to the front of the buffer, and to the ordinary buffer if they fit.
func (r *Reader) compact() {
	to := r.buf
	if r.end-r.pos < chunkSize {
		to = r.chunk
	}
	r.offset += int64(r.pos)
	r.end = copy(to, r.buf[r.pos:r.end])
	r.buf, r.pos, r.ready = to, 0, 0
}

// grow makes room for the rest of the line that fills the buffer. It reports false for a line longer than MaxLine.
func (r *Reader) grow() bool {
	want := r.lengthWanted()
	if want > r.opts.MaxLine+1 || want <= r.end {
		return false
	}
	// The end of the stream is only noticed if there is room to read more.
	if need := want + 1 + padding; need > len(r.spare) {
		r.spare = make([]byte, max(need, min(2*want, spareSize)))
	}
	copy(r.spare, r.buf[:r.end])
	r.buf = r.spare
	return true
}

// lengthWanted returns how much room the line that fills the buffer needs. For a long line that is exactly its length,
// which keeps the number of copies in memory low.
func (r *Reader) lengthWanted() int {
	if rest, known := r.ahead.lineRest(r.offset-r.opts.BytesBefore+int64(r.end), int64(r.opts.MaxLine)); known {
		return r.end + int(max(rest, 1))
	}
	want := 2 * r.end
	if want >= r.opts.MaxLine-r.opts.MaxLine/8 {
		want = r.opts.MaxLine + 1 // one byte more shows that the line is too long
	}
	if want <= spareSize {
		return want
	}
	return r.end + max(r.readAhead(r.opts.MaxLine+1-r.end), 1)
}

// readAhead reads the rest of the line into the backlog and returns its length. It gives up if that is more than limit.
func (r *Reader) readAhead(limit int) int {
	rest, ended := r.backlog.lineRest(0)
	for !ended && rest <= limit && r.backlog.last == nil {
		n, last, err := r.ask(r.backlog.room())
		if err != nil {
			break // read will return the error again
		}
		r.backlog.end += n
		r.backlog.last = last
		var more int
		more, ended = r.backlog.lineRest(rest)
		rest += more
	}
	return rest
}

// read moves at most a chunk from the backlog or the stream to the buffer. Bytes that came with an error are read
// before it is returned.
func (r *Reader) read() (err error) {
	room := r.buf[r.end:min(len(r.buf)-padding, r.end+chunkSize)]
	var n int
	if r.backlog.isEmpty() {
		n, r.last, err = r.ask(room)
	} else {
		n, r.last = r.backlog.take(room)
	}
	r.end += n
	return err
}

// ask reads from the stream once. last is the error that ended the stream after these n bytes. err is why it was not
// read.
func (r *Reader) ask(room []byte) (n int, last, err error) {
	for range 100 {
		if r.opts.BeforeRead != nil {
			if err := r.opts.BeforeRead(); err != nil {
				return 0, nil, err
			}
		}
		n, last = r.src.Read(room)
		if last != nil || n > 0 {
			return n, last, nil
		}
	}
	return 0, nil, io.ErrNoProgress
}

// cutLine sets the record to the line at pos.
func (r *Reader) cutLine() {
	start := r.pos
	rec := r.begin(start)
	if r.sniffs && r.offset == 0 && start == 0 {
		r.utf16 = isUTF16(r.buf[:r.end])
	}
	rec.from = r.leadingSpace(start)
	newline := r.scanner.scan(r.buf, start+rec.from)
	if newline < 0 {
		newline = r.scanner.failedAt + bytes.IndexByte(r.buf[r.scanner.failedAt:], '\n')
	}
	r.pos = min(newline+1, r.ready) // a newline that was not read does not count
	rec.Raw = r.buf[start:r.pos]
	rec.to = len(rec.Raw) - len(lineEnd(rec.Raw))
	if r.scanner.failure != ok {
		if end := r.trimEnd(start, rec.from); end >= 0 {
			newline, rec.to = end, end-start
		}
	}
	rec.fields, rec.parts, rec.Repeated, rec.Surrogates = r.scanner.fields, r.scanner.parts, r.scanner.repeated,
		r.scanner.surrogates
	r.judge(rec, newline)
}

// cutPiece sets the record to the next piece of a line that is too long.
func (r *Reader) cutPiece() {
	start, continued := r.pos, r.begun
	rec := r.begin(start)
	r.pos = r.ready
	if i := bytes.IndexByte(r.buf[start:r.ready], '\n'); i >= 0 {
		r.pos, r.long = start+i+1, false
	} else if r.last != nil {
		r.long = false
	}
	r.begun = r.long
	rec.Raw = r.buf[start:r.pos]
	rec.to = len(rec.Raw) - len(lineEnd(rec.Raw))
	rec.Continued = continued
	rec.Damage = r.damage(TooLong, int64(r.opts.MaxLine), "")
}

// begin starts the record of the line, or piece, at start.
func (r *Reader) begin(start int) *Record {
	if !r.begun {
		r.line++
	}
	r.record = Record{Line: r.line, Offset: r.offset + int64(start)}
	r.begun = r.long
	return &r.record
}

// judge decides from its scan whether a line is damaged.
func (r *Reader) judge(rec *Record, newline int) {
	s, text := &r.scanner, rec.Text()
	column := int64(s.failedAt) - (rec.Offset - r.offset)
	switch {
	case r.utf16:
		rec.Damage = r.damage(WrongCoded, 0, "")
	case len(text) > r.opts.MaxLine:
		rec.Damage = r.damage(TooLong, int64(r.opts.MaxLine), "")
	case len(bytes.TrimLeft(text, " \t\r")) == 0:
		rec.Blank = true
	case s.failure == ok && !s.object:
		rec.Damage = r.damage(NotObject, 0, "")
	case s.failure == ok && s.marks.anyHigh(newline-len(text), newline) && !validUTF8(text):
		rec.Damage = r.damage(BadUTF8, int64(firstBadUTF8(rec.Raw)), "")
	case s.failure == ok:
	case s.failure == tooDeep:
		rec.Damage = r.damage(TooDeep, column, failureWords[tooDeep])
	case s.failure == unexpectedEnd && newline >= r.ready:
		rec.Damage = r.damage(TornTail, column, failureWords[unexpectedEnd])
	case len(bytes.Trim(text, "\x00 \t\r")) == 0:
		rec.Damage = r.damage(NulBytes, int64(bytes.IndexByte(text, 0)), "")
	default:
		rec.Damage = r.damage(BadJSON, column, failureWords[s.failure])
	}
}

// damage describes the damage at a byte, counted from 0, of the current line.
func (r *Reader) damage(code Code, column int64, detail string) *Damage {
	return &Damage{Code: code, Line: r.record.Line, Offset: r.record.Offset + column, Column: column + 1,
		Detail: detail}
}

// isUTF16 reports whether the text is JSON in UTF-16: every other byte of its beginning is NUL. One wrong byte is not
// enough.
func isUTF16(start []byte) bool {
	mark := bytes.HasPrefix(start, []byte("\xff\xfe")) || bytes.HasPrefix(start, []byte("\xfe\xff"))
	if mark {
		start = start[2:]
	}
	start = start[:min(len(start), 8)]
	var nul [2]int // at even and at odd positions
	for i, c := range start {
		if c == 0 {
			nul[i%2]++
		}
	}
	half := len(start) / 2
	return half >= 2 && (nul[0] == 0 && nul[1] == half || nul[1] == 0 && nul[0] >= half)
}

// lastNewline is bytes.LastIndexByte implemented with bytes.IndexByte, which is faster because it checks many bytes at
// a time.
func lastNewline(b []byte) int {
	const block = 4 << 10
	for end := len(b); end > 0; end -= min(end, block) {
		start := max(0, end-block)
		last := -1
		for i := start; i < end; {
			n := bytes.IndexByte(b[i:end], '\n')
			if n < 0 {
				break
			}
			last = i + n
			i = last + 1
		}
		if last >= 0 {
			return last
		}
	}
	return -1
}

// lineEnd returns the line end of a line: "\n", "\r\n" or nothing.
func lineEnd(line []byte) []byte {
	switch {
	case bytes.HasSuffix(line, []byte("\r\n")):
		return line[len(line)-2:]
	case bytes.HasSuffix(line, []byte("\n")):
		return line[len(line)-1:]
	}
	return nil
}
