package browsing

import (
	"unicode/utf8"

	"clawctl/internal/ui"
)

// rowsPerItem is how many rows of the screen a session takes: its title, and what it is.
const rowsPerItem = 2

func (m *Model) itemsOnScreen() int { return max(1, m.bodyRows()/rowsPerItem) }

// pressInList moves in the list, or changes the filter.
func (m *Model) pressInList(key ui.Key) {
	switch key {
	case ui.KeyUp:
		m.moveTo(m.cursor - 1)
	case ui.KeyDown:
		m.moveTo(m.cursor + 1)
	case ui.KeyPageUp:
		m.moveTo(m.cursor - m.itemsOnScreen())
	case ui.KeyPageDown:
		m.moveTo(m.cursor + m.itemsOnScreen())
	case ui.KeyHome:
		m.moveTo(0)
	case ui.KeyEnd:
		m.moveTo(len(m.shown) - 1)
	case ui.KeyEnter, ui.KeyRight, ui.KeyTab:
		m.openTalk()
	case ui.KeyCopy:
		m.copyName()
	case ui.KeyEscape:
		if m.filter == "" {
			m.quit = true
			return
		}
		m.setFilter("")
	case ui.KeyClear:
		m.setFilter("")
	case ui.KeyBackspace:
		_, size := utf8.DecodeLastRuneInString(m.filter)
		m.setFilter(m.filter[:len(m.filter)-size])
	default:
		if key.IsText() {
			m.setFilter(m.filter + string(key))
		}
	}
}

func (m *Model) setFilter(filter string) {
	if filter != m.filter {
		m.filter = filter
		m.applyFilter()
	}
}

func (m *Model) moveTo(cursor int) {
	m.cursor = min(max(cursor, 0), max(0, len(m.shown)-1))
	m.scrollList()
	m.show()
}

// scrollList makes the cursor visible.
func (m *Model) scrollList() {
	m.top = min(m.top, m.cursor)
	m.top = max(m.top, m.cursor-m.itemsOnScreen()+1)
}

func (m *Model) openTalk() {
	if m.current() == nil {
		return
	}
	m.focus = onTalk
	m.show()
}

// listRows are the rows of the list, as wide as it is.
func (m *Model) listRows() []string {
	var rows []string
	width := m.listWidth()
	for i := m.top; i < len(m.shown) && len(rows)+rowsPerItem <= m.bodyRows(); i++ {
		rows = append(rows, m.itemRows(m.items[m.shown[i]], i == m.cursor, width)...)
	}
	if len(m.shown) == 0 {
		rows = append(rows, m.term.Paint(ui.Dim, "  no session has these words"))
	}
	for len(rows) < m.bodyRows() {
		rows = append(rows, "")
	}
	for i := range rows {
		rows[i] = ui.FitPainted(rows[i], width)
	}
	return rows
}

func (m *Model) itemRows(it *Item, isCurrent bool, width int) []string {
	mark, style := "  ", ui.Plain
	if isCurrent {
		mark, style = "> ", ui.Bold
	}
	title, room := ui.EscapeLine(it.Title), max(8, width-len(mark)-1)
	if title == "" {
		title = ui.EscapeLine(it.Name)
	}
	about := ui.EscapeLine(it.About)
	return []string{
		m.term.Paint(ui.Hint, mark[:1]) + " " + m.term.Paint(style, ui.CutEnd(title, room)),
		"  " + m.term.Paint(ui.Dim, ui.CutEnd(about, room)),
	}
}
