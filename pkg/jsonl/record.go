package jsonl

import (
	"bytes"
	"slices"
	"time"

	"clawctl/pkg/dialect"
)

// A Record is one line of a transcript. It shares the reader's buffer and is valid until the next one is read.
// [Record.Clone] returns a copy that stays valid.
type Record struct {
	Line   int64   // 1-based
	Offset int64   // of the first byte of Raw in the stream
	Raw    []byte  // the verbatim bytes, with the line end if there is one
	Damage *Damage // nil if the line is intact

	// Blank is set for a line that consists of white space.
	Blank bool
	// Continued is set for every piece but the first of a line longer than the reader's limit.
	Continued bool

	// Repeated is set if a known key occurs twice in the record or its message.
	Repeated bool
	// Surrogates is set if an escape encodes a surrogate, which may lack its other half.
	Surrogates bool

	// Prepared is what Options.Prepare made of the record, or nil.
	Prepared any

	from, to int              // the JSON text in Raw, after a byte order mark and before the line end with its white space
	view     []byte           // what the fields point into: the JSON text of the line, or its translation
	program  *dialect.Program // whose line was translated, or nil
	stated   field            // the type that a translated line states, as in known
	known    field            // the index of its type in lineTypes, plus one, or 0
	fields   [fieldCount]span
	parts    []blockMember // of the blocks of its message
	members  []blockMember // of a translation
}

// Clone returns a copy that does not share the reader's buffer.
func (r *Record) Clone() *Record {
	c := *r
	c.Raw, c.parts, c.members = slices.Clone(r.Raw), slices.Clone(r.parts), slices.Clone(r.members)
	if c.view = c.Text(); r.program != nil {
		c.view = slices.Clone(r.view)
	}
	return &c
}

// Legible reports whether the record can be read: a JSON object, even if some of its strings are not UTF-8.
func (r *Record) Legible() bool { return !r.Blank && (r.Damage == nil || r.Damage.legible()) }

// Text returns the JSON text of the line, without a byte order mark and the line end.
func (r *Record) Text() []byte { return r.Raw[r.from:r.to] }

// LineEnd returns the line end: "\n", "\r\n", or "" at the end of the stream. The last line may have white space before
// it that JSON does not allow.
func (r *Record) LineEnd() string { return string(r.Raw[r.to:]) }

// value returns the value that the scan noted for a field, or nil.
func (r *Record) value(f field) Value {
	s := r.fields[f]
	if s.end == 0 {
		return nil
	}
	return Value(r.view[s.start:s.end:s.end])
}

// Type returns the record's type, or "".
func (r *Record) Type() string {
	if r.known > 0 {
		return lineTypes()[r.known-1]
	}
	return r.value(FieldType).String()
}

// ID returns the record's id, or "".
func (r *Record) ID() string { return r.value(FieldID).String() }

// ParentID returns the record's parent. ok is false if the key is missing or neither a string nor null. A null parent
// is "" and true.
func (r *Record) ParentID() (id string, ok bool) {
	v := r.value(FieldParentID)
	return v.String(), v.IsString() || v.IsNull()
}

// Role returns the role of the record's message, or "".
func (r *Record) Role() string { return roleName(r.value(FieldRole)) }

// Time returns the time of the record: its timestamp, claw0's ts or created, or otherwise that of its message.
func (r *Record) Time() (time.Time, bool) {
	for _, f := range [...]field{FieldTimestamp, fieldTS, fieldCreated, fieldMsgTimestamp} {
		if t, ok := ParseTime(r.value(f)); ok {
			return t, true
		}
	}
	return time.Time{}, false
}

// Value returns the complete record as a value, or nil if it is not legible.
func (r *Record) Value() Value {
	if !r.Legible() {
		return nil
	}
	return Value(bytes.TrimSpace(r.view))
}

// Get returns the value of a key of the record, or nil if there is none. Fields that the reader noted cost nothing.
func (r *Record) Get(key string) Value {
	if f := recordFields().find([]byte(key)); f != noField && r.Legible() {
		return r.value(f)
	}
	if len(r.members) == 0 {
		return r.Value().Get(key)
	}
	for _, m := range r.members {
		if string(r.view[m.key.start:m.key.end]) == key {
			return Value(r.view[m.value.start:m.value.end:m.value.end])
		}
	}
	return nil
}
