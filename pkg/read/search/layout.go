package search

import (
	"context"
	"fmt"
	"strings"
	"time"

	"clawctl/internal/ui"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/change/secrets"
	"clawctl/pkg/read/render"
	"clawctl/pkg/source"
)

// A Layout is how people see hits.
type Layout struct {
	Term ui.Terminal // the zero value if they go elsewhere
	Now  time.Time   // its time zone is that of the times of hits

	masker redact.Masker // of titles
}

// NewLayout returns a layout that masks titles, unless they are wanted raw.
func NewLayout(term ui.Terminal, now time.Time, raw bool, rules []*secrets.Rule) Layout {
	return Layout{Term: term, Now: now, masker: redact.Masker{Raw: raw, Rules: rules}}
}

// Heading is the line above the hits of a session: title, name and age.
func (l *Layout) Heading(s *source.Session) string {
	term := l.Term
	name, title := ui.EscapeLine(s.Name()), s.ReadTitle(context.Background())
	if title != s.Name() { // names stay, because other commands take them
		title = l.masker.Text(title)
	}
	title = ui.EscapeLine(title)
	if title == name {
		title = ""
	}
	age := ""
	if used := s.LastUsed(); !used.IsZero() {
		age = "  " + ui.Ago(used, l.Now)
	}
	if room := term.Columns - ui.Width(name) - ui.Width(age) - 2; title != "" && (!term.Is || room >= 10) {
		if term.Is {
			title = ui.CutEnd(title, room)
		}
		return term.Paint(ui.Bold, title) + "  " + name + term.Paint(ui.Dim, age)
	}
	return term.Paint(ui.Bold, name) + term.Paint(ui.Dim, age)
}

// message is how whole messages look.
func (l Layout) message() render.Style {
	style := render.Style{Color: l.Term.Color, Tools: render.ToolsFull, Thinking: true, Location: l.Now.Location()}
	if l.Term.Is {
		style.Width = l.Term.Columns
	}
	return style
}

// snippetWidth is how wide a snippet is if the output is not a terminal.
const snippetWidth = 160

// wideScreen is the width from which on a line has room for the names of tools.
const wideScreen = 110

// Line returns a hit as one line: time, role, entry and the text around the match.
func (l Layout) Line(h Hit) string {
	term := l.Term
	at := "                "
	if !h.Time.IsZero() {
		at = ui.Minute(h.Time.In(l.Now.Location()))
	}
	who, column := h.Place, 9
	if !term.Is || term.Columns >= wideScreen {
		who, column = strings.TrimSpace(who+" "+ui.CutEnd(ui.EscapeLine(h.Tool), 12)), 19
	}
	entry := ui.EscapeLine(h.Entry)
	if term.Is {
		entry = shortEntry(entry)
	}
	left := fmt.Sprintf("  %s  %s  %s  ", at, pad(who, column), pad(entry, entryWidth))
	width := snippetWidth
	if term.Is {
		width = max(20, term.Columns-ui.Width(left))
	}
	style := ui.Plain
	if h.Failed {
		style = ui.Error
	}
	return "  " + term.Paint(ui.Dim, at) + "  " + term.Paint(style, pad(who, column)) + "  " +
		term.Paint(ui.Dim, pad(entry, entryWidth)) + "  " + snippet(term, h, width)
}

// entryWidth is how many characters of an entry's id are shown on a terminal. They are enough for show --from.
const entryWidth = 8

func shortEntry(id string) string {
	if ui.Width(id) == len(id) {
		return id[:min(len(id), entryWidth)]
	}
	return id
}

func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-ui.Width(text)))
}
