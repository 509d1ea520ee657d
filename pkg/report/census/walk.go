package census

import (
	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext"
)

// A Kind says what is unknown.
type Kind uint8

// The kinds: the type of a record, the name of a field, or the value of an enumeration.
const (
	Type Kind = iota
	Field
	Value
)

// String returns the name that reports use.
func (k Kind) String() string { return [...]string{"type", "field", "value"}[k] }

// A Sighting is something unknown. It names no content: a name or a value that may be content is only measured.
type Sighting struct {
	Kind  Kind   `json:"-"`
	Place string `json:"place"`           // of the object that has it
	Field string `json:"field,omitempty"` // that has the value, if it is one
	Name  string `json:"name,omitempty"`  // of the type, the field or the value, if it is shown
	Bytes int    `json:"bytes,omitempty"` // of a name that is not shown
}

// A walker looks for the unknown in one line after another. It is not safe for several goroutines.
type walker struct {
	found []*Sighting
	more  int64 // that are not listed
	names nameplates
}

// newWalker returns a walker.
func newWalker() *walker { return &walker{names: nameplates{}} }

// line returns what is unknown in a record, as its program wrote it, and how much more there is than the list has. The
// list is valid until the next call.
func (w *walker) line(rec *jsonl.Record) (found []*Sighting, more int64) {
	w.found, w.more = w.found[:0], 0
	w.object(tableOf(rec.Translator())["record"], rec.Stated(), Type)
	return w.found, w.more
}

// entry is Line for the entry of an index.
func (w *walker) entry(entry jsontext.Value) (found []*Sighting, more int64) {
	w.found, w.more = w.found[:0], 0
	w.object(tableOf(nil)["index entry"], entry, Value)
	return w.found, w.more
}

// object looks at an object, or at those in a list. unknown is what it is if nobody knows its kind.
func (w *walker) object(p *place, v jsontext.Value, unknown Kind) {
	switch {
	case v.IsArray():
		for element := range v.Elements() {
			if element.IsObject() {
				w.object(p, element, unknown)
			}
		}
	case v.IsObject():
		if p = w.kindOf(p, v, unknown); p == nil {
			return
		}
		for key, value := range v.Fields() {
			w.member(p, key, value)
		}
	}
}

// kindOf returns the place of an object's kind, or nil if it is unknown. The last of a repeated key counts.
func (w *walker) kindOf(p *place, object jsontext.Value, unknown Kind) *place {
	if p.by == "" {
		return p
	}
	stated := object.Get(p.by)
	if !stated.IsString() {
		return nil // which is damage, and has a code
	}
	name := stated.Bytes()
	kind := p.kinds[string(name)]
	switch {
	case kind != nil:
	case unknown == Type:
		w.note(Type, p.name, "", name)
	default:
		w.note(Value, p.name, p.by, name)
	}
	return kind
}

// member looks at a member of an object.
func (w *walker) member(p *place, key []byte, v jsontext.Value) {
	f := p.fields[string(key)]
	switch {
	case f == nil && p.open:
	case f == nil:
		w.note(Field, p.name, "", key)
	case f.values != nil:
		w.value(p, f, string(key), v)
	case f.inside != nil:
		w.object(f.inside, v, Value)
	}
}

// value looks at the value of an enumeration. Missing and odd ones have codes.
func (w *walker) value(p *place, f *field, key string, v jsontext.Value) {
	text := []byte(v)
	switch {
	case v.IsString():
		text = v.Bytes()
	case !v.IsNumber():
		return
	}
	if len(text) > 0 && !f.values[string(text)] {
		w.note(Value, p.name, key, text)
	}
}

// mostInLine is how many sightings of a line are listed. More are counted.
const mostInLine = 1000

// note notes something unknown.
func (w *walker) note(kind Kind, in, of string, name []byte) {
	if len(w.found) >= mostInLine {
		w.more++
		return
	}
	w.found = append(w.found, w.names.sighting(kind, in, of, name))
}
