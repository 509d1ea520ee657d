package dataset

import (
	"strconv"
	"time"

	"clawctl/internal/parquet"
)

// A column is a column of a table, and how it gets its values from rows of type R.
type column[R any] struct {
	parquet.Column
	about string // what it contains, for the documentation

	// put puts the value of a row into the column.
	put func(c *parquet.ColumnBuilder, row *R)
	// cell returns the value of a row as text, "" for null.
	cell func(row *R) string
}

// columnOf makes a column of values that a function adds. It is null where get returns false.
func columnOf[R, V any](
	of parquet.Column, about string, get func(*R) (V, bool), add func(*parquet.ColumnBuilder, V), text func(V) string,
) column[R] {
	return column[R]{Column: of, about: about,
		put: func(c *parquet.ColumnBuilder, row *R) {
			if v, ok := get(row); ok {
				add(c, v)
			} else {
				c.Null()
			}
		},
		cell: func(row *R) string {
			if v, ok := get(row); ok {
				return text(v)
			}
			return ""
		}}
}

// always is the get of a column that has no nulls.
func always[R, V any](get func(*R) V) func(*R) (V, bool) {
	return func(r *R) (V, bool) { return get(r), true }
}

// word is a column of short texts, of which few are different. An empty text is null.
func word[R any](name, about string, get func(*R) string) column[R] {
	c := id(name, about, get)
	c.Repeats = true
	return c
}

// id is a column of short texts, most of which are different. An empty text is null.
func id[R any](name, about string, get func(*R) string) column[R] {
	some := func(r *R) (string, bool) { text := get(r); return text, text != "" }
	return columnOf(parquet.Column{Name: name, Type: parquet.Text}, about, some, (*parquet.ColumnBuilder).Text,
		func(text string) string { return text })
}

// content is a column of texts of any length, JSON values or the bytes of lines, which a sheet does not have. nil is
// null, and no line is.
func content[R any](kind parquet.Type, name, about string, get func(*R) []byte) column[R] {
	isLine := kind == parquet.Bytes
	some := func(r *R) ([]byte, bool) { v := get(r); return v, v != nil || isLine }
	return columnOf(parquet.Column{Name: name, Type: kind, Required: isLine}, about, some,
		(*parquet.ColumnBuilder).Content, nil)
}

// number is a column of numbers.
func number[R any](name, about string, get func(*R) int64) column[R] {
	c := optional(parquet.Int, name, about, always(get))
	c.Required = true
	return c
}

// optional is a column of numbers. It is null where get returns false.
func optional[R any](kind parquet.Type, name, about string, get func(*R) (int64, bool)) column[R] {
	return columnOf(parquet.Column{Name: name, Type: kind}, about, get, (*parquet.ColumnBuilder).Int,
		func(n int64) string { return numberText(kind, n) })
}

// numberText writes what a number means in a column of that type: times and days in UTC, as in ISO 8601.
func numberText(kind parquet.Type, n int64) string {
	switch kind {
	case parquet.Timestamp:
		return time.UnixMicro(n).UTC().Format(time.RFC3339Nano)
	case parquet.Date:
		return time.Unix(n*daySeconds, 0).UTC().Format(time.DateOnly)
	}
	return strconv.FormatInt(n, 10)
}

// maybe is a column of numbers that may be null.
func maybe[R any](name, about string, get func(*R) *int64) column[R] {
	return optional(parquet.Int, name, about, func(r *R) (int64, bool) {
		if n := get(r); n != nil {
			return *n, true
		}
		return 0, false
	})
}

// dollars is a column of prices. One that was not recorded is null.
func dollars[R any](name, about string, get func(*R) (float64, bool)) column[R] {
	return columnOf(parquet.Column{Name: name, Type: parquet.Float}, about, get, (*parquet.ColumnBuilder).Float,
		func(usd float64) string { return strconv.FormatFloat(usd, 'f', -1, 64) })
}

func truth[R any](name, about string, get func(*R) bool) column[R] {
	return columnOf(parquet.Column{Name: name, Type: parquet.Bool, Required: true}, about, always(get),
		(*parquet.ColumnBuilder).Bool, strconv.FormatBool)
}

// moment is a column of times. The zero time is null.
func moment[R any](name, about string, get func(*R) time.Time) column[R] {
	return optional(parquet.Timestamp, name, about, func(r *R) (int64, bool) {
		at := get(r)
		return at.UnixMicro(), !at.IsZero()
	})
}

// day is a column of days in UTC. The day of the zero time is null.
func day[R any](name, about string, get func(*R) time.Time) column[R] {
	return optional(parquet.Date, name, about, func(r *R) (int64, bool) {
		at := get(r)
		return (at.Unix() - (at.Unix()%daySeconds+daySeconds)%daySeconds) / daySeconds, !at.IsZero()
	})
}

const daySeconds = 24 * 60 * 60
