package jsonl

// A Parser makes records of lines that do not come from a stream: rows of a database, or lines just composed.
type Parser struct{ reader Reader }

// Parse returns the record of one line, without a newline inside. number and offset are the place to report it at. The
// record is valid until the next call.
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
