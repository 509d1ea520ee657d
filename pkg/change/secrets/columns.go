package secrets

import (
	"bytes"
	"strings"
)

// cellSigns are what tables have between cells, if not several spaces.
const cellSigns = "|\t,;│"

// isCell is a quick look whether the name around a keyword is a cell of a table.
func isCell(text []byte, at, length int) bool {
	start, end := nameStart(text, at), nameEnd(text, at+length)
	before := bytes.TrimRight(text[max(0, start-3):start], " \"`*")
	begins := len(before) == 0 || strings.IndexByte("\n\r"+cellSigns, before[len(before)-1]) >= 0 ||
		start >= 2 && string(text[start-2:start]) == "  "
	after := bytes.TrimLeft(text[end:min(len(text), end+3)], "\"`*")
	return begins && (len(after) == 0 || strings.IndexByte("\n\r"+cellSigns, after[0]) >= 0 ||
		len(after) > 1 && after[0] == ' ' && strings.IndexByte(" |", after[1]) >= 0)
}

// A column is the cells below a name, or beside it.
type column struct {
	text []byte
	sign string // between cells
	name []byte
	list []span // of the values
}

// How much of a table is looked at. Texts may repeat a name without end.
const (
	widestRow  = 300 // bytes before the name
	mostBeside = 4   // cells in its row
	mostBelow  = 100 // rows
)

// findColumn returns the secrets in the row or in the column that the cell around a keyword names.
func findColumn(text []byte, at int) []span {
	start, end := nameStart(text, at), nameEnd(text, at)
	c := &column{text: text, sign: cellSign(text, start, end), name: text[start:end]}
	row := lineAt(text, end)
	after := end + len(row) // the line
	for i := 0; i < mostBeside && row != nil; i++ {
		if row = c.nextCell(row); row != nil {
			c.judge(row, after)
		}
	}
	if after >= len(text) || text[after] != '\n' {
		return c.list
	}
	from := max(0, start-widestRow)
	from += bytes.LastIndexByte(text[from:start], '\n') + 1
	number := 0
	for before := c.nextCell(text[from:end]); len(before) >= end-start; before = c.nextCell(before) {
		number++
	}
	c.readBelow(after, number)
	return c.list
}

// lineAt returns the rest of the line at an index.
func lineAt(text []byte, i int) []byte {
	line, _, _ := bytes.Cut(text[i:min(len(text), i+maxLength)], []byte("\n"))
	return line
}

// readBelow looks at the cells with a number in the rows below a line, which ends at an index.
func (c *column) readBelow(end, number int) {
	for range mostBelow {
		if end+1 >= len(c.text) || c.text[end] != '\n' {
			return
		}
		line := lineAt(c.text, end+1)
		end += 1 + len(line)
		if len(line) > 0 && len(bytes.TrimLeft(line, "-+=|: \r─┼┤├│")) == 0 { // between the names and the values
			continue
		}
		row := line
		for i := 0; i < number && row != nil; i++ {
			row = c.nextCell(row)
		}
		if row == nil || number == 0 && c.nextCell(line) == nil || !c.judge(row, end) {
			return
		}
	}
}

// nextCell returns the rest of a row from its next cell, or nil.
func (c *column) nextCell(row []byte) []byte {
	n := bytes.Index(row[:min(len(row), 2*widestRow)], []byte(c.sign))
	if n < 0 {
		return nil
	}
	row = row[n+len(c.sign):]
	if c.sign == "  " {
		row = bytes.TrimLeft(row, " ")
	}
	if len(bytes.TrimLeft(row, " \r")) == 0 { // the border of a table is no cell
		return nil
	}
	return row
}

// judge adds the first cell of the rest of a row, which ends at an index, if it is a secret. It reports whether it may
// be a cell of the table.
func (c *column) judge(row []byte, end int) bool {
	cell, _, _ := bytes.Cut(row[:min(len(row), maxAssigned)], []byte(c.sign))
	start := end - len(row) + len(cell)
	cell = bytes.TrimLeft(cell, " \"'`*")
	start -= len(cell)
	cell = bytes.TrimRight(cell, " \"'`*\r")
	if isStrong(cell) && c.isSecret() && isSecretField(c.name, cell) && mayBeSpoken(cell) {
		c.list = append(c.list, span{start, start + len(cell)})
	}
	return !bytes.Equal(cell, c.name) // of another table
}

// isSecret reports whether the column is one of secrets.
func (c *column) isSecret() bool {
	_, isPassword := wordAt(c.name, 0)
	return isPassword || isSecretName(c.name)
}

// cellSign returns what is between the cells beside the name between two indexes.
func cellSign(text []byte, start, end int) string {
	after := bytes.TrimLeft(text[end:min(len(text), end+widestRow)], " \"'`*")
	before := bytes.TrimRight(text[max(0, start-widestRow):start], " \"'`*")
	for _, sign := range []string{"|", "\t", ",", ";", "│"} {
		if bytes.HasPrefix(after, []byte(sign)) || bytes.HasSuffix(before, []byte(sign)) {
			return sign
		}
	}
	return "  "
}
