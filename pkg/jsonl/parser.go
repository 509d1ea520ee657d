package jsonl

// A Parser turns lines that do not come from a stream into records: rows of a database, or generated lines.
type Parser struct {
	// Verbatim reads lines as they are, without translating them. It is for records that are about to be written, and
	// for JSON that is not from a transcript.
	Verbatim bool

	cutter cutter
}

// Parse returns the record of one line, which must not contain a newline. number and offset are its position in
// reports. The record is valid until the next call.
func (p *Parser) Parse(line []byte, number, offset int64) *Record {
	c := &p.cutter
	if c.record == nil {
		c.record = &Record{}
	}
	if need := len(line) + padding; need > len(c.buf) || len(c.buf) > spareSize {
		c.buf = make([]byte, max(need, min(2*need, spareSize))) // the buffer of a very long line is not kept
	}
	n := copy(c.buf, line)
	c.buf[n] = '\n'
	c.scanner.marks.set(c.buf, 0, n+1)
	c.opts.MaxLine = DefaultMaxLine
	c.pos, c.ready, c.end = 0, n, n
	c.line, c.offset = number-1, offset
	c.translator.forget()
	c.cutLine()
	if programs := translators()[c.record.known]; programs != nil && !p.Verbatim && c.record.Legible() {
		c.translate(programs)
	}
	return c.record
}

// Rewrite returns a record with another text in its place: the same line, offset, damage and program, and other words.
// The text is that of the record's value, or of a line that is not legible. The record is valid until the next call.
func (p *Parser) Rewrite(rec *Record, text []byte) *Record {
	if !rec.Legible() {
		c := *rec
		c.Raw, c.from, c.to, c.view = text, 0, len(text), text
		return &c
	}
	p.Verbatim = true
	c := p.Parse(text, rec.Line, rec.Offset)
	c.program, c.stated = rec.program, rec.stated
	if rec.Damage != nil {
		c.Damage = rec.Damage
	}
	return c
}
