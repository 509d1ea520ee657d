package redact

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// findAll finds a text inside strings.
func findAll(value string) func([]byte) []Span {
	return func(inside []byte) (spans []Span) {
		for from := 0; ; {
			at := bytes.Index(inside[from:], []byte(value))
			if at < 0 {
				return spans
			}
			spans = append(spans, Span{from + at, from + at + len(value), 7})
			from += at + len(value)
		}
	}
}

func TestEraser(t *testing.T) {
	for _, test := range []struct{ value, text, want string }{
		{"SECRET", `{"type":"message","message":{"content":"a SECRET and SECRET"}}`,
			`{"type":"message","message":{"content":"a [redacted:value:7] and [redacted:value:7]"}}`},
		{"SECRET", `{"id":"SECRET","x": {"SECRET" : 1}}`, `{"id":"SECRET","x": {"[redacted:value:7]" : 1}}`},
		{"SECRET", `{"x":"no"}`, `{"x":"no"}`},
		{`SEC\u0052`, `{"x":"ü\tSEC\u0052ET\n"}`, `{"x":"ü\t[redacted:value:7]ET\n"}`},
		{`SECRET\`, `{"x":"SECRET\nmore"}`, `{"x":"[redacted:value:7]more"}`}, // a span that ends inside an escape
		{"SECRET", `{"message":{"content":[{"type":"thinking","thinking":"SECRET","thinkingSignature":"abc"},` +
			`{"type":"text","text":"x"}]}}`, `{"message":{"content":[{"type":"text","text":"x"}]}}`},
		{"SECRET", `{"message":{"content":[{"type":"text","text":"SECRET","textSignature":"abc"}]}}`,
			`{"message":{"content":[{"type":"text","text":"[redacted:value:7]"}]}}`},
	} {
		got := NewEraser().JSON([]byte(test.text), findAll(test.value), false)
		if string(got) != test.want || !json.Valid(got) {
			t.Errorf("%s in %s: %s", test.value, test.text, got)
		}
	}
}

func TestEraserCounts(t *testing.T) {
	e := NewEraser()
	e.JSON([]byte(`{"id":"SECRET","x":"SECRET"}`), findAll("SECRET"), false)
	text := e.Text([]byte("damaged SECRET line"), findAll("SECRET")([]byte("damaged SECRET line")))
	if string(text) != "damaged [redacted:value:7] line" {
		t.Error(string(text))
	}
	if e.Counts().Total() != 2 || e.Counts().TotalKept() != 1 {
		t.Errorf("%+v", e.Counts())
	}
	if left := e.Counts().Left(); len(left) != 1 || strings.Contains(left[0].Name, "SECRET") {
		t.Errorf("%+v", left)
	}
}
