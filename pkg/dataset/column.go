package dataset

import (
	"bytes"
	"strings"
	"time"
	"unicode/utf8"

	"clawctl/internal/parquet"
	"clawctl/pkg/jsonl"
)

// A column is a column of a table, and how it gets its values from rows of type R.
type column[R any] struct {
	parquet.Column
	about string // what it contains, for the documentation
	put   func(*parquet.ColumnBuilder, *R)
}

// word is a column of short texts, of which few are different. An empty text is null.
func word[R any](name, about string, get func(*R) string) column[R] {
	c := id(name, about, get)
	c.Repeats = true
	return c
}

// id is a column of short texts, most of which are different. An empty text is null.
func id[R any](name, about string, get func(*R) string) column[R] {
	return column[R]{parquet.Column{Name: name, Type: parquet.Text}, about, func(c *parquet.ColumnBuilder, r *R) {
		switch text := get(r); {
		case text == "":
			c.Null()
		case utf8.ValidString(text):
			c.Text(text)
		default:
			c.Text(strings.ToValidUTF8(text, "\uFFFD"))
		}
	}}
}

// content is a column of texts of any length. nil is null.
func content[R any](name, about string, get func(*R) []byte) column[R] {
	column := column[R]{Column: parquet.Column{Name: name, Type: parquet.Text}, about: about}
	column.put = func(c *parquet.ColumnBuilder, r *R) {
		if text := get(r); text != nil {
			c.Content(validContent(text))
		} else {
			c.Null()
		}
	}
	return column
}

// object is a column of JSON values. nil is null.
func object[R any](name, about string, get func(*R) jsonl.Value) column[R] {
	c := content(name, about, func(r *R) []byte { return get(r) })
	c.Type = parquet.JSON
	return c
}

// raw is a column of bytes.
func raw[R any](name, about string, get func(*R) []byte) column[R] {
	return column[R]{parquet.Column{Name: name, Type: parquet.Bytes, Required: true}, about,
		func(c *parquet.ColumnBuilder, r *R) { c.Content(get(r)) }}
}

// number is a column of numbers.
func number[R any](name, about string, get func(*R) int64) column[R] {
	return column[R]{parquet.Column{Name: name, Type: parquet.Int, Required: true}, about,
		func(c *parquet.ColumnBuilder, r *R) { c.Int(get(r)) }}
}

// maybe is a column of numbers that may be null.
func maybe[R any](name, about string, get func(*R) *int64) column[R] {
	return column[R]{parquet.Column{Name: name, Type: parquet.Int}, about, func(c *parquet.ColumnBuilder, r *R) {
		if n := get(r); n != nil {
			c.Int(*n)
		} else {
			c.Null()
		}
	}}
}

// dollars is a column of prices. One that was not recorded is null.
func dollars[R any](name, about string, get func(*R) (float64, bool)) column[R] {
	return column[R]{parquet.Column{Name: name, Type: parquet.Float}, about, func(c *parquet.ColumnBuilder, r *R) {
		if usd, ok := get(r); ok {
			c.Float(usd)
		} else {
			c.Null()
		}
	}}
}

// truth is a column of truth values.
func truth[R any](name, about string, get func(*R) bool) column[R] {
	return column[R]{parquet.Column{Name: name, Type: parquet.Bool, Required: true}, about,
		func(c *parquet.ColumnBuilder, r *R) { c.Bool(get(r)) }}
}

// moment is a column of times. The zero time is null.
func moment[R any](name, about string, get func(*R) time.Time) column[R] {
	return column[R]{parquet.Column{Name: name, Type: parquet.Timestamp}, about, func(c *parquet.ColumnBuilder, r *R) {
		if at := get(r); !at.IsZero() {
			c.Int(at.UnixMicro())
		} else {
			c.Null()
		}
	}}
}

// day is a column of days in UTC. The day of the zero time is null.
func day[R any](name, about string, get func(*R) time.Time) column[R] {
	return column[R]{parquet.Column{Name: name, Type: parquet.Date}, about, func(c *parquet.ColumnBuilder, r *R) {
		if at := get(r); !at.IsZero() {
			const seconds = 24 * 60 * 60
			c.Int((at.Unix() - (at.Unix()%seconds+seconds)%seconds) / seconds)
		} else {
			c.Null()
		}
	}}
}

// validContent replaces bytes that are not UTF-8, which engines refuse in texts.
func validContent(text []byte) []byte {
	if utf8.Valid(text) {
		return text
	}
	return bytes.ToValidUTF8(text, []byte("\uFFFD"))
}
