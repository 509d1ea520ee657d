package jsonl

// A Parser turns lines that do not come from a stream into records: rows of a database, or generated lines.
type Parser struct{ reader Reader }

// Parse returns the record of one line, which must not contain a newline. number and offset are its position in
// reports. The record is valid until the next call.
func (p *Parser) Parse(line []byte, number, offset int64) *Record {
	r := &p.reader
	if need := len(line) + padding; need > len(r.buf) {
		r.buf = make([]byte, 2*need)
	}
	n := copy(r.buf, line)
	r.buf[n] = '\n'
	r.scanner.marks.set(r.buf, 0, n+1)
	r.opts.MaxLine = DefaultMaxLine
	r.pos, r.ready, r.end = 0, n, n
	r.line, r.offset = number-1, offset
	r.cutLine()
	return &r.record
}
