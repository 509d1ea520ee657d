package secrets

import (
	"bytes"
	"slices"
	"strings"
)

// columnRule finds the secrets in tables, by the name in their row or at the top of their column.
func columnRule() *Rule {
	return &Rule{
		Name: "column-secret", Keywords: append([]string{"passwort", "pass", "pwd"}, secretWords...), Fold: true,
		left: anything, gate: isCell, findAll: findColumn, Example: "| API_KEY | {a24} |",
	}
}

// cellSigns are what tables have between cells, if not several spaces.
const cellSigns = "|\t,;│"

// isCell is a quick look whether the name around a keyword is a cell of a table.
func isCell(text []byte, at, length int) bool {
	start, end := nameStart(text, at), nameEnd(text, at+length)
	before := bytes.TrimRight(text[max(0, start-3):start], " \"`*")
	after := bytes.TrimLeft(text[end:min(len(text), end+3)], "\"`*")
	begins := len(before) == 0 || strings.IndexByte("\n\r"+cellSigns, before[len(before)-1]) >= 0 ||
		start >= 2 && string(text[start-2:start]) == "  "
	return begins && (len(after) == 0 || strings.IndexByte("\n\r"+cellSigns, after[0]) >= 0 ||
		len(after) > 1 && after[0] == ' ' && strings.IndexByte(" |", after[1]) >= 0)
}

// findColumn returns the secrets in the row or in the column that the cell around a keyword names.
func findColumn(text []byte, at int) (list []span) {
	lineStart := bytes.LastIndexByte(text[:at], '\n') + 1
	rest := text[lineStart:min(len(text), at+maxLength)]
	line, rest, _ := bytes.Cut(rest, []byte("\n"))
	sign := cellSign(line)
	cells := cellsOf(line, sign)
	column := slices.IndexFunc(cells, func(c span) bool { return c.start <= at-lineStart && at-lineStart < c.end })
	if column < 0 || !isRow(cells) {
		return nil
	}
	name := line[cells[column].start:cells[column].end]
	if _, isPassword := wordAt(name, 0); len(name) != nameEnd(name, 0) || !isPassword && !isSecretName(name) {
		return nil
	}
	for _, c := range cells[column+1:] {
		if cell := line[c.start:c.end]; isStrong(cell) && isColumnValue(name, cell) {
			list = append(list, span{lineStart + c.start, lineStart + c.end})
		}
	}
	for len(rest) > 0 {
		lineStart += len(line) + 1
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		row := cellsOf(line, sign)
		switch {
		case len(bytes.Trim(line, "-+=|: \r─┼┤├│")) == 0 && len(line) > 0: // below the names
		case !isRow(row) || len(row) != len(cells):
			return list
		case isColumnValue(name, line[row[column].start:row[column].end]):
			list = append(list, span{lineStart + row[column].start, lineStart + row[column].end})
		}
	}
	return list
}

// isRow reports whether several cells have texts.
func isRow(cells []span) bool {
	isEmpty := func(c span) bool { return c.start == c.end }
	return len(slices.DeleteFunc(slices.Clone(cells), isEmpty)) > 1
}

// isColumnValue judges a cell of the column or the row with a name.
func isColumnValue(name, cell []byte) bool { return isSecretField(name, cell) && mayBeSpoken(cell) }

// cellSign returns what is between the cells of a line.
func cellSign(line []byte) string {
	for _, sign := range cellSigns {
		if bytes.ContainsRune(line, sign) {
			return string(sign)
		}
	}
	return "  "
}

// cellsOf returns the cells of a line, without what is around their texts.
func cellsOf(line []byte, sign string) (list []span) {
	add := func(start, end int) {
		for start < end && strings.IndexByte(" \"'`*\r", line[start]) >= 0 {
			start++
		}
		for end > start && strings.IndexByte(" \"'`*\r", line[end-1]) >= 0 {
			end--
		}
		if end > start || sign != "  " {
			list = append(list, span{start, end})
		}
	}
	if sign == "|" || sign == "│" { // the borders of a table are no cells
		line = bytes.TrimSuffix(bytes.TrimRight(line, " \r"), []byte(sign))
	}
	start := 0
	for {
		n := bytes.Index(line[start:], []byte(sign))
		if n < 0 {
			break
		}
		add(start, start+n)
		start += n + len(sign)
	}
	add(start, len(line))
	return list
}
