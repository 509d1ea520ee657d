package main

import (
	"iter"
	"strings"
	"unicode/utf8"
)

// A table is printed as text and shown in the documentation. Its first column is text, the others are numbers.
type table struct {
	Name    string     `json:"name"`
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
}

// text returns the table for a terminal.
func (t table) text() string {
	widths := make([]int, len(t.Columns))
	for row := range t.lines() {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var out strings.Builder
	for row := range t.lines() {
		line := " "
		for i, cell := range row {
			space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				line += " " + cell + space
			} else {
				line += "  " + space + cell
			}
		}
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return out.String()
}

// markdown returns the table for a page.
func (t table) markdown() string {
	rule := "|---" + strings.Repeat("|--:", len(t.Columns)-1) + "|\n"
	text := markdownRow(t.Columns) + rule
	for _, row := range t.Rows {
		text += markdownRow(row)
	}
	return text
}

func markdownRow(cells []string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

// lines yields the header and the rows.
func (t table) lines() iter.Seq[[]string] {
	return func(yield func([]string) bool) {
		if !yield(t.Columns) {
			return
		}
		for _, row := range t.Rows {
			if !yield(row) {
				return
			}
		}
	}
}

// mapped yields the result of a function for each item of a list.
func mapped[From, To any](list []From, convert func(From) To) iter.Seq[To] {
	return func(yield func(To) bool) {
		for _, item := range list {
			if !yield(convert(item)) {
				return
			}
		}
	}
}
