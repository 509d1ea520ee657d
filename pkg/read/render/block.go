package render

import (
	"strings"

	"clawctl/internal/ui"
)

// A markdown renders the Markdown of one text as lines for a terminal. It reads line by line and keeps no tree: a line
// either begins a block or continues one. Line breaks are kept, as in a comment on GitHub.
type markdown struct {
	style Style
	width int // of prose
	wide  int // of code and tables

	out    []string
	quotes int   // how many quotes the current line is in
	lists  []int // the indentation of the lists that the current line is in
	fence  string
	depth  int    // the indentation of the fence
	tab    *table // being read
}

// maxQuotes is how many quotes inside each other are drawn.
const maxQuotes = 8

// render returns the lines of a text.
func (m *markdown) render(text string) []string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		next := ""
		if i+1 < len(lines) {
			next = lines[i+1]
		}
		m.line(line, next)
	}
	m.endTable()
	return m.out
}

// line renders a line; next is the one after it.
func (m *markdown) line(line, next string) {
	if m.fence != "" {
		m.code(line)
		return
	}
	quotes, inner := unquote(line)
	if quotes != m.quotes {
		m.endTable()
		m.quotes, m.lists = quotes, nil
	}
	trimmed := strings.TrimLeft(inner, " \t")
	if m.tab != nil {
		if strings.Contains(trimmed, "|") {
			m.tab.add(trimmed)
			return
		}
		m.endTable()
	}
	depth := indentation(inner)
	switch {
	case trimmed == "":
		m.emit("", "")
	case isFence(trimmed):
		m.openFence(trimmed, depth)
	case isHeading(trimmed):
		m.heading(trimmed)
	case isRule(trimmed):
		m.closeLists(depth)
		m.emit("", m.style.paint(ui.Dim, strings.Repeat("─", max(3, m.room()))))
	case beginsTable(trimmed, next):
		m.closeLists(depth)
		m.tab = newTable(trimmed)
	default:
		m.text(trimmed, depth)
	}
}

// unquote takes the marks of quotes off a line.
func unquote(line string) (quotes int, inner string) {
	inner = line
	for quotes < maxQuotes {
		rest, found := strings.CutPrefix(strings.TrimLeft(inner, " "), ">")
		if !found {
			break
		}
		quotes++
		inner = strings.TrimPrefix(rest, " ")
	}
	return quotes, inner
}

// indentation is the number of columns before the text of a line.
func indentation(line string) int {
	var n int
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			n++
		case '\t':
			n += 4
		default:
			return n
		}
	}
	return n
}

func isFence(line string) bool {
	return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
}

// fenceOf returns the mark that a line begins with.
func fenceOf(line string) string {
	n := 0
	for n < len(line) && line[n] == line[0] {
		n++
	}
	return line[:n]
}

// openFence begins a block of code.
func (m *markdown) openFence(line string, depth int) {
	mark := fenceOf(line)
	info := strings.TrimSpace(line[len(mark):])
	if mark[0] == '`' && strings.Contains(info, "`") {
		m.text(line, depth)
		return
	}
	m.closeLists(depth)
	m.fence, m.depth = mark, depth
	info = ui.CutEnd(expandTabs(info), max(1, m.room()-3))
	m.emit("", m.style.paint(ui.Dim, strings.TrimRight("╭─ "+info, " ")))
}

// code renders a line of a block of code.
func (m *markdown) code(line string) {
	_, inner := line, line
	if m.quotes > 0 {
		_, inner = unquote(line)
	}
	trimmed := strings.TrimSpace(inner)
	if closesFence(trimmed, m.fence) {
		m.fence = ""
		m.emit("", m.style.paint(ui.Dim, "╰─"))
		return
	}
	inner = cutIndent(inner, m.depth)
	for _, piece := range wrapVerbatim(inner, m.wide-len(m.margin())-4*m.quotes-2) {
		m.emit("", m.style.paint(ui.Dim, "│ ")+m.style.paint(ui.Code, piece))
	}
}

// cutIndent takes at most n spaces off a line.
func cutIndent(line string, n int) string {
	for n > 0 && strings.HasPrefix(line, " ") {
		line, n = line[1:], n-1
	}
	return line
}

// isHeading reports whether a line is a heading: one to six # and a space.
func isHeading(line string) bool {
	n := len(line) - len(strings.TrimLeft(line, "#"))
	return n >= 1 && n <= 6 && (len(line) == n || line[n] == ' ')
}

// heading renders a heading. Without color it keeps its marks.
func (m *markdown) heading(line string) {
	m.lists = nil
	text := strings.TrimSpace(line)
	if m.style.Color {
		text = strings.TrimSpace(strings.Trim(text, "#"))
	}
	style := ui.Heading
	m.paragraph("", "", withStyle(m.style.inline(text), style))
}

// withStyle puts a style under those that spans already have.
func withStyle(spans []span, style ui.Style) []span {
	for i := range spans {
		spans[i].style = style + spans[i].style
	}
	return spans
}

// isRule reports whether a line is a thematic break.
func isRule(line string) bool {
	bare := strings.ReplaceAll(strings.TrimSpace(line), " ", "")
	return len(bare) >= 3 && strings.ContainsAny(bare[:1], "-*_") && strings.Trim(bare, bare[:1]) == ""
}

// text renders a line of a paragraph or of a list.
func (m *markdown) text(line string, depth int) {
	mark, rest, isItem := listMark(line)
	if !isItem {
		if depth == 0 {
			m.lists = nil
		}
		m.paragraph("", "", m.style.inline(line))
		return
	}
	m.closeLists(depth)
	m.lists = append(m.lists, depth)
	margin := strings.Repeat(" ", ui.Width(mark)+1)
	first := m.style.paint(ui.Bullet, mark) + " "
	if box, text, ok := taskMark(rest); ok {
		first, rest = first+box+" ", text
		margin += "  "
	}
	outer := m.lists
	m.lists = m.lists[:len(m.lists)-1]
	m.paragraph(first, margin, m.style.inline(rest))
	m.lists = outer
}

// closeLists leaves the lists that are indented at least as far.
func (m *markdown) closeLists(depth int) {
	for len(m.lists) > 0 && m.lists[len(m.lists)-1] >= depth {
		m.lists = m.lists[:len(m.lists)-1]
	}
}

// listMark splits an item of a list into what it begins with and its text.
func listMark(line string) (mark, rest string, ok bool) {
	if len(line) >= 2 && strings.ContainsAny(line[:1], "-*+") && line[1] == ' ' {
		return "•", strings.TrimLeft(line[2:], " "), true
	}
	n := 0
	for n < len(line) && n < 9 && line[n] >= '0' && line[n] <= '9' {
		n++
	}
	if n > 0 && n+1 < len(line) && (line[n] == '.' || line[n] == ')') && line[n+1] == ' ' {
		return line[:n+1], strings.TrimLeft(line[n+2:], " "), true
	}
	return "", line, false
}

// taskMark splits the item of a list of tasks.
func taskMark(text string) (box, rest string, ok bool) {
	switch {
	case strings.HasPrefix(text, "[ ] "):
		return "☐", text[4:], true
	case strings.HasPrefix(text, "[x] "), strings.HasPrefix(text, "[X] "):
		return "☑", text[4:], true
	}
	return "", text, false
}

// maxMargin is how far lists are indented at most.
const maxMargin = 16

// margin is the indentation of the current lists.
func (m *markdown) margin() string { return strings.Repeat("  ", min(len(m.lists), maxMargin/2)) }

// room is the width of prose inside the current quotes and lists.
func (m *markdown) room() int { return m.width - len(m.margin()) - 2*m.quotes }

// paragraph emits wrapped text: first before its first line, then margin.
func (m *markdown) paragraph(first, margin string, spans []span) {
	for i, line := range m.style.wrapSpans(spans, m.room()-len(margin)) {
		if i == 0 {
			m.emit(first, line)
			continue
		}
		m.emit(margin, line)
	}
}

// emit adds a line behind the bars of quotes and the indentation of lists.
func (m *markdown) emit(before, line string) {
	bars := m.style.paint(ui.Dim, strings.Repeat("▎ ", m.quotes))
	m.out = append(m.out, bars+m.margin()+before+line)
}
