package page

import (
	"fmt"
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
	p.raw("<details")
	if t.class != "" {
		p.raw(` class="` + t.class + `"`)
	}
	fmt.Fprintf(p.out, `><summary>The numbers: %s</summary><div class="scroll" tabindex="0" role="region" `+
		`aria-label="%s"><table class="sessions"><thead><tr>`, name, name)
	for _, column := range t.columns {
		p.raw(`<th scope="col">` + html.EscapeString(column))
	}
	p.raw("</thead>\n<tbody>\n")
	for i := range t.rows {
		p.row(&t.rows[i])
	}
	p.raw("</tbody>")
	if t.totals != nil {
		p.raw("<tfoot>")
		p.row(&numberRow{name: "Total", cells: t.totals})
		p.raw("</tfoot>")
	}
	p.raw("</table></div></details>\n")
}

func (p *reportWriter) row(row *numberRow) {
	p.raw(`<tr><th scope="row">`)
	if row.address != "" {
		fmt.Fprintf(p.out, `<a href="%s">%s</a>`, html.EscapeString(row.address), html.EscapeString(row.name))
	} else {
		p.text(row.name)
	}
	for _, c := range row.cells {
		p.cell(c)
	}
	p.raw("\n")
}

// cell writes a number. A zero is blank, except in the last row.
func (p *reportWriter) cell(c numberCell) {
	switch {
	case c.value == 0 && c.field == "":
		p.raw("<td>")
		return
	case c.exact:
		p.raw("<td")
	default:
		p.raw(`<td data-value="` + strconv.FormatFloat(c.value, 'f', -1, 64) + `"`)
	}
	if c.field != "" {
		p.raw(` data-field="` + c.field + `"`)
	}
	p.raw(">")
	p.text(c.words)
}
