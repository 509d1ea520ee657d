package jsonl

// Noted returns the value of a field of a legible record, or nil. It is Get for a key that is known in advance.
func (r *Record) Noted(f Field) Value { return r.value(f) }

// Prepare sets Options.Prepare for the records that have not been read yet.
func (r *Reader) Prepare(prepare func() func(*Record) any) {
	r.filler.opts.Prepare, r.cutter.opts.Prepare, r.cutter.prepare = prepare, prepare, prepare()
}
