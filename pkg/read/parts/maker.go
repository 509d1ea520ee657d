package parts

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"clawctl/pkg/jsonl"
)

// flushType is the customType of the record that says that a flush prompt was delivered.
const flushType = "clawctl.flush"

// A Maker makes entries from records. The zero value is ready to use.
type Maker struct {
	// Mask, if set, returns what is shown of a record.
	Mask func(*jsonl.Record) *jsonl.Record
	// Complete, if set, adds to a part what a program keeps elsewhere.
	Complete func(*Part)

	entry  Entry
	fields []Field // of all parts of the entry

	block   jsonl.Block // the one that is being read
	kind    Kind        // of the texts in the message that is being read
	onBlock func()      // adds the block, made once

	provider, model, stop string // of the last answer; those of the next are mostly the same

	meter jsonl.Meter // of the session
}

// Entry returns the entry of a record, or nil for a blank line and for the rest of a line that is longer than the
// reader's limit.
func (m *Maker) Entry(rec *jsonl.Record) *Entry {
	if rec.Blank || rec.Continued {
		return nil
	}
	harness := rec.Harness()
	if m.Mask != nil {
		rec = m.Mask(rec)
	}
	e := &m.entry
	previous := e.ID
	*e = Entry{Record: rec, Harness: harness, Line: rec.Line, Offset: rec.Offset, Parts: e.Parts[:0]}
	m.fields = m.fields[:0]
	if !rec.Legible() {
		m.addDamage(rec)
		return e
	}
	e.ID = rec.ID()
	e.Parent = likelyText(rec.Noted(jsonl.FieldParentID), previous)
	e.Time, _ = rec.Time()
	if msg, ok := rec.Message(); ok {
		m.addMessage(msg)
	} else {
		m.setUsage(rec.Usage())
		m.addRecord(rec)
	}
	if rec.Damage != nil {
		m.addDamage(rec)
	}
	if m.Complete != nil {
		for i := range e.Parts {
			m.Complete(&e.Parts[i])
		}
	}
	return e
}

// setUsage sets what the entry adds to the usage before it. A row that repeats that of another has none.
func (m *Maker) setUsage(u jsonl.Usage, ok bool) {
	e := &m.entry
	if u.Series == "" {
		e.Usage, e.HasUsage = u, ok
		return
	}
	e.Usage = m.meter.Increase(u)
	e.HasUsage = e.Usage.Total != 0 || e.Usage.Cost != 0
}

// likelyText returns the text of a value, which probably equals another one. Then nothing is allocated.
func likelyText(v jsonl.Value, likely string) string {
	if n := len(v) - 1; n > 1 && v[0] == '"' && string(v[1:n]) == likely && strings.IndexByte(likely, '\\') < 0 {
		return likely
	}
	return v.String()
}

// add adds a part and returns it. It is valid until the next one is added.
func (m *Maker) add(kind Kind, body jsonl.Value) *Part {
	e := &m.entry
	e.Parts = append(e.Parts, Part{Kind: kind, Number: len(e.Parts), Body: body})
	return &e.Parts[len(e.Parts)-1]
}

// field adds a field to a part if there is a value. The fields of a part must be added before the next part.
func (m *Maker) field(p *Part, name string, v jsonl.Value) {
	if !v.Exists() || v.IsNull() {
		return
	}
	m.fields = append(m.fields, Field{name, v})
	n := len(m.fields)
	p.Fields = m.fields[n-len(p.Fields)-1 : n : n]
}

// maxDamaged is how much of a damaged line is its body. Written as JSON, it may become six times as long.
const maxDamaged = 1 << 20

// addDamage adds what is known about a damaged line. Its body is the beginning of the line as far as that is text.
func (m *Maker) addDamage(rec *jsonl.Record) {
	d := rec.Damage
	if d == nil { // complete JSON, but not an object
		m.add(Damage, rec.Value())
		return
	}
	var body jsonl.Value
	if !rec.Legible() {
		body = quoted(string(jsonl.Value(beginning(rec.Text(), maxDamaged)).UTF8()))
	}
	p := m.add(Damage, body)
	p.Failed = true
	m.field(p, "code", quoted(string(d.Code)))
	m.field(p, "message", quoted(d.Error()))
	m.field(p, "column", jsonl.Value(strconv.FormatInt(d.Column, 10)))
}

// beginning returns at most so many bytes of a text, and no piece of a character at their end.
func beginning(text []byte, limit int) []byte {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

func quoted(text string) jsonl.Value { return jsonl.Value(jsonl.AppendQuote(nil, text)) }
