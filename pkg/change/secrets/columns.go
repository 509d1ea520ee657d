package secrets

import (
	"bytes"
	"strings"
)

// columnRule finds the secrets in tables, by the name in their row or at the top of their column.
func columnRule() *Rule {
	return &Rule{
		Name: "column-secret", Keywords: append([]string{"passwort", "pass", "pwd"}, secretWords...), Fold: true, left: anything,
		gate: isCell, findAll: findColumn, Example: "| API_KEY | {a24} |",
	}
}

// cellSigns are what tables have between cells: a sign, or several spaces.
const cellSigns = "|\t,;"

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
	name := text[nameStart(text, at):nameEnd(text, at)]
	if !isSecretName(name) {
		return nil
	}
	from := max(0, at-maxLength)
	lineStart := from + bytes.LastIndexByte(text[from:at], '\n') + 1
	rest := text[lineStart:min(len(text), at+maxLength)]
	sign, column := byte(0), -1
	for row := 0; len(rest) > 0; row++ {
		line, more, _ := bytes.Cut(rest, []byte("\n"))
		start := len(text[:lineStart])
		if row == 0 {
			sign = cellSign(line)
		}
		cells := cellsOf(line, sign)
		if row == 0 {
			if len(cells) < 2 {
				return nil
			}
			for i, c := range cells {
				switch cell := line[c.start:c.end]; {
				case start+c.start <= at && at < start+c.end:
					if column = i; !bytes.Equal(cell, name) {
						return nil
					}
				case column >= 0 && isStrong(cell) && isSecretField(name, cell) && mayBeSpoken(cell):
					list = append(list, span{start + c.start, start + c.end})
				}
			}
		} else if len(cells) < 2 {
			break
		} else if column < len(cells) {
			c := cells[column]
			if cell := line[c.start:c.end]; isSecretField(name, cell) && mayBeSpoken(cell) {
				list = append(list, span{start + c.start, start + c.end})
			}
		}
		lineStart += len(line) + 1
		rest = more
	}
	return list
}

// cellSign returns what is between the cells of a line: a sign, or 0 for spaces.
func cellSign(line []byte) byte {
	for i := range len(cellSigns) {
		if bytes.IndexByte(line, cellSigns[i]) >= 0 {
			return cellSigns[i]
		}
	}
	return 0
}

// cellsOf returns the cells of a line, without what is around their texts.
func cellsOf(line []byte, sign byte) (list []span) {
	add := func(start, end int) {
		for start < end && strings.IndexByte(" \"'`*\r", line[start]) >= 0 {
			start++
		}
		for end > start && strings.IndexByte(" \"'`*\r", line[end-1]) >= 0 {
			end--
		}
		if end > start || sign > 0 {
			list = append(list, span{start, end})
		}
	}
	if sign == '|' { // the borders of a table are no cells
		line = bytes.TrimRight(line, " \r")
		line = bytes.TrimSuffix(line, []byte("|"))
	}
	start := 0
	for i := range line {
		switch {
		case sign > 0 && line[i] == sign, sign == 0 && bytes.HasPrefix(line[i:], []byte("  ")):
			add(start, i)
			start = i + 1
		}
	}
	add(start, len(line))
	return list
}
