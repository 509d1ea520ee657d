package browsing

import "clawctl/internal/ui"

// pressInActions chooses the command line that is printed at the end.
func (m *Model) pressInActions(key ui.Key) {
	actions := m.current().Actions
	switch key {
	case ui.KeyUp, "k":
		m.action = max(0, m.action-1)
	case ui.KeyDown, "j":
		m.action = min(len(actions)-1, m.action+1)
	case ui.KeyEnter:
		m.printed, m.quit = actions[m.action].Command, true
	case ui.KeyEscape, "q", ui.KeyLeft:
		m.focus = onTalk
	}
}

// actionRows list what can be done with the session.
func (m *Model) actionRows() []string {
	rows := make([]string, m.bodyRows())
	list := []string{m.term.Paint(ui.Bold, "Enter leaves and prints the command. Nothing is run."), ""}
	for i, action := range m.current().Actions {
		mark := "  "
		if i == m.action {
			mark = "> "
		}
		list = append(list, m.term.Paint(ui.Hint, mark[:1])+" "+m.term.Paint(ui.Bold, action.Name),
			"    "+ui.EscapeLine(action.Command), "")
	}
	copy(rows, list)
	for i := range rows {
		rows[i] = ui.FitPainted(rows[i], m.talkWidth())
	}
	return rows
}
