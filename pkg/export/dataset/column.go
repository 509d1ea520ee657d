package dataset

import (
	"strconv"
	"time"

	"clawctl/internal/parquet"
)

// cells takes the columns of a row, which names them in order with their values: for a file, or as text with what
// describes them.
type cells struct {
	builder *parquet.Builder // of the file, or nil
	number  int              // of the next column of the file

	columns []column
	texts   []string // "" for null
}

// A column is a column of a table.
type column struct {
	parquet.Column
	about string // what it contains, for the documentation
}

// columnsOf returns the columns of a row.
func columnsOf(r row) []column {
	var c cells
	r.columns(&c)
	return c.columns
}

// next begins a column. It returns where its value goes in the file, or nil if that is wanted as text.
func (c *cells) next(of parquet.Column, about string) *parquet.ColumnBuilder {
	if c.builder == nil {
		c.columns = append(c.columns, column{of, about})
		return nil
	}
	c.number++
	return c.builder.Column(c.number - 1)
}

func (c *cells) addText(text string) { c.texts = append(c.texts, text) }

// word is a column of short texts, of which few are different. An empty text is null.
func (c *cells) word(name, about, text string) {
	c.text(parquet.Column{Name: name, Type: parquet.Text, Repeats: true}, about, text)
}

// id is a column of short texts, most of which are different. An empty text is null.
func (c *cells) id(name, about, text string) {
	c.text(parquet.Column{Name: name, Type: parquet.Text}, about, text)
}

func (c *cells) text(of parquet.Column, about, text string) {
	switch b := c.next(of, about); {
	case b == nil:
		c.addText(text)
	case text == "":
		b.Null()
	default:
		b.Text(text)
	}
}

// content is a column of texts of any length, JSON values or the bytes of lines, which a sheet does not have. nil is
// null, and no line is.
func (c *cells) content(kind parquet.Type, name, about string, value []byte) {
	isLine := kind == parquet.Bytes
	switch b := c.next(parquet.Column{Name: name, Type: kind, Required: isLine}, about); {
	case b == nil:
	case value == nil && !isLine:
		b.Null()
	default:
		b.Content(value)
	}
}

// count is a column of numbers.
func (c *cells) count(name, about string, n int64) {
	c.int(parquet.Column{Name: name, Type: parquet.Int, Required: true}, about, n, true)
}

// maybe is a column of numbers that are null where ok is false.
func (c *cells) maybe(name, about string, n int64, ok bool) {
	c.int(parquet.Column{Name: name, Type: parquet.Int}, about, n, ok)
}

// moment is a column of times. The zero time is null.
func (c *cells) moment(name, about string, at time.Time) {
	c.int(parquet.Column{Name: name, Type: parquet.Timestamp}, about, at.UnixMicro(), !at.IsZero())
}

// day is a column of days in UTC. The day of the zero time is null.
func (c *cells) day(name, about string, at time.Time) {
	n := (at.Unix() - (at.Unix()%daySeconds+daySeconds)%daySeconds) / daySeconds
	c.int(parquet.Column{Name: name, Type: parquet.Date}, about, n, !at.IsZero())
}

const daySeconds = 24 * 60 * 60

func (c *cells) int(of parquet.Column, about string, n int64, ok bool) {
	switch b := c.next(of, about); {
	case b == nil && ok:
		c.addText(numberText(of.Type, n))
	case b == nil:
		c.addText("")
	case ok:
		b.Int(n)
	default:
		b.Null()
	}
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

// dollars is a column of prices. One that was not recorded is null.
func (c *cells) dollars(name, about string, usd float64, ok bool) {
	switch b := c.next(parquet.Column{Name: name, Type: parquet.Float}, about); {
	case b == nil && ok:
		c.addText(strconv.FormatFloat(usd, 'f', -1, 64))
	case b == nil:
		c.addText("")
	case ok:
		b.Float(usd)
	default:
		b.Null()
	}
}

func (c *cells) truth(name, about string, is bool) {
	if b := c.next(parquet.Column{Name: name, Type: parquet.Bool, Required: true}, about); b != nil {
		b.Bool(is)
		return
	}
	c.addText(strconv.FormatBool(is))
}
