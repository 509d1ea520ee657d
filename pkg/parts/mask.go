package parts

import (
	"encoding/json"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/secrets"
)

// A Masker replaces what looks like a key or a password in texts that are made to be read or passed on, and counts what
// it replaced. The zero value masks everything.
type Masker struct {
	Raw   bool // replace nothing
	Count int
}

// Text masks a decoded text.
func (m *Masker) Text(text string) string {
	if m.Raw {
		return text
	}
	masked, n := secrets.Mask(text)
	m.Count += n
	return masked
}

// AppendString appends a JSON string. It is decoded only if it may contain a key.
func (m *Masker) AppendString(dst []byte, v jsonl.Value) []byte {
	v = v.UTF8()
	if m.Raw || !hasSecret(v) {
		return append(dst, v...)
	}
	return jsonl.AppendQuote(dst, m.Text(v.String()))
}

// JSON returns the text of a JSON value in which the strings are masked one by one.
func (m *Masker) JSON(v jsonl.Value) string {
	v = v.UTF8()
	if m.Raw || !hasSecret(v) {
		return string(v)
	}
	return string(jsonl.MapStrings(v, m.Text))
}

// Value is JSON that also masks the values of members whose names say what they are, such as "password".
func (m *Masker) Value(v jsonl.Value) jsonl.Value {
	text := m.JSON(v)
	if m.Raw || !v.IsObject() && !v.IsArray() {
		return jsonl.Value(text)
	}
	masked, n := secrets.Mask(text)
	if n == 0 || !json.Valid([]byte(masked)) {
		return jsonl.Value(text)
	}
	m.Count += n
	return jsonl.Value(masked)
}

// hasSecret reports whether a JSON value contains a key.
func hasSecret(v jsonl.Value) bool {
	key, _ := secrets.Search(v)
	return key
}
