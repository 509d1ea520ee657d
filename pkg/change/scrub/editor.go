package scrub

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"

	"clawctl/pkg/change/redact"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/source/packed"
)

// An editor removes values from texts. What it makes of a line depends on the line, and on whether a value is before it
// in the same text: then the line loses the checkpoint of a provider, which may hold the value.
type editor struct {
	tracer *tracer
	eraser *redact.Eraser
	err    error // what is wrong with a record that was edited
}

// newEditor returns an editor for values.
func newEditor(values []Value) *editor {
	return &editor{tracer: newTracer(values), eraser: redact.NewEraser()}
}

// counts says what was removed so far.
func (e *editor) counts() *redact.Counts { return e.eraser.Counts() }

// Has reports whether a text has one of the values.
func (e *editor) Has(text []byte) bool { return e.tracer.has(text) }

// spans returns where a text has values, with the numbers of their placeholders.
func (t *tracer) spans(text []byte) (list []redact.Span) {
	for _, trace := range t.find(text) {
		list = append(list, redact.Span{Start: trace.Start, End: trace.End, Number: trace.Value + 1})
	}
	return list
}

// Depends reports whether a line without a value changes if the session has a value before it.
func (e *editor) Depends(line []byte) bool {
	return redact.HasCheckpoint(new(jsonl.Parser).Parse(line, 1, 0))
}

// Record edits the JSON text of a record that has a value, or comes after one.
func (e *editor) Record(text []byte) []byte { return e.record(new(jsonl.Parser).Parse(text, 1, 0)) }

// record returns the text of a record without its checkpoint and without values.
func (e *editor) record(rec *jsonl.Record) []byte { return e.json(e.eraser.WithoutCheckpoint(rec)) }

// json edits a JSON text.
func (e *editor) json(text []byte) []byte {
	if !e.Has(text) {
		return text
	}
	kept := e.counts().TotalKept()
	edited := e.eraser.JSON(text, e.tracer.spans, false)
	e.check(text, edited, e.counts().TotalKept()-kept)
	return edited
}

// check checks that a JSON text says the same as before without the values. Some may be left in names.
func (e *editor) check(before, after []byte, kept int) {
	err := sameJSON(before, after, e.tracer)
	if left := len(e.tracer.find(after)); err == nil && left > kept {
		err = fmt.Errorf("has %d traces of the values left", left-kept)
	}
	e.err = cmp.Or(e.err, err)
}

// Err returns what is wrong with the first record that could not be edited properly.
func (e *editor) Err() error { return e.err }

// Metadata edits the JSON text that describes a session.
func (e *editor) Metadata(text []byte) []byte { return e.json(text) }

// index edits a JSON text whose keys are names of sessions.
func (e *editor) index(text []byte) []byte {
	if !e.Has(text) {
		return text
	}
	return e.eraser.JSON(text, e.tracer.spans, true)
}

// Line edits a line that has a value, or comes after one, with its line end.
func (e *editor) Line(raw []byte) []byte {
	var edited []byte
	for rec, err := range jsonl.Records(bytes.NewReader(raw), jsonl.Options{}) {
		if err != nil {
			return e.line(raw)
		}
		edited = append(edited, e.edit(rec)...)
	}
	return edited
}

// edit edits a record that has a value or comes after one, or what is not a record.
func (e *editor) edit(rec *jsonl.Record) []byte {
	if !rec.Legible() {
		return e.line(rec.Raw)
	}
	text := rec.Text()
	at := len(rec.Raw) - len(rec.LineEnd()) - len(text)
	return slices.Concat(rec.Raw[:at], e.record(rec), rec.Raw[at+len(text):])
}

// line edits a text that is no JSON.
func (e *editor) line(text []byte) []byte { return e.eraser.Text(text, e.tracer.spans(text)) }

// Text edits a text of lines.
func (e *editor) Text(w io.Writer, in io.Reader) error {
	out := bufio.NewWriterSize(w, 1<<16)
	isAfter := false
	for rec, err := range jsonl.Records(in, jsonl.Options{}) {
		if err != nil {
			return err
		}
		line := rec.Raw
		if isAfter = isAfter || e.Has(line); isAfter {
			line = e.edit(rec)
		}
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return out.Flush()
}

// Packed edits a compressed text, and compresses it again. It writes nothing if the text has no value.
func (e *editor) Packed(w io.Writer, in io.Reader) (changed bool, err error) {
	data, err := io.ReadAll(in)
	if err != nil {
		return false, err
	}
	text, err := source.Wrap(bytes.NewReader(data), "")
	if err != nil {
		return false, err
	}
	defer text.Close()
	if has, err := hasIn(text, e.tracer); err != nil || !has {
		return false, err
	}
	return true, e.pack(w, data)
}

// pack edits a compressed text in any case.
func (e *editor) pack(w io.Writer, data []byte) error {
	text, err := source.Wrap(bytes.NewReader(data), "")
	if err != nil {
		return err
	}
	defer text.Close()
	out, err := packed.NewWriter(w, data)
	if err != nil {
		return err
	}
	if err := e.Text(out, text); err != nil {
		return err
	}
	return out.Close()
}
