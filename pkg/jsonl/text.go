package jsonl

import (
	"time"

	"clawctl/pkg/jsontext"
)

// A Value is a JSON value in a record. It is valid as long as its record.
type Value = jsontext.Value

// Quote is jsontext.Quote.
func Quote(text string) string { return jsontext.Quote(text) }

// AppendQuote is jsontext.AppendQuote.
func AppendQuote(dst []byte, text string) []byte { return jsontext.AppendQuote(dst, text) }

// ParseTime is jsontext.ParseTime.
func ParseTime(v Value) (time.Time, bool) { return jsontext.ParseTime(v) }
