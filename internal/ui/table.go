package ui

import (
	"slices"
	"strings"
)

// A Cut says how to shorten a cell that does not fit.
type Cut int

// The ways to shorten a cell.
const (
	Never    Cut = iota // numbers: a shortened number would be wrong
	AtEnd               // prose
	InMiddle            // keys, ids and paths
)

// A Column is one column of a table.
type Column struct {
	Name  string
	Right bool // aligned to the right, as numbers are
	Cut   Cut
	Min   int // the width that a cell keeps before it is shortened; 0 means defaultMin
	Rank  int // 0 is always shown; among the others the highest is hidden first
	// Verbatim keeps small letters in the header, because the name is data.
	Verbatim bool
}

// Words is a column that is never cut. One with a rank may be hidden.
func Words(name string, rank ...int) Column { return Column{Name: name, Rank: first(rank)} }

// Numbers is a column that is aligned to the right.
func Numbers(name string, rank ...int) Column {
	return Column{Name: name, Right: true, Rank: first(rank)}
}

// Middle is a column whose cells keep least of their width, and are cut in the middle. 0 is the usual width.
func Middle(name string, least int, rank ...int) Column {
	return Column{Name: name, Cut: InMiddle, Min: least, Rank: first(rank)}
}

// End is Middle for cells that are cut at their end.
func End(name string, least int, rank ...int) Column {
	return Column{Name: name, Cut: AtEnd, Min: least, Rank: first(rank)}
}

func first(ranks []int) int { return append(ranks, 0)[0] }

// title is the name as the header of a terminal shows it.
func (c *Column) title() string {
	if c.Verbatim {
		return c.Name
	}
	return strings.ToUpper(c.Name)
}

const defaultMin = 12

// A Cell is the text of one field.
type Cell struct {
	Text  string
	Short string // shown instead of Text if that does not fit; never cut itself
	Style Style
}

// A Table is a list of rows for people. On a terminal it fits the width. Elsewhere it shows everything.
type Table struct {
	Columns []Column
	Rows    [][]Cell
}

// Text returns cells of plain text.
func Text(texts ...string) []Cell {
	cells := make([]Cell, len(texts))
	for i, text := range texts {
		cells[i].Text = text
	}
	return cells
}

// Add appends a row.
func (t *Table) Add(cells ...Cell) { t.Rows = append(t.Rows, cells) }

// gap is the space between two columns.
const gap = 2

// Render lays the table out for a stream. hidden names the columns that do not fit on the terminal.
func (t *Table) Render(term Terminal) (text string, hidden []string) {
	clean := t.escape()
	widths := clean.naturalWidths()
	if term.Is {
		widths, hidden = clean.fit(term.Columns)
	}
	return trimLines(align(clean.visible(widths), clean.layOut(term, widths))), hidden
}

// escape returns the table with cells that are safe for a terminal and take one line each.
func (t *Table) escape() *Table {
	safe := &Table{Columns: t.Columns, Rows: make([][]Cell, len(t.Rows))}
	for i, row := range t.Rows {
		safe.Rows[i] = make([]Cell, len(row))
		for j, c := range row {
			safe.Rows[i][j] = Cell{escapeCell(c.Text), escapeCell(c.Short), c.Style}
		}
	}
	return safe
}

func escapeCell(text string) string {
	if strings.ContainsAny(text, "\n\t") {
		text = strings.NewReplacer("\n", " ", "\t", " ").Replace(text)
	}
	return Escape(text)
}

func (t *Table) naturalWidths() []int {
	widths := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		widths[i] = Width(c.Name)
		for _, row := range t.Rows {
			widths[i] = max(widths[i], Width(row[i].Text))
		}
	}
	return widths
}

// leastWidths returns the widths below which columns are hidden.
func (t *Table) leastWidths() []int {
	widths := make([]int, len(t.Columns))
	for i, c := range t.Columns {
		widths[i] = Width(c.Name)
		for _, row := range t.Rows {
			widths[i] = max(widths[i], c.leastWidth(row[i]))
		}
	}
	return widths
}

func (c Column) leastWidth(cell Cell) int {
	width, room := Width(cell.Text), c.Min
	if room == 0 {
		room = defaultMin
	}
	if c.Cut == Never {
		room = width
	}
	if cell.Short != "" && width > room {
		room = Width(cell.Short)
	}
	return min(width, room)
}

// fit chooses the columns that a terminal shows and their widths. A hidden column has the width -1.
func (t *Table) fit(columns int) (widths []int, hidden []string) {
	natural, least := t.naturalWidths(), t.leastWidths()
	for i := range t.Columns {
		if t.isEmpty(i) {
			least[i] = -1
		}
	}
	hide := func(i int) {
		least[i] = -1
		hidden = append(hidden, t.Columns[i].Name)
	}
	for i := t.leastImportant(least); i >= 0 && total(least) > columns; i = t.leastImportant(least) {
		hide(i)
	}
	for i := t.rightmost(least); i > 0 && total(t.floor(least)) > columns; i = t.rightmost(least) {
		hide(i)
	}
	slices.Reverse(hidden)
	t.squeeze(least, t.floor(least), columns)
	grow(least, natural, columns-total(least))
	t.tighten(least)
	for i, c := range t.Columns {
		if c.Cut != AtEnd {
			natural[i] = least[i]
		}
	}
	grow(least, natural, columns-total(least))
	return least, hidden
}

// tighten gives back the room that no cell of a column uses. A shortened name leaves room for prose.
func (t *Table) tighten(widths []int) {
	for i, c := range t.Columns {
		if widths[i] < 0 {
			continue
		}
		used := Width(c.Name)
		for _, row := range t.Rows {
			used = max(used, Width(c.shorten(row[i], widths[i])))
		}
		widths[i] = min(widths[i], used)
	}
}

// isEmpty reports whether a column that may be hidden has nothing to show.
func (t *Table) isEmpty(column int) bool {
	return t.Columns[column].Rank > 0 &&
		!slices.ContainsFunc(t.Rows, func(row []Cell) bool { return row[column].Text != "" })
}

// leastImportant returns the shown column with the highest rank, or -1 if the remaining ones must stay.
func (t *Table) leastImportant(widths []int) int {
	worst := -1
	for i, c := range t.Columns {
		if widths[i] >= 0 && c.Rank > 0 && (worst < 0 || c.Rank > t.Columns[worst].Rank) {
			worst = i
		}
	}
	return worst
}

// rightmost returns the last shown column, if possible one of text: a number says more than a few letters. The first
// column stays, because it says what a row is about; 0 stands for no other.
func (t *Table) rightmost(widths []int) (last int) {
	for i, c := range t.Columns {
		if i > 0 && widths[i] >= 0 && (last == 0 || !c.Right || t.Columns[last].Right) {
			last = i
		}
	}
	return last
}

// How many letters of a cell, and of a column's name, tell something.
const (
	fewest       = 6
	fewestOfName = 4
)

// floor returns the widths that a very narrow terminal leaves to columns: a few letters, or a number under a name that
// is cut.
func (t *Table) floor(widths []int) []int {
	floor := slices.Clone(widths)
	for i, c := range t.Columns {
		switch {
		case widths[i] < 0:
		case c.Cut == Never:
			floor[i] = max(t.cellWidth(i), min(widths[i], fewestOfName))
		default:
			floor[i] = min(widths[i], fewest)
		}
	}
	return floor
}

// cellWidth is the width of the widest cell of a column.
func (t *Table) cellWidth(column int) (width int) {
	for _, row := range t.Rows {
		width = max(width, Width(row[column].Text))
	}
	return width
}

// squeeze takes what a terminal lacks from the widest columns that may be cut, and then from the names of the others.
func (t *Table) squeeze(widths, floor []int, columns int) {
	for _, isCut := range []bool{true, false} {
		for total(widths) > columns {
			widest := -1
			for i, c := range t.Columns {
				if (c.Cut != Never) == isCut && widths[i] > floor[i] && (widest < 0 || widths[i] > widths[widest]) {
					widest = i
				}
			}
			if widest < 0 {
				break
			}
			widths[widest]--
		}
	}
}

// grow divides room among the columns that need more. A column that needs less than its share leaves the rest to
// others.
func grow(widths, natural []int, room int) {
	for room > 0 {
		var short []int
		for i := range widths {
			if widths[i] >= 0 && widths[i] < natural[i] {
				short = append(short, i)
			}
		}
		if len(short) == 0 {
			return
		}
		share := max(1, room/len(short))
		for _, i := range short {
			given := min(share, room, natural[i]-widths[i])
			widths[i] += given
			room -= given
		}
	}
}

// total returns the width of a table with such columns.
func total(widths []int) (sum int) {
	for _, w := range widths {
		if w >= 0 {
			sum += w + gap
		}
	}
	return max(0, sum-gap)
}

func (t *Table) visible(widths []int) (columns []Column) {
	for i, c := range t.Columns {
		if widths[i] >= 0 {
			columns = append(columns, c)
		}
	}
	return columns
}

// layOut returns the header and the rows as they are printed, without padding.
func (t *Table) layOut(term Terminal, widths []int) [][]string {
	rows := make([][]string, 0, len(t.Rows)+1)
	var header []string
	for i, c := range t.Columns {
		if widths[i] >= 0 {
			header = append(header, term.Paint(Bold, CutEnd(c.title(), widths[i])))
		}
	}
	rows = append(rows, header)
	for _, row := range t.Rows {
		line := make([]string, 0, len(header))
		for i, cell := range row {
			if widths[i] >= 0 {
				line = append(line, term.Paint(cell.Style, t.Columns[i].shorten(cell, widths[i])))
			}
		}
		rows = append(rows, line)
	}
	return rows
}

// shorten returns the form of a cell that fits.
func (c Column) shorten(cell Cell, width int) string {
	if Width(cell.Text) <= width {
		return cell.Text
	}
	text := cell.Text
	if cell.Short != "" {
		text = cell.Short
	}
	switch c.Cut {
	case AtEnd:
		return CutEnd(text, width)
	case InMiddle:
		return CutMiddle(text, width)
	}
	return text
}

// align pads the cells, so that columns begin at the same place in every row. It measures text in the same way as the
// fitting of columns does, and knows clawctl's color codes.
func align(columns []Column, rows [][]string) string {
	widths := make([]int, len(columns))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], PaintedWidth(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		for i, cell := range row {
			space := strings.Repeat(" ", widths[i]-PaintedWidth(cell))
			if columns[i].Right {
				b.WriteString(space + cell + "  ")
			} else {
				b.WriteString(cell + space + "  ")
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// PaintedWidth returns the width of text that may contain clawctl's color codes.
func PaintedWidth(text string) int {
	if !strings.Contains(text, "\x1b") {
		return Width(text)
	}
	width := 0
	for text != "" {
		before, after, found := strings.Cut(text, "\x1b[")
		width += Width(before)
		if !found {
			break
		}
		_, text, _ = strings.Cut(after, "m")
	}
	return width
}

// trimLines drops the padding at the ends of lines.
func trimLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return b.String()
}
