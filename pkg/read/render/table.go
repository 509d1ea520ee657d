package render

import (
	"slices"
	"strings"

	"clawctl/internal/ui"
)

// A table is a table of Markdown.
type table struct {
	source []string // its lines, for one that is too wide
	rows   [][]string
	rights []bool // columns that are aligned to the right
}

// Limits of a table that is drawn.
const (
	maxColumns = 40
	leastCell  = 6
)

// beginsTable reports whether a line is the header of a table: the next one has the dashes.
func beginsTable(line, next string) bool {
	if !strings.Contains(line, "|") {
		return false
	}
	_, next = unquote(next)
	cells := cellsOf(strings.TrimSpace(next))
	return strings.Contains(next, "-") && len(cells) == len(cellsOf(line)) && !slices.ContainsFunc(cells, isNotDashes)
}

func isNotDashes(cell string) bool {
	bare := strings.TrimSuffix(strings.TrimPrefix(cell, ":"), ":")
	return bare == "" || strings.Trim(bare, "-") != ""
}

func newTable(header string) *table {
	return &table{source: []string{header}, rows: [][]string{cellsOf(header)}}
}

// add reads a further line.
func (t *table) add(line string) {
	t.source = append(t.source, line)
	cells := cellsOf(line)
	if len(t.source) > 2 {
		t.rows = append(t.rows, cells)
		return
	}
	for _, cell := range cells {
		t.rights = append(t.rights, strings.HasSuffix(cell, ":") && !strings.HasPrefix(cell, ":"))
	}
}

// cellsOf splits a row at its bars. A bar in code or after a backslash does not count.
func cellsOf(line string) []string {
	var cells []string
	line = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), "|"), "|")
	start, inCode := 0, false
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\':
			i++
		case line[i] == '`':
			inCode = !inCode
		case line[i] == '|' && !inCode:
			cells = append(cells, strings.TrimSpace(line[start:i]))
			start = i + 1
		}
	}
	return append(cells, strings.TrimSpace(line[start:]))
}

// endTable renders the table that was read.
func (m *markdown) endTable() {
	t := m.tab
	if t == nil {
		return
	}
	m.tab = nil
	widths, fits := t.widths(m.style, m.wide-len(m.margin())-2*m.quotes)
	if !fits {
		for _, line := range t.source {
			m.paragraph("", "", []span{{text: line}})
		}
		return
	}
	for i, row := range t.rows {
		m.row(t, row, widths, i == 0)
	}
}

// widths chooses the widths of columns. fits is false if there is no room for them.
func (t *table) widths(s Style, room int) (widths []int, fits bool) {
	n := len(t.rows[0])
	if n > maxColumns {
		return nil, false
	}
	widths = make([]int, n)
	for _, row := range t.rows {
		for i, cell := range row[:min(n, len(row))] {
			widths[i] = max(widths[i], spanWidth(s.inline(cell)), 1)
		}
	}
	room -= 3 * (n - 1)
	if room < n*leastCell {
		return widths, sum(widths) <= room
	}
	for sum(widths) > room {
		shrinkWidest(widths, sum(widths)-room)
	}
	return widths, true
}

// shrinkWidest makes the widest column as wide as the next one, or a little narrower.
func shrinkWidest(widths []int, excess int) {
	widest, second := 0, 0
	for i, w := range widths {
		if w > widths[widest] {
			widest = i
		}
	}
	for i, w := range widths {
		if i != widest {
			second = max(second, w)
		}
	}
	step := max(1, widths[widest]-max(second, leastCell))
	widths[widest] -= min(step, excess)
}

func sum(list []int) (n int) {
	for _, v := range list {
		n += v
	}
	return n
}

func spanWidth(spans []span) (n int) {
	for _, sp := range spans {
		n += ui.Width(sp.text)
	}
	return n
}

// row renders a row, over several lines if cells do not fit.
func (m *markdown) row(t *table, cells []string, widths []int, isHeader bool) {
	columns := make([][]string, len(widths))
	height := 1
	for i := range widths {
		if i < len(cells) {
			spans := m.style.inline(cells[i])
			if isHeader {
				spans = withStyle(spans, ui.Bold)
			}
			columns[i] = m.style.wrapSpansExactly(spans, widths[i])
			height = max(height, len(columns[i]))
		}
	}
	for y := range height {
		m.emit("", m.rowLine(t, columns, widths, y))
	}
	if isHeader {
		m.emit("", m.style.paint(ui.Dim, dashes(widths)))
	}
}

func (m *markdown) rowLine(t *table, columns [][]string, widths []int, y int) string {
	cells := make([]string, len(widths))
	for i, width := range widths {
		text := ""
		if y < len(columns[i]) {
			text = columns[i][y]
		}
		pad := strings.Repeat(" ", max(0, width-ui.PaintedWidth(text)))
		if cells[i] = text + pad; i < len(t.rights) && t.rights[i] {
			cells[i] = pad + text
		}
	}
	return strings.TrimRight(strings.Join(cells, m.style.paint(ui.Dim, " │ ")), " ")
}

func dashes(widths []int) string {
	lines := make([]string, len(widths))
	for i, width := range widths {
		lines[i] = strings.Repeat("─", width)
	}
	return strings.Join(lines, "─┼─")
}
