package jsonl

import (
	"bytes"
	"slices"
	"strconv"
	"time"

	"github.com/tidwall/gjson"
)

// A Record is one line of a transcript. It shares the reader's buffer: it is valid until the next one is read, and
// [Record.Clone] keeps it longer.
type Record struct {
	Line   int64   // 1-based
	Offset int64   // of the first byte of Raw in the stream
	Raw    []byte  // the verbatim bytes, with the line end if there is one
	Damage *Damage // nil if the line is whole

	// Blank is set for a line of nothing but white space.
	Blank bool
	// Continued is set for every piece but the first of a line longer than the reader's limit.
	Continued bool

	from, to int // where the JSON text lies in Raw: behind a byte order mark, before the line end
	fields   [fieldCount]span
}

// Clone returns a copy that does not share the reader's buffer.
func (r *Record) Clone() *Record {
	c := *r
	c.Raw = slices.Clone(r.Raw)
	return &c
}

// Legible reports whether the record can be read: a JSON object, even if some of its strings are not UTF-8.
func (r *Record) Legible() bool { return !r.Blank && (r.Damage == nil || r.Damage.Legible()) }

// Text returns the JSON text of the line, without a byte order mark and the line end.
func (r *Record) Text() []byte { return r.Raw[r.from:r.to] }

// LineEnd returns what ends the line: "\n", "\r\n", or "" at the end of the stream.
func (r *Record) LineEnd() string { return string(r.Raw[r.to:]) }

// raw returns the JSON text of a field, or nil.
func (r *Record) raw(f field) []byte {
	s := r.fields[f]
	if s.end == 0 {
		return nil
	}
	return r.Text()[s.start:s.end]
}

func (r *Record) value(f field) gjson.Result { return parse(r.raw(f)) }

// text of a field that is a string; "" for everything else.
func (r *Record) str(f field) string { return decodeString(r.raw(f)) }

// Type returns the record's type, or "".
func (r *Record) Type() string {
	raw := r.raw(fieldType)
	if len(raw) > 2 {
		if name, known := typeNames[string(raw[1:len(raw)-1])]; known {
			return name
		}
	}
	return decodeString(raw)
}

// ID returns the record's id, or "".
func (r *Record) ID() string { return r.str(fieldID) }

// ParentID returns the record's parent. ok is false where the key is missing or neither a string nor null; a null
// parent is "" and true.
func (r *Record) ParentID() (id string, ok bool) {
	raw := r.raw(fieldParentID)
	return decodeString(raw), len(raw) > 0 && (raw[0] == '"' || raw[0] == 'n')
}

// Role returns the role of the record's message: its own, or that of claw0's record type.
func (r *Record) Role() string {
	if raw := r.raw(fieldRole); raw != nil {
		return decodeString(raw)
	}
	switch t := r.Type(); t {
	case TypeUser, TypeAssistant:
		return t
	case TypeToolUse:
		return TypeAssistant
	case TypeToolResult:
		return TypeUser
	}
	return ""
}

// Version returns the version a header states; 1 where it states none.
func (r *Record) Version() int {
	if v, err := strconv.Atoi(string(r.raw(fieldVersion))); err == nil {
		return v
	}
	return 1
}

// Time returns when the record was written: its timestamp, claw0's ts or created, else that of its message.
func (r *Record) Time() (time.Time, bool) {
	for _, f := range [...]field{fieldTimestamp, fieldTS, fieldCreated, fieldMsgTimestamp} {
		if t, ok := parseTime(r.raw(f)); ok {
			return t, true
		}
	}
	return time.Time{}, false
}

// Get returns the value of a key of the record, the last one where it is repeated.
func (r *Record) Get(key string) gjson.Result { return lastOf(parse(r.Text()), key) }

// parse wraps JSON text that has been checked already.
func parse(raw []byte) gjson.Result {
	if len(raw) == 0 {
		return gjson.Result{}
	}
	return gjson.ParseBytes(raw)
}

// lastOf returns the last value of a key of an object. gjson's own paths return the first of a repeated key, where
// every program that writes transcripts takes the last.
func lastOf(object gjson.Result, key string) (last gjson.Result) {
	if !object.IsObject() {
		return last
	}
	object.ForEach(func(k, v gjson.Result) bool {
		if k.Str == key {
			last = v
		}
		return true
	})
	return last
}

// decodeString decodes a JSON string; anything else is "".
func decodeString(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	return gjson.ParseBytes(raw).Str
}

// plainKey returns the text of an object's key without escapes.
func plainKey(key []byte) []byte {
	if bytes.IndexByte(key, '\\') < 0 {
		return key
	}
	quoted := append(append([]byte{'"'}, key...), '"')
	return []byte(decodeString(quoted))
}
