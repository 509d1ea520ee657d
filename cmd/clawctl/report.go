package main

// How reports are printed:
//
//   - A report is a list of rows. By default it is a table, on a terminal and in a pipe alike; --format json, ndjson,
//     csv and markdown give the same rows to other programs, and --json is short for --format json.
//   - A list in JSON is NDJSON: one object a line, each with a schema_version. Fields are added, never renamed.
//   - On a terminal the last column is cut to its width; nothing is cut elsewhere.
//   - A CSV cell that a spreadsheet would take for a formula begins with a quote instead.
//   - Cells are escaped before they are laid out: a table never carries a transcript's control characters.

import (
	"bytes"
	"encoding/csv"
	"strings"

	"github.com/mattn/go-runewidth"
	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// reportFormats are the formats of every report.
var reportFormats = []string{"table", "json", "ndjson", "csv", "markdown"}

// A column is one of a report's.
type column struct {
	name  string
	right bool // aligned to the right, as numbers are
}

// A report is a list in every format: cells for people, an object for programs.
type report struct {
	columns []column
	rows    [][]string
	objects []any
}

func (r *report) add(object any, cells ...string) {
	r.objects = append(r.objects, object)
	r.rows = append(r.rows, cells)
}

// printReport prints a report as --format and --json ask.
func (a *app) printReport(r *report) error {
	switch a.format {
	case "json", "ndjson":
		var b strings.Builder
		for _, object := range r.objects {
			b.WriteString(jsonLine(object))
		}
		return a.print(b.String())
	case "csv":
		return a.print(r.csv())
	case "markdown":
		return a.print(r.markdown())
	}
	text, err := r.table(a.outTerm)
	if err != nil {
		return internalError(err)
	}
	return a.print(text)
}

func (r *report) csv() string {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	header := make([]string, len(r.columns))
	for i, c := range r.columns {
		header[i] = c.name
	}
	_ = w.Write(header) // a buffer takes everything
	for _, row := range r.rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = neutralCell(cell)
		}
		_ = w.Write(cells)
	}
	w.Flush()
	return b.String()
}

// neutralCell keeps a spreadsheet from running a cell.
func neutralCell(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return "'" + cell
	}
	return cell
}

func (r *report) markdown() string {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	header, rule := make([]string, len(r.columns)), make([]string, len(r.columns))
	for i, c := range r.columns {
		header[i], rule[i] = c.name, "---"
		if c.right {
			rule[i] = "---:"
		}
	}
	line(header)
	line(rule)
	for _, row := range r.rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = markdownCell.Replace(escapeControls(cell))
		}
		line(cells)
	}
	return b.String()
}

// markdownCell keeps a cell from ending its row or becoming markup.
var markdownCell = strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;", "`", "\\`", "[", `\[`)

// table lays the rows out in columns.
func (r *report) table(t terminal) (string, error) {
	var b strings.Builder
	aligns := make([]tw.Align, len(r.columns))
	header := make([]string, len(r.columns))
	for i, c := range r.columns {
		header[i], aligns[i] = strings.ToUpper(c.name), tw.AlignLeft
		if c.right {
			aligns[i] = tw.AlignRight
		}
	}
	table := tablewriter.NewTable(&b,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders: tw.BorderNone, Symbols: tw.NewSymbols(tw.StyleNone),
			Settings: tw.Settings{Lines: tw.LinesNone, Separators: tw.SeparatorsNone},
		})),
		tablewriter.WithConfig(tablewriter.Config{
			Header: tw.CellConfig{
				Alignment: tw.CellAlignment{PerColumn: aligns}, Formatting: tw.CellFormatting{AutoFormat: tw.Off, AutoWrap: tw.WrapNone},
				Padding: tw.CellPadding{Global: tw.Padding{Right: "  "}},
			},
			Row: tw.CellConfig{
				Alignment: tw.CellAlignment{PerColumn: aligns}, Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone},
				Padding: tw.CellPadding{Global: tw.Padding{Right: "  "}},
			},
			Behavior: tw.Behavior{TrimSpace: tw.Off},
		}))
	table.Header(header)
	for _, row := range r.rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = escapeControls(strings.ReplaceAll(cell, "\n", " "))
		}
		if err := table.Append(cells); err != nil {
			return "", err
		}
	}
	if err := table.Render(); err != nil {
		return "", err
	}
	return tidyLines(b.String(), t), nil
}

// tidyLines drops the padding at the ends of lines, and what a terminal has no room for.
func tidyLines(text string, t terminal) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \n")
		if t.is {
			line = runewidth.Truncate(line, t.columns, "…")
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}
