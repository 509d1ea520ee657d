package browsing

import (
	"fmt"

	"clawctl/internal/ui"
)

// Frame returns the lines of the screen.
func (m *Model) Frame() []string {
	lines := []string{ui.FitPainted(m.headLine(), m.width)}
	lines = append(lines, m.bodyLines()...)
	return append(lines, ui.FitPainted(m.footLine(), m.width))
}

// bodyLines are the list and the conversation, beside each other if there is room for both.
func (m *Model) bodyLines() []string {
	switch {
	case m.isWide():
		list, talk := m.listRows(), m.rightRows()
		for i := range list {
			list[i] += m.term.Paint(ui.Dim, m.bar()) + talk[i]
		}
		return list
	case m.focus == onList:
		return m.listRows()
	}
	return m.rightRows()
}

func (m *Model) bar() string {
	if m.term.ASCII {
		return "|"
	}
	return "│"
}

func (m *Model) rightRows() []string {
	if m.focus == onActions {
		return m.actionRows()
	}
	return m.talkRows()
}

// headLine is the filter and how many sessions pass it, or the name of the session.
func (m *Model) headLine() string {
	if it := m.current(); it != nil && m.focus != onList && !m.isWide() {
		return m.term.Paint(ui.Bold, ui.CutMiddle(ui.EscapeLine(it.Name), m.width))
	}
	count := ui.Count(len(m.items), "session")
	if m.filter != "" {
		count = fmt.Sprintf("%d of %s", len(m.shown), count)
	}
	cursor := ""
	if m.focus == onList {
		cursor = "_"
	}
	return m.term.Paint(ui.Hint, "filter:") + " " + ui.EscapeLine(m.filter) + cursor + "  " + m.term.Paint(ui.Dim, count)
}

// The keys that matter in each state.
const (
	listKeys   = "type to filter · ↑↓ move · Enter open · ^Y copy name · Esc quit"
	talkKeys   = "↑↓ scroll · n/p prompts · / search · e expand · t tree · y copy · x command · q back"
	searchKeys = "Enter search · Esc cancel"
	actionKeys = "↑↓ choose · Enter leave and print · Esc back"
)

// footLine is a remark, or the keys.
func (m *Model) footLine() string {
	switch {
	case m.focus == onSearch:
		return m.term.Paint(ui.Hint, "/") + ui.EscapeLine(m.talk.typed) + "_  " + m.term.Paint(ui.Dim, searchKeys)
	case m.message != "":
		return m.message
	case m.focus == onActions:
		return m.term.Paint(ui.Dim, actionKeys)
	case m.focus == onTalk:
		return m.term.Paint(ui.Dim, m.place()+talkKeys)
	}
	return m.term.Paint(ui.Dim, listKeys)
}

// place says how far the conversation was scrolled.
func (m *Model) place() string {
	t := &m.talk
	switch {
	case t.waiting:
		return "reading … · "
	case len(t.lines) <= m.bodyRows():
		return ""
	}
	return fmt.Sprintf("%d%% · ", min(100, (t.top+m.bodyRows())*100/len(t.lines)))
}
