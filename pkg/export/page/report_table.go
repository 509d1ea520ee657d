package page

import (
	"html"
	"strconv"

	"clawctl/internal/ui"
)

// A numberCell has the words for a number, and the number if the words round it.
type numberCell struct {
	words string
	value float64
	exact bool   // the words are the number
	field string // of stats --json, that the cells of a column add up to; only in the last row
}

func count(n int64) numberCell {
	return numberCell{words: ui.Thousands(n), value: float64(n), exact: true}
}

func dollars(usd float64) numberCell { return numberCell{words: ui.Dollars(usd), value: usd} }

// total returns a cell with the total of a column.
func total(c numberCell, field string) numberCell {
	c.field = field
	return c
}

// A numberTable has one name and several numbers in each row.
type numberTable struct {
	name    string
	class   string
	columns []string
	rows    []numberRow
	totals  []numberCell
}

type numberRow struct {
	name, address string
	cells         []numberCell
}

// table writes a table that a line opens. Rows and cells need no end tags, and a table of every day has many.
func (p *reportWriter) table(t *numberTable) {
	name := html.EscapeString(t.name)
	p.out.raw("<details")
	if t.class != "" {
		p.out.raw(` class="` + t.class + `"`)
	}
	p.out.printf(`><summary>The numbers: %s</summary><div class="scroll" tabindex="0" role="region" `+
		`aria-label="%s"><table class="sessions"><thead><tr>`, name, name)
	for _, column := range t.columns {
		p.out.raw(`<th scope="col">` + html.EscapeString(column))
	}
	p.out.raw("</thead>\n<tbody>\n")
	for i := range t.rows {
		p.row(&t.rows[i])
	}
	p.out.raw("</tbody>")
	if t.totals != nil {
		p.out.raw("<tfoot>")
		p.row(&numberRow{name: "Total", cells: t.totals})
		p.out.raw("</tfoot>")
	}
	p.out.raw("</table></div></details>\n")
}

func (p *reportWriter) row(row *numberRow) {
	p.out.raw(`<tr><th scope="row">`)
	if row.address != "" {
		p.out.printf(`<a href="%s">%s</a>`, html.EscapeString(row.address), html.EscapeString(row.name))
	} else {
		p.out.text(row.name)
	}
	for _, c := range row.cells {
		p.cell(c)
	}
	p.out.raw("\n")
}

// cell writes a number. A zero is blank, except in the last row.
func (p *reportWriter) cell(c numberCell) {
	switch {
	case c.value == 0 && c.field == "":
		p.out.raw("<td>")
		return
	case c.exact:
		p.out.raw("<td")
	default:
		p.out.raw(`<td data-value="` + strconv.FormatFloat(c.value, 'f', -1, 64) + `"`)
	}
	if c.field != "" {
		p.out.raw(` data-field="` + c.field + `"`)
	}
	p.out.raw(">")
	p.out.text(c.words)
}
