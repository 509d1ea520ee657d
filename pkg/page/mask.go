package page

import (
	"strings"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/secrets"
)

// A masker replaces what looks like a key, and counts what it replaced.
type masker struct {
	raw   bool // replace nothing
	count int
}

// text masks a decoded text.
func (m *masker) text(text string) string {
	if m.raw {
		return text
	}
	masked, n := secrets.Mask(text)
	m.count += n
	return masked
}

// appendString appends a JSON string. It is decoded only if it may contain a key.
func (m *masker) appendString(dst []byte, v jsonl.Value) []byte {
	v = v.UTF8()
	if m.raw || !m.maySecret(v) {
		return append(dst, v...)
	}
	return jsonl.AppendQuote(dst, m.text(v.String()))
}

// maySecret reports whether a JSON value contains a key.
func (m *masker) maySecret(v jsonl.Value) bool {
	key, _ := secrets.Search(v)
	return key
}

// json returns the text of a JSON value in which the strings are masked one by one.
func (m *masker) json(v jsonl.Value) string {
	v = v.UTF8()
	if m.raw || !m.maySecret(v) {
		return string(v)
	}
	return string(jsonl.MapStrings(v, m.text))
}

// marks are what Markdown adds to a text and a title does not need.
var marks = strings.NewReplacer("**", "", "`", "", "# ", "")

// preview returns the first characters of a text, on one line and without the marks of Markdown.
func (m *masker) preview(v jsonl.Value, most int) string {
	text := m.text(v.String())
	words := strings.Fields(marks.Replace(text[:min(len(text), 8*most)]))
	runes := []rune(strings.ToValidUTF8(strings.Join(words, " "), ""))
	if len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return string(runes)
}
