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
	"slices"
	"strings"

	"clawctl/pkg/jsonl"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
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
	}
	text, err := a.layOut(r)
	if err != nil {
		return err
	}
	return a.print(text)
}

// layOut is a report for people: a table, or one of Markdown.
func (a *app) layOut(r *report) (string, error) {
	if a.format == "markdown" {
		return r.markdown(), nil
	}
	text, err := r.table(a.outTerm)
	if err != nil {
		return "", internalError(err)
	}
	return text, nil
}

// csv writes the fields of the objects, those of objects inside them under joined names: the same facts as in JSON.
func (r *report) csv() string {
	var header []string
	var rows []map[string]string
	for _, object := range r.objects {
		row := map[string]string{}
		rec := (&jsonl.Parser{}).Parse([]byte(strings.TrimSuffix(jsonLine(object), "\n")), 1, 0)
		flatten("", rec.Value(), func(name, value string) {
			if !slices.Contains(header, name) {
				header = append(header, name)
			}
			row[name] = value
		})
		rows = append(rows, row)
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	_ = w.Write(header) // a buffer takes everything
	for _, row := range rows {
		cells := make([]string, len(header))
		for i, name := range header {
			cells[i] = neutralCell(row[name])
		}
		_ = w.Write(cells)
	}
	w.Flush()
	return b.String()
}

// flatten calls field for every value of an object; a list is its JSON text.
func flatten(prefix string, v jsonl.Value, field func(name, value string)) {
	for key, member := range v.Members() {
		switch {
		case member.IsObject():
			flatten(prefix+key+".", member, field)
		case member.IsString():
			field(prefix+key, member.String())
		case member.IsNull():
			field(prefix+key, "")
		default:
			field(prefix+key, string(member))
		}
	}
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

// manyRows is from how many rows on a table is laid out by our own loop: tablewriter takes 50 microseconds a row, which
// is more than all the rest of a list of 2,000 sessions.
const manyRows = 200

// table lays the rows out in columns.
func (r *report) table(t terminal) (string, error) {
	rows := [][]string{make([]string, len(r.columns))}
	for i, c := range r.columns {
		rows[0][i] = strings.ToUpper(c.name)
	}
	for _, row := range r.rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = escapeControls(strings.ReplaceAll(cell, "\n", " "))
		}
		rows = append(rows, cells)
	}
	layOut := r.layOutSmall
	if len(rows) > manyRows {
		layOut = r.layOutLarge
	}
	text, err := layOut(rows)
	return tidyLines(text, t), err
}

// layOutSmall has tablewriter align the cells.
func (r *report) layOutSmall(rows [][]string) (string, error) {
	aligns := make([]tw.Align, len(r.columns))
	for i, c := range r.columns {
		if aligns[i] = tw.AlignLeft; c.right {
			aligns[i] = tw.AlignRight
		}
	}
	cells := tw.CellConfig{
		Alignment: tw.CellAlignment{PerColumn: aligns}, Formatting: tw.CellFormatting{AutoFormat: tw.Off, AutoWrap: tw.WrapNone},
		Padding: tw.CellPadding{Global: tw.Padding{Right: "  "}},
	}
	var b strings.Builder
	table := tablewriter.NewTable(&b,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders: tw.BorderNone, Symbols: tw.NewSymbols(tw.StyleNone),
			Settings: tw.Settings{Lines: tw.LinesNone, Separators: tw.SeparatorsNone},
		})),
		tablewriter.WithConfig(tablewriter.Config{Header: cells, Row: cells, Behavior: tw.Behavior{TrimSpace: tw.Off}}))
	table.Header(rows[0])
	if err := table.Bulk(rows[1:]); err != nil {
		return "", err
	}
	err := table.Render()
	return b.String(), err
}

// layOutLarge does the same for a long list.
func (r *report) layOutLarge(rows [][]string) (string, error) {
	widths := make([]int, len(r.columns))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], twwidth.Width(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		for i, cell := range row {
			space := strings.Repeat(" ", widths[i]-twwidth.Width(cell))
			if r.columns[i].right {
				b.WriteString(space + cell + "  ")
			} else {
				b.WriteString(cell + space + "  ")
			}
		}
		b.WriteByte('\n')
	}
	return b.String(), nil
}

// tidyLines drops the padding at the ends of lines, and what a terminal has no room for.
func tidyLines(text string, t terminal) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \n")
		if t.is {
			line = twwidth.Truncate(line, t.columns, "…")
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}
