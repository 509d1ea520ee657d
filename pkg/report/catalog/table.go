package catalog

import (
	"maps"
	"slices"
	"strings"
	"time"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/source"
)

// columns are those of the list for people. Names are never cut, because other commands take them. A narrow terminal
// hides first what says least about a session: its key, its tokens, its size.
var columns = []ui.Column{
	{Name: "name"},
	{Name: "agent", Cut: ui.AtEnd, Min: 8, Rank: 1},
	{Name: "kind"},
	{Name: "copies", Cut: ui.AtEnd, Min: 3, Rank: 2},
	{Name: "msgs", Right: true, Rank: 3},
	{Name: "tokens", Right: true, Rank: 6},
	{Name: "size", Right: true, Rank: 5},
	{Name: "last", Cut: ui.AtEnd, Min: len(time.DateOnly)},
	{Name: "notes", Cut: ui.AtEnd, Rank: 4},
	{Name: "key", Cut: ui.InMiddle, Min: 20, Rank: 7},
	{Name: "title", Cut: ui.AtEnd},
}

// Columns returns the columns of the list for people. Hosts and projects are among them if they say something.
func (l *List) Columns() []ui.Column {
	all := slices.Clone(columns)
	if l.hasHosts() {
		all = slices.Insert(all, 0, ui.Column{Name: "host", Cut: ui.InMiddle, Min: 8})
	}
	if l.hasProjects() {
		all = append(all, ui.Column{Name: "project", Cut: ui.InMiddle, Min: 12, Rank: 3})
	}
	return all
}

// Lines returns the names alone, one a line.
func (l *List) Lines() string {
	var b strings.Builder
	for _, r := range l.Rows {
		b.WriteString(r.Name + "\n")
	}
	return b.String()
}

// Cells returns what makes the cells of a row. when writes a time. The rows must stay the same meanwhile.
func (l *List) Cells(when func(time.Time) ui.Cell) func(r *Row) []ui.Cell {
	hasHosts, hasProjects := l.hasHosts(), l.hasProjects() // both look at all rows
	return func(r *Row) []ui.Cell {
		cells := l.usualCells(r, when)
		if hasHosts {
			cells = slices.Insert(cells, 0, ui.Cell{Text: r.Host})
		}
		if hasProjects {
			cells = append(cells, ui.Cell{Text: r.Project})
		}
		return cells
	}
}

// usualCells returns the cells that every list has.
func (l *List) usualCells(r *Row, when func(time.Time) ui.Cell) []ui.Cell {
	messages, tokens := "", ""
	if r.Counts() {
		messages = ui.Thousands(*r.Messages)
	}
	if r.UsageKnown != nil && *r.UsageKnown && r.Recorded.Total > 0 { // some providers record zeros
		tokens = ui.Short(r.Recorded.Total)
	}
	notes := r.notes(func(s *source.Session) string { return l.names[s] })
	cells := ui.Text(r.Name, r.Agent, string(r.Kind), "", messages, tokens, ui.Bytes(r.Bytes), "", notes, r.Key, r.Title)
	if r.copies > 0 {
		cells[cellCopies] = copyCell(r.copies)
	}
	if r.Last != nil {
		cells[cellLast] = when(*r.Last)
	}
	r.paint(cells)
	return cells
}

// The cells that are more than a text.
const (
	cellKind   = 2
	cellCopies = 3
	cellLast   = 7
	cellNotes  = 8
)

// copyCell says how many copies are folded into a row.
func copyCell(n int) ui.Cell {
	short := "+" + ui.Thousands(int64(n))
	if n == 1 {
		return ui.Cell{Text: short + " copy", Short: short, Style: ui.Dim}
	}
	return ui.Cell{Text: short + " copies", Short: short, Style: ui.Dim}
}

// paint colors the cells of a row: live sessions, archives, copies, and what is wrong.
func (r *Row) paint(cells []ui.Cell) {
	switch {
	case r.original != nil:
		for i := range cells {
			cells[i].Style = ui.Faint
		}
	case r.Kind == source.Live:
		cells[cellKind].Style = ui.Good
	default:
		cells[cellKind].Style = ui.Dim
	}
	if style := r.trouble(); style != ui.Plain {
		cells[cellNotes].Style = style
	}
}

// trouble is the color of the worst problem of a row.
func (r *Row) trouble() ui.Style {
	style := ui.Plain
	if r.Damaged != nil && *r.Damaged > 0 {
		style = ui.Warning
	}
	for _, p := range r.Problems {
		switch p.Code.Entry().Severity {
		case failure.Severe:
			return ui.Error
		case failure.Warn:
			style = ui.Warning
		}
	}
	return style
}

// Fold removes the copies of other sessions in the list that it may leave out. Those then say how many they are.
func (l *List) Fold() {
	rows, copies := make(map[*source.Session]*Row, len(l.Rows)), source.Copies{}
	for _, r := range l.Rows {
		rows[r.Session] = r
		if r.original != nil {
			copies[r.Session] = r.original
		}
	}
	folded := copies.Folded(slices.Collect(maps.Keys(rows)))
	l.Rows = slices.DeleteFunc(slices.Clone(l.Rows), func(r *Row) bool { return folded[r.Session] != nil })
	for _, first := range folded {
		rows[first].copies++
	}
}

// Copies is how many copies Fold has folded into the row.
func (r *Row) Copies() int { return r.copies }
