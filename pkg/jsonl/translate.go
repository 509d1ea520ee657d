package jsonl

import (
	"bytes"
	"slices"

	"clawctl/pkg/dialect"
	"clawctl/pkg/jsontext"
)

// A Dialect is the form of a transcript. See dialect.Dialect.
type Dialect = dialect.Dialect

// A statedLine is a record in the eyes of detection: the line as its program wrote it, translated or not.
type statedLine struct{ rec *Record }

func (l statedLine) Type() string { return l.rec.StatedType() }
func (l statedLine) Value() Value { return l.rec.Stated() }

func (l statedLine) Get(key string) Value {
	if l.rec.program == nil {
		return l.rec.Get(key)
	}
	return l.rec.Stated().Get(key)
}

// StatedType returns the type that the line states, which is another than that of the record if it was translated.
func (r *Record) StatedType() string {
	if r.program == nil {
		return r.Type()
	}
	return lineTypes()[r.stated-1]
}

// Stated returns the line as a value, or nil if it is not legible. The record is its translation, if there is one.
func (r *Record) Stated() Value {
	if !r.Legible() {
		return nil
	}
	return Value(bytes.TrimSpace(r.Text()))
}

// An Ancestor finds the session that another one is a fork of, as its records say.
type Ancestor struct {
	Name   string // a file or an id, "" if no record has said so
	IsSure bool   // further records do not matter
}

// Take looks at a legible record. Records must come in their order.
func (a *Ancestor) Take(rec *Record) {
	switch {
	case a.IsSure:
	case rec.program != nil && rec.program.ForkedFrom != nil:
		id, more := rec.program.ForkedFrom(rec.Stated())
		if id != "" {
			a.Name = id
		}
		a.IsSure = !more
	case rec.Type() == TypeSession:
		header, _ := rec.Header()
		a.Name, a.IsSure = header.ParentSession, true
	}
}

// Translator returns the row of the program whose line was translated, or nil if the record is the line itself.
func (r *Record) Translator() *dialect.Program { return r.program }

// Harness returns the title of the program that did the work for the one whose transcript this is, if the record is
// from its session, or "".
func (r *Record) Harness() string {
	if r.program == nil || !r.program.IsJoined() {
		return ""
	}
	return r.Stated().Get("program").String()
}

// JoinedRow returns the line of the program that did the work, if the record is from its session. line is the number of
// that line if the program gives its records no ids, and 0 if it does.
func (r *Record) JoinedRow() (row Value, line int64, ok bool) {
	if r.program == nil || !r.program.IsJoined() {
		return nil, 0, false
	}
	joined := r.Stated()
	return joined.Get("row"), joined.Get("line").Int(), true
}

// CopyID returns the id that the line has in all copies of it, whatever time they have, or nil. See
// dialect.Program.CopyID.
func (r *Record) CopyID() Value {
	if r.program == nil || r.program.CopyID == nil {
		return nil
	}
	return r.program.CopyID(r.Stated())
}

// Restated returns what the line says without its time, if its program repeats lines under new times, or nil. See
// dialect.Program.Restated.
func (r *Record) Restated() (said Value, isTurn bool) {
	if r.program == nil || r.program.Restated == nil {
		return nil, false
	}
	return r.program.Restated(r.Stated())
}

// Continues reports whether the record is an answer that belongs to the one before. Only translations say so.
func (r *Record) Continues() bool { return r.program != nil && r.Get("continues").IsTrue() }

// A translator makes the forms of lines. Forms stay valid until they are forgotten.
type translator struct {
	scanner scanner
	form    formReader
	forms   []byte           // the forms that are valid
	line    jsontext.Outline // of the last line
}

// forget makes the memory of all forms available again, unless a very long line needed it.
func (t *translator) forget() {
	if t != nil && cap(t.forms) > 0 {
		t.useMemory(t.forms)
	}
}

// useMemory makes the next forms be written to other memory.
func (t *translator) useMemory(forms []byte) {
	if t == nil {
		return
	}
	if t.forms = forms[:0]; cap(forms) > spareSize {
		t.forms = nil
	}
}

// memory returns the memory of the forms since useMemory.
func (t *translator) memory() []byte {
	if t == nil {
		return nil
	}
	return t.forms
}

// translate gives the record of a line the form that a program of its type gives it. A line without one stays as it is.
func (c *cutter) translate(programs []*dialect.Program) {
	if c.translator == nil {
		c.translator = &translator{}
	}
	line := c.outline()
	for _, p := range programs {
		if c.translator.apply(c.record, line, p, c.scanner.deep) {
			return
		}
	}
}

// roomForForm is how much longer than its line a form is. One that is longer still only takes more time.
const roomForForm = 512

// apply makes a form the view of a record. It reports false if the program has none for the line. deep says that the
// line is nested so deeply that its form may be nested too deeply.
func (t *translator) apply(rec *Record, line *jsontext.Outline, p *dialect.Program, deep bool) bool {
	start := len(t.forms)
	line.Copies = line.Copies[:0]
	t.forms = slices.Grow(t.forms, len(rec.view)+roomForForm)
	t.forms = p.Translate(t.forms, rec.Type(), line)
	end := len(t.forms)
	if end == start {
		return false
	}
	if deep && !t.isWell(start) {
		t.forms = t.forms[:start]
		return false
	}
	form, f := t.forms[start:end:end], &t.form
	f.read(form, start, line, rec.parts)
	rec.view, rec.fields, rec.parts, rec.members = form, f.fields, f.parts, f.members
	rec.program, rec.stated = p, rec.known
	s := f.fields[FieldType]
	rec.known = typeTable().findIn(form, span{s.start + 1, s.end - 1})
	return true
}

// isWell reports whether the form that begins at an index is not nested too deeply.
func (t *translator) isWell(start int) bool {
	form := append(t.forms[start:], '\n')
	length := len(form)
	form = append(form, make([]byte, padding)...)
	t.scanner.marks.set(form, 0, length)
	var fields [fieldCount]span
	return t.scanner.scan(form, 0, &fields) >= 0
}
