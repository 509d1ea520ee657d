package ui

import (
	"bufio"
	"encoding/csv"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A CSV writes rows for spreadsheets. None of its cells can become a formula.
type CSV struct {
	out   *csv.Writer
	cells []string
}

// NewCSV returns a writer of rows. It has a buffer, which Flush empties.
func NewCSV(w io.Writer) *CSV { return &CSV{out: csv.NewWriter(bufio.NewWriterSize(w, 1<<16))} }

// Row writes a row.
func (c *CSV) Row(cells []string) error {
	c.cells = c.cells[:0]
	for _, cell := range cells {
		c.cells = append(c.cells, NeutralCell(cell))
	}
	return c.out.Write(c.cells)
}

// Flush passes on what was written so far.
func (c *CSV) Flush() error {
	c.out.Flush()
	return c.out.Error()
}

// NeutralCell keeps a spreadsheet from running a cell: it gets an apostrophe if it begins like a formula and is not a
// plain number. Without this apostrophe the cell is what it was, so a reader can undo it.
func NeutralCell(cell string) string {
	if beginsFormula(cell) && !isPlainNumber(cell) {
		return "'" + cell
	}
	return cell
}

// formulaSigns begin formulas. Some spreadsheets take the full-width and small forms for the ASCII characters.
const formulaSigns = "=+-@" + "＝＋－＠" + "﹦﹢﹣﹫" + "−"

// quotationMarks may be removed by a spreadsheet, together with what is invisible, before it looks for a formula.
const quotationMarks = "\"'`" + "＂＇｀" + "“”‘’"

// beginsFormula reports whether the first visible character of a cell begins a formula, or whether a tab or a line end
// is before it, after which some programs begin a new cell.
func beginsFormula(cell string) bool {
	for i, r := range cell {
		switch {
		case r == '\t' || r == '\r' || r == '\n' || strings.ContainsRune(formulaSigns, r):
			return true
		case r == utf8.RuneError && !strings.HasPrefix(cell[i:], "\uFFFD"): // a byte that is not UTF-8 may be dropped
		case !isInvisible(r) && !strings.ContainsRune(quotationMarks, r):
			return false
		}
	}
	return false
}

func isInvisible(r rune) bool {
	return unicode.IsSpace(r) || !unicode.IsPrint(r) ||
		unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// isPlainNumber reports whether a cell is a number as JSON writes it, such as -1.5e-7.
func isPlainNumber(cell string) bool {
	rest, ok := skipDigits(strings.TrimPrefix(cell, "-"))
	if after, isFraction := strings.CutPrefix(rest, "."); ok && isFraction {
		rest, ok = skipDigits(after)
	}
	if ok && rest != "" && (rest[0] == 'e' || rest[0] == 'E') {
		rest = rest[1:]
		if rest != "" && (rest[0] == '+' || rest[0] == '-') {
			rest = rest[1:]
		}
		rest, ok = skipDigits(rest)
	}
	return ok && rest == ""
}

// skipDigits returns what follows the digits at the beginning of a text. ok is false if there are none.
func skipDigits(text string) (rest string, ok bool) {
	rest = strings.TrimLeft(text, "0123456789")
	return rest, len(rest) < len(text)
}
