package dataset

import (
	"strconv"
	"time"

	"clawctl/internal/parquet"
	"clawctl/pkg/jsonl"
)

// A column is a column of a table, and how it gets its values from rows of type R.
type column[R any] struct {
	parquet.Column
	about string // what it contains, for the documentation

	// One of these puts the values of rows into the column: of several rows at a time, or of a row whose value is gone
	// soon.
	put    func(c *parquet.ColumnBuilder, rows []R)
	putNow func(c *parquet.ColumnBuilder, row *R)

	// cell returns the value of a row as text, "" for null. Columns of content have none.
	cell func(row *R) string
}

// word is a column of short texts, of which few are different. An empty text is null.
func word[R any](name, about string, get func(*R) string) column[R] {
	c := id(name, about, get)
	c.Repeats = true
	return c
}

// id is a column of short texts, most of which are different. An empty text is null.
func id[R any](name, about string, get func(*R) string) column[R] {
	return column[R]{Column: parquet.Column{Name: name, Type: parquet.Text}, about: about, cell: get,
		put: func(c *parquet.ColumnBuilder, rows []R) {
			for i := range rows {
				if text := get(&rows[i]); text != "" {
					c.Text(text)
				} else {
					c.Null()
				}
			}
		}}
}

// content is a column of texts of any length, which a function adds.
func content[R any](name, about string, put func(*parquet.ColumnBuilder, *R)) column[R] {
	return column[R]{Column: parquet.Column{Name: name, Type: parquet.Text}, about: about, putNow: put}
}

// object is a column of JSON values. nil is null.
func object[R any](name, about string, get func(*R) jsonl.Value) column[R] {
	column := content(name, about, func(c *parquet.ColumnBuilder, r *R) {
		if v := get(r); v != nil {
			c.Content(v)
		} else {
			c.Null()
		}
	})
	column.Type = parquet.JSON
	return column
}

func raw[R any](name, about string, get func(*R) []byte) column[R] {
	column := content(name, about, func(c *parquet.ColumnBuilder, r *R) { c.Content(get(r)) })
	column.Type, column.Required = parquet.Bytes, true
	return column
}

// number is a column of numbers.
func number[R any](name, about string, get func(*R) int64) column[R] {
	return column[R]{Column: parquet.Column{Name: name, Type: parquet.Int, Required: true}, about: about,
		cell: func(r *R) string { return strconv.FormatInt(get(r), 10) },
		put: func(c *parquet.ColumnBuilder, rows []R) {
			for i := range rows {
				c.Int(get(&rows[i]))
			}
		}}
}

// optional is a column of numbers. It is null where get returns false.
func optional[R any](kind parquet.Type, name, about string, get func(*R) (int64, bool)) column[R] {
	return column[R]{Column: parquet.Column{Name: name, Type: kind}, about: about,
		cell: func(r *R) string {
			if n, ok := get(r); ok {
				return numberText(kind, n)
			}
			return ""
		},
		put: func(c *parquet.ColumnBuilder, rows []R) {
			for i := range rows {
				if n, ok := get(&rows[i]); ok {
					c.Int(n)
				} else {
					c.Null()
				}
			}
		}}
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
	return column[R]{Column: parquet.Column{Name: name, Type: parquet.Float}, about: about,
		cell: func(r *R) string {
			if usd, ok := get(r); ok {
				return strconv.FormatFloat(usd, 'f', -1, 64)
			}
			return ""
		},
		put: func(c *parquet.ColumnBuilder, rows []R) {
			for i := range rows {
				if usd, ok := get(&rows[i]); ok {
					c.Float(usd)
				} else {
					c.Null()
				}
			}
		}}
}

func truth[R any](name, about string, get func(*R) bool) column[R] {
	return column[R]{Column: parquet.Column{Name: name, Type: parquet.Bool, Required: true}, about: about,
		cell: func(r *R) string { return strconv.FormatBool(get(r)) },
		put: func(c *parquet.ColumnBuilder, rows []R) {
			for i := range rows {
				c.Bool(get(&rows[i]))
			}
		}}
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
