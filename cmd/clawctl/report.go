package main

// How reports are printed:
//
//   - A report is a list of rows. By default it is a table, on a terminal and in a pipe alike; --format json, ndjson,
//     csv and markdown give the same rows to other programs.
//   - A list in JSON is NDJSON: one object a line, each with a schema_version. Fields are added, never renamed.
//   - On a terminal a table shows the columns that have room, and a remark names the others once.
//   - A CSV cell that a spreadsheet would take for a formula begins with a quote instead.

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
)

// reportFormats are the formats of every report.
var reportFormats = []string{"table", "json", "ndjson", "csv", "markdown"}

// A report is a list in every format: cells for people, an object for programs.
type report struct {
	ui.Table
	objects []any
}

func newReport(columns ...ui.Column) *report { return &report{Table: ui.Table{Columns: columns}} }

// add appends a row of plain text.
func (r *report) add(object any, cells ...string) { r.addCells(object, ui.Text(cells...)...) }

// addCells appends a row.
func (r *report) addCells(object any, cells ...ui.Cell) {
	r.objects = append(r.objects, object)
	r.Add(cells...)
}

// addObject appends an object that only programs see, such as a summary.
func (r *report) addObject(object any) { r.objects = append(r.objects, object) }

// wantsJSON reports whether a report is asked for as JSON.
func (a *app) wantsJSON() bool { return a.format == "json" || a.format == "ndjson" }

// printReport prints a report in the format that was asked for.
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
	return a.printTables(r)
}

// printTables prints reports for people, with an empty line between them, and names the columns that had no room.
func (a *app) printTables(reports ...*report) error {
	var b strings.Builder
	var hidden []string
	for i, r := range reports {
		if i > 0 {
			b.WriteByte('\n')
		}
		text, without, err := a.layOut(r)
		if err != nil {
			return err
		}
		b.WriteString(text)
		hidden = append(hidden, without...)
	}
	if err := a.printStyled(b.String()); err != nil {
		return err
	}
	a.noteHidden(hidden)
	return nil
}

// noteHidden says once which columns a terminal had no room for. One without a name only draws what another says.
func (a *app) noteHidden(columns []string) {
	seen := map[string]bool{"": true} // a column without a name only draws what another says
	columns = slices.DeleteFunc(columns, func(name string) bool {
		known := seen[name]
		seen[name] = true
		return known
	})
	if len(columns) > 0 {
		a.note("hidden columns: %s (a wider terminal or --json shows them)", strings.Join(columns, ", "))
	}
}

// layOut returns a report for people: a table, or one in Markdown. hidden names the columns that had no room.
func (a *app) layOut(r *report) (text string, hidden []string, err error) {
	if a.format == "markdown" {
		return r.markdown(), nil, nil
	}
	text, hidden, err = r.Render(a.output.term)
	if err != nil {
		return "", nil, failure.Internal(err)
	}
	return text, hidden, nil
}

// csv writes the fields of the objects, those of objects inside them under joined names: the same facts as in JSON.
func (r *report) csv() string {
	var header []string
	var rows []map[string]string
	for _, object := range r.objects {
		row := map[string]string{}
		rec := (&jsonl.Parser{Verbatim: true}).Parse([]byte(strings.TrimSuffix(jsonLine(object), "\n")), 1, 0)
		flatten("", rec.Value(), func(name, value string) {
			if !slices.Contains(header, name) {
				header = append(header, name)
			}
			row[name] = value
		})
		rows = append(rows, row)
	}
	header = optionalLast(header, rows)
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	names := make([]string, len(header))
	for i, name := range header {
		names[i] = neutralCell(name) // some are names of models and tools
	}
	_ = w.Write(names) // a buffer takes everything
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

// optionalLast puts the fields that some rows leave out after the others, so that the order of fields does not depend
// on the order of rows.
func optionalLast(header []string, rows []map[string]string) []string {
	var always, optional []string
	for _, name := range header {
		isMissing := func(row map[string]string) bool { _, ok := row[name]; return !ok }
		if slices.ContainsFunc(rows, isMissing) {
			optional = append(optional, name)
		} else {
			always = append(always, name)
		}
	}
	slices.Sort(optional)
	return append(always, optional...)
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

// neutralCell keeps a spreadsheet from running a cell. Some take the full-width forms of these characters as well, and
// some skip white space and invisible characters before them.
func neutralCell(cell string) string {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(cell, isBlank))
	if cell != "" && (strings.ContainsRune("=+-@＝＋－＠", first) || strings.ContainsRune("\t\r\n", rune(cell[0]))) {
		return "'" + cell
	}
	return cell
}

func isBlank(r rune) bool { return unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Cf) }

func (r *report) markdown() string {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	header, rule := make([]string, len(r.Columns)), make([]string, len(r.Columns))
	for i, c := range r.Columns {
		header[i], rule[i] = c.Name, "---"
		if c.Right {
			rule[i] = "---:"
		}
	}
	line(header)
	line(rule)
	for _, row := range r.Rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = markdownCell.Replace(ui.Escape(cell.Text))
		}
		line(cells)
	}
	return b.String()
}

// markdownCell keeps a cell from ending its row or becoming markup.
var markdownCell = strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;", "`", "\\`", "[", `\[`)

// labelled returns a label and the words that belong to it: on a terminal wrapped, with further lines below the first
// word; otherwise on one line.
func labelled(term ui.Terminal, label, words string) string {
	if !term.Is {
		return label + words
	}
	indent := strings.Repeat(" ", len(label))
	return label + strings.TrimPrefix(ui.Wrap(words, term.Columns, indent), indent)
}

// when writes a time for whoever reads it: a person at a terminal, or a program behind a pipe.
func (a *app) when(t time.Time) string {
	if a.output.term.Is {
		return ui.Ago(t, a.now())
	}
	return t.UTC().Format(time.RFC3339)
}
