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
	from := max(0, start-widestRow)
	from += bytes.LastIndexByte(text[from:start], '\n') + 1
	number := 0
	for next := c.nextCell(from); next >= 0 && next <= start; next = c.nextCell(next) {
		number++
	}
	for i, beside := 0, c.nextCell(end); beside >= 0 && i < mostBeside; beside = c.nextCell(beside) {
		c.judge(beside)
		i++
	}
	c.readBelow(start, number)
	return c.list
}

// readBelow looks at the cells with a number in the rows below a name.
func (c *column) readBelow(at, number int) {
	for range mostBelow {
		n := bytes.IndexByte(c.text[at:min(len(c.text), at+maxLength)], '\n')
		if n < 0 || at+n+1 >= len(c.text) {
			return
		}
		at += n + 1
		line, _, _ := bytes.Cut(c.text[at:min(len(c.text), at+maxLength)], []byte("\n"))
		if len(line) > 0 && len(bytes.Trim(line, "-+=|: \r─┼┤├│")) == 0 { // between the names and the values
			continue
		}
		cell := at
		for i := 0; i < number && cell >= 0; i++ {
			cell = c.nextCell(cell)
		}
		if cell < 0 || number == 0 && c.nextCell(at) < 0 || !c.judge(cell) {
			return
		}
	}
}

// nextCell returns where the next cell of the same line begins, or -1.
func (c *column) nextCell(at int) int {
	line := c.text[at:min(len(c.text), at+2*widestRow)]
	if end := bytes.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	n := bytes.Index(line, []byte(c.sign))
	if n < 0 {
		return -1
	}
	n += len(c.sign)
	if c.sign == "  " {
		n = skip(line, n, " ", len(line))
	}
	if len(bytes.Trim(line[n:], " \r")) == 0 { // the border of a table is no cell
		return -1
	}
	return at + n
}

// judge adds the cell at an index if it is a secret, and reports whether it may be one of the table.
func (c *column) judge(at int) bool {
	end := at
	for end < min(len(c.text), at+maxAssigned) && c.text[end] != '\n' && !bytes.HasPrefix(c.text[end:], []byte(c.sign)) {
		end++
	}
	cell := bytes.TrimLeft(c.text[at:end], " \"'`*")
	start := end - len(cell)
	cell = bytes.TrimRight(cell, " \"'`*\r")
	switch {
	case bytes.Equal(cell, c.name):
		return false // of another table
	case len(cell) < 6 || !hasLetter(cell) || !hasDigit(cell) && !hasSign(cell):
	case !isStrong(cell):
	case c.isSecret() && isSecretField(c.name, cell) && mayBeSpoken(cell):
		c.list = append(c.list, span{start, start + len(cell)})
	}
	return true
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
