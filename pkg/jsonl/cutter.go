package jsonl

import (
	"bytes"

	"clawctl/internal/failure"
	"clawctl/pkg/jsontext"
)

// A cutter cuts batches into records.
type cutter struct {
	batch // long and begun say so of the line at pos
	opts  Options
	pos   int // the next unread byte of buf

	line   int64 // lines begun
	sniffs bool  // the stream may begin with a byte order mark, or be UTF-16
	utf16  bool
	// unstarted is set until a line of the stream is not blank.
	unstarted bool
	record    *Record // the one that is being cut
	prepare   func(*Record) any

	scanner    scanner
	translator *translator // nil until a line is translated
}

func (c *cutter) reset(opts Options) cutter {
	var prepare func(*Record) any
	if opts.Prepare != nil {
		prepare = opts.Prepare()
	}
	record := c.record
	if record == nil {
		record = &Record{}
	}
	record.Prepared = nil // made by another function
	return cutter{
		opts: opts, record: record, line: opts.LinesBefore, sniffs: true, unstarted: opts.BytesBefore == 0, prepare: prepare,
		scanner: scanner{marks: c.scanner.marks}, translator: c.translator,
	}
}

// take makes a batch the current one, and prepares it for the scanner.
func (c *cutter) take(b batch) {
	c.batch, c.pos = b, 0
	if c.buf[c.ready-1] != '\n' {
		c.buf[c.ready] = '\n' // the scanner stops at a newline, read or not
	}
	c.scanner.marks.set(c.buf, 0, c.ready+1)
}

// isDone reports whether all records of the batch have been returned.
func (c *cutter) isDone() bool { return c.pos >= c.ready }

// next returns the next record of the batch.
func (c *cutter) next() *Record {
	if c.long {
		c.cutPiece()
	} else {
		c.cutLine()
	}
	if programs := translators()[c.record.known]; programs != nil && !c.opts.Verbatim && c.record.Legible() {
		c.translate(programs)
	}
	if c.prepare != nil {
		c.record.Prepared = c.prepare(c.record)
	}
	return c.record
}

// cutLine sets the record to the line at pos.
func (c *cutter) cutLine() {
	start := c.pos
	rec := c.begin(start)
	if c.sniffs && c.offset == 0 && start == 0 {
		c.utf16 = isUTF16(c.buf[:c.end])
	}
	rec.from = c.leadingSpace(start)
	newline := c.scanner.scan(c.buf, start+rec.from, &rec.fields)
	if newline < 0 {
		newline = c.scanner.failedAt + bytes.IndexByte(c.buf[c.scanner.failedAt:], '\n')
	}
	c.pos = min(newline+1, c.ready) // a newline that was not read does not count
	rec.Raw = c.buf[start:c.pos]
	rec.to = len(rec.Raw) - len(lineEnd(rec.Raw))
	if c.scanner.failure != ok {
		if end := c.trimEnd(start, rec.from); end >= 0 {
			newline, rec.to = end, end-start
		}
	}
	rec.parts, rec.Repeated, rec.Surrogates = c.scanner.parts, c.scanner.repeated, c.scanner.surrogates
	rec.view = rec.Text()
	if s := rec.fields[FieldType]; s.end > s.start+1 && rec.Raw[rec.from+int(s.start)] == '"' {
		text := start + rec.from
		rec.known = typeTable().findAt(c.buf, text+int(s.start)+1, text+int(s.end)-1)
	}
	c.judge(rec, newline)
}

// cutPiece sets the record to the next piece of a line that is too long.
func (c *cutter) cutPiece() {
	start, continued := c.pos, c.begun
	rec := c.begin(start)
	c.pos = c.ready
	if i := bytes.IndexByte(c.buf[start:c.ready], '\n'); i >= 0 {
		c.pos, c.long = start+i+1, false
	} else if c.ended {
		c.long = false
	}
	c.begun = c.long
	rec.Raw = c.buf[start:c.pos]
	rec.to = len(rec.Raw) - len(lineEnd(rec.Raw))
	rec.Continued = continued
	rec.Damage = c.damage(TooLong, int64(c.opts.MaxLine), "")
}

// begin starts the record of the line, or piece, at start.
func (c *cutter) begin(start int) *Record {
	if !c.begun {
		c.line++
	}
	*c.record = Record{Line: c.line, Offset: c.offset + int64(start), Prepared: c.record.Prepared}
	c.begun = c.long
	return c.record
}

// judge decides from its scan whether a line is damaged.
func (c *cutter) judge(rec *Record, newline int) {
	s, text := &c.scanner, rec.Text()
	column := int64(s.failedAt) - (rec.Offset - c.offset)
	switch {
	case c.utf16:
		rec.Damage = c.damage(WrongCoded, 0, "")
	case len(text) > c.opts.MaxLine:
		rec.Damage = c.damage(TooLong, int64(c.opts.MaxLine), "")
	case len(bytes.TrimLeft(text, " \t\r")) == 0:
		rec.Blank = true
	case s.failure == ok && !s.object:
		rec.Damage = c.damage(NotObject, 0, "")
	case s.failure == ok && s.marks.anyHigh(newline-len(text), newline) && !jsontext.ValidUTF8(text):
		rec.Damage = c.damage(BadUTF8, int64(jsontext.FirstBadUTF8(rec.Raw)), "")
	case s.failure == ok:
	case s.failure == tooDeep:
		rec.Damage = c.damage(TooDeep, column, failureWords[tooDeep])
	case s.failure == unexpectedEnd && newline >= c.ready:
		rec.Damage = c.damage(TornTail, column, failureWords[unexpectedEnd])
	case len(bytes.Trim(text, "\x00 \t\r")) == 0:
		rec.Damage = c.damage(NulBytes, int64(bytes.IndexByte(text, 0)), "")
	default:
		rec.Damage = c.damage(BadJSON, column, failureWords[s.failure])
	}
}

// damage describes the damage at a byte, counted from 0, of the current line.
func (c *cutter) damage(code failure.Code, column int64, detail string) *Damage {
	return &Damage{Code: code, Line: c.record.Line, Offset: c.record.Offset + column, Column: column + 1,
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
