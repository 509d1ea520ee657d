package cli

// How reports are printed:
//
//   - A report is a list of rows. By default it is a table, on a terminal and in a pipe alike; --format json, ndjson,
//     csv and markdown give the same rows to other programs.
//   - A list in JSON is NDJSON: one object a line, each with a schema_version. Fields are added, never renamed.
//   - On a terminal a table shows the columns that have room, and a remark names the others once.
//   - A CSV cell that a spreadsheet would take for a formula begins with an apostrophe instead (ui.NeutralCell).

import (
	"slices"
	"strings"
	"time"

	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
)

// ReportFormats are the formats of every report.
var ReportFormats = []string{"table", "json", "ndjson", "csv", "markdown"}

// A Report is a list in every format: cells for people, an object for programs.
type Report struct {
	Table   ui.Table
	Objects []any
}

// NewReport returns an empty report.
func NewReport(columns ...ui.Column) *Report { return &Report{Table: ui.Table{Columns: columns}} }

// Add appends a row of plain text.
func (r *Report) Add(object any, cells ...string) { r.AddCells(object, ui.Text(cells...)...) }

// AddCells appends a row.
func (r *Report) AddCells(object any, cells ...ui.Cell) {
	r.Objects = append(r.Objects, object)
	r.Table.Add(cells...)
}

// AddObject appends an object that only programs see, such as a summary.
func (r *Report) AddObject(object any) { r.Objects = append(r.Objects, object) }

// WantsJSON reports whether a report is asked for as JSON.
func (a *App) WantsJSON() bool { return a.Format == "json" || a.Format == "ndjson" }

// PrintReport prints a report in the format that was asked for.
func (a *App) PrintReport(r *Report) error {
	switch a.Format {
	case "json", "ndjson":
		var b strings.Builder
		for _, object := range r.Objects {
			b.WriteString(JSONLine(object))
		}
		return a.Print(b.String())
	case "csv":
		return a.Print(r.csv())
	}
	return a.PrintTables(r)
}

// PrintTables prints reports for people, with an empty line between them, and names the columns that had no room.
func (a *App) PrintTables(reports ...*Report) error {
	var b strings.Builder
	var hidden []string
	for i, r := range reports {
		if i > 0 {
			b.WriteByte('\n')
		}
		text, without := a.LayOut(r)
		b.WriteString(text)
		hidden = append(hidden, without...)
	}
	if err := a.PrintStyled(b.String()); err != nil {
		return err
	}
	a.NoteHidden(hidden)
	return nil
}

// NoteHidden says once which columns a terminal had no room for. One without a name only draws what another says.
func (a *App) NoteHidden(columns []string) {
	seen := map[string]bool{"": true} // a column without a name only draws what another says
	columns = slices.DeleteFunc(columns, func(name string) bool {
		known := seen[name]
		seen[name] = true
		return known
	})
	if len(columns) > 0 {
		a.Note("hidden columns: %s (a wider terminal or --json shows them)", strings.Join(columns, ", "))
	}
}

// LayOut returns a report for people: a table, or one in Markdown. hidden names the columns that had no room.
func (a *App) LayOut(r *Report) (text string, hidden []string) {
	if a.Format == "markdown" {
		return r.markdown(), nil
	}
	return r.Table.Render(a.Output.Term)
}

// csv writes the fields of the objects, those of objects inside them under joined names: the same facts as in JSON.
func (r *Report) csv() string {
	var header []string
	var rows []map[string]string
	for _, object := range r.Objects {
		row := map[string]string{}
		rec := (&jsonl.Parser{Verbatim: true}).Parse([]byte(strings.TrimSuffix(JSONLine(object), "\n")), 1, 0)
		flatten("", rec.Value(), func(name, value string) {
			if !slices.Contains(header, name) {
				header = append(header, name)
			}
			row[name] = value
		})
		rows = append(rows, row)
	}
	header = optionalLast(header, rows)
	var b strings.Builder
	w := ui.NewCSV(&b)
	_ = w.Row(header) // a builder takes everything
	cells := make([]string, len(header))
	for _, row := range rows {
		for i, name := range header {
			cells[i] = row[name]
		}
		_ = w.Row(cells)
	}
	_ = w.Flush()
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

func (r *Report) markdown() string {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	header, rule := make([]string, len(r.Table.Columns)), make([]string, len(r.Table.Columns))
	for i, c := range r.Table.Columns {
		header[i], rule[i] = c.Name, "---"
		if c.Right {
			rule[i] = "---:"
		}
	}
	line(header)
	line(rule)
	for _, row := range r.Table.Rows {
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

// Labelled returns a label and the words that belong to it: on a terminal wrapped, with further lines below the first
// word; otherwise on one line.
func Labelled(term ui.Terminal, label, words string) string {
	if !term.Is {
		return label + words
	}
	indent := strings.Repeat(" ", len(label))
	return label + strings.TrimPrefix(ui.Wrap(words, term.Columns, indent), indent)
}

// When writes a time for whoever reads it: a person at a terminal, or a program behind a pipe.
func (a *App) When(t time.Time) string {
	if a.Output.Term.Is {
		return ui.Ago(t, a.Now())
	}
	return t.UTC().Format(time.RFC3339)
}

// Date writes a day and, if there is room, the time, or for a program all of it.
func (a *App) Date(t time.Time) ui.Cell {
	if !a.Output.Term.Is {
		return ui.Cell{Text: a.When(t)}
	}
	local := t.In(a.Now().Location())
	return ui.Cell{Text: ui.Minute(local), Short: local.Format(time.DateOnly)}
}

// ExcerptOptions are --limit and --reverse of commands that print a list.
type ExcerptOptions struct {
	limit   int
	reverse bool
}

// Flags describes them.
func (o *ExcerptOptions) Flags() []Flag {
	return []Flag{
		CountFlag(&o.limit, "limit", "N", 0, "list only the first N").WithDefault("all"),
		SwitchFlag(&o.reverse, "reverse", "reverse the order; --limit then counts from the other end"),
	}
}

// Excerpt returns the part of a sorted list that is asked for.
func Excerpt[T any](list []T, o ExcerptOptions) []T {
	if o.reverse {
		slices.Reverse(list)
	}
	if o.limit > 0 && len(list) > o.limit {
		list = list[:o.limit]
	}
	return list
}

// Cut leaves the part of a report's rows that is asked for. Objects that belong to no row come after it.
func Cut(r *Report, o ExcerptOptions) {
	r.Table.Rows, r.Objects = Excerpt(r.Table.Rows, o), Excerpt(r.Objects, o)
}
