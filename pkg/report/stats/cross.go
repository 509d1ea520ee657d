package stats

import (
	"clawctl/internal/ui"
)

// A CrossReport is the JSON form of the groups of two dimensions.
type CrossReport struct {
	By      [2]string  `json:"by"`      // the dimension of the rows, and that of the columns
	Columns []string   `json:"columns"` // all names of columns, in order
	Rows    []CrossRow `json:"rows"`
	// Totals are the sums of the columns and of everything, of all rows.
	Totals CrossRow `json:"totals"`
}

// A CrossRow is one group of the first dimension.
type CrossRow struct {
	Name  string      `json:"name"`
	Total TallyReport `json:"total"` // the sum of the cells. A session of several cells counts in each
	Cells []CrossCell `json:"cells"` // of the columns that have records, in order
}

// A CrossCell is one group of both dimensions.
type CrossCell struct {
	Name string `json:"name"` // of the column
	TallyReport
}

// newCrossReport makes the report of a pair of dimensions. If top is positive, it keeps so many of the largest rows and
// columns.
func newCrossReport(by [2]string, cells map[[2]string]*Tally, opts Options, top int) *CrossReport {
	rows, columns, all := map[string]*Tally{}, map[string]*Tally{}, &Tally{}
	sum := func(groups map[string]*Tally, name string, t *Tally) {
		if groups[name] == nil {
			groups[name] = &Tally{}
		}
		groups[name].add(t)
	}
	for key, t := range cells {
		sum(rows, key[0], t)
		sum(columns, key[1], t)
		all.add(t)
	}
	r := &CrossReport{By: by, Columns: orderNames(by[1], columns, top), Rows: []CrossRow{}}
	r.Totals = CrossRow{Name: "total", Total: newTallyReport(all, opts), Cells: []CrossCell{}}
	for _, column := range r.Columns {
		r.Totals.Cells = append(r.Totals.Cells, CrossCell{column, newTallyReport(columns[column], opts)})
	}
	for _, name := range orderNames(by[0], rows, top) {
		row := CrossRow{Name: name, Total: newTallyReport(rows[name], opts), Cells: []CrossCell{}}
		for _, column := range r.Columns {
			if t := cells[[2]string{name, column}]; t != nil {
				row.Cells = append(row.Cells, CrossCell{column, newTallyReport(t, opts)})
			}
		}
		r.Rows = append(r.Rows, row)
	}
	return r
}

// table is the cross table for people: the estimated cost of each pair, or its calls if costs are not recorded for it.
func (r *CrossReport) table() *ui.Table {
	table := &ui.Table{Columns: []ui.Column{{Name: r.By[0] + " / " + r.By[1], Cut: ui.InMiddle, Min: 16}}}
	for i, name := range r.Columns {
		name = ui.EscapeLine(name) // a header is not escaped as cells are, and this one is data
		table.Columns = append(table.Columns, ui.Column{Name: name, Right: true, Rank: i + 1, Verbatim: true})
	}
	table.Columns = append(table.Columns, ui.Column{Name: "total", Right: true})
	for i := range r.Rows {
		table.Add(ui.Text(r.cellsOf(&r.Rows[i])...)...)
	}
	if len(r.Rows) > 1 {
		table.Add(ui.Text(r.cellsOf(&r.Totals)...)...)
	}
	return table
}

// cellsOf are the words of a row.
func (r *CrossReport) cellsOf(row *CrossRow) []string {
	byName := map[string]*TallyReport{}
	for i := range row.Cells {
		byName[row.Cells[i].Name] = &row.Cells[i].TallyReport
	}
	words := []string{row.Name}
	for _, name := range r.Columns {
		if cell := byName[name]; cell != nil {
			words = append(words, r.wordsOf(cell))
		} else {
			words = append(words, "")
		}
	}
	return append(words, r.wordsOf(&row.Total))
}

// wordsOf is the number of a cell.
func (r *CrossReport) wordsOf(t *TallyReport) string {
	for _, name := range r.By {
		if dimensionNamed(name).hasNoUsage {
			return ui.Thousands(t.ToolCalls)
		}
	}
	if t.Estimated == nil {
		return t.costWords()
	}
	return t.Estimated.words()
}
