package browsing

import (
	"strings"
	"unicode/utf8"

	"clawctl/internal/showing"
	"clawctl/internal/ui"
	"clawctl/pkg/source"
)

// A talk is the conversation on the screen.
type talk struct {
	session  *source.Session
	columns  int
	last     int // the turns that are asked for; 0 means all
	tree     bool
	expanded map[string]bool
	waiting  bool // for a drawing

	lines []showing.Line
	top   int
	atEnd bool   // the next drawing is shown from its end
	keep  string // the entry that stays at the top when the next drawing comes

	query string // what was looked for
	seeks bool   // the next drawing is searched for it
	typed string // what is being typed
}

// take takes a drawing.
func (t *talk) take(lines []showing.Line, rows int) {
	before := len(t.lines) - t.top // rows from the top of the screen to the end
	t.lines, t.waiting = lines, false
	if t.last > 0 && countPrompts(lines) < t.last {
		t.last = 0 // that is all of it
	}
	switch {
	case t.atEnd:
		t.top = len(lines) - rows
	case t.keep != "":
		for i, line := range lines {
			if line.Entry == t.keep {
				t.top = i
				break
			}
		}
	default:
		t.top = len(lines) - before // more was added above
	}
	t.atEnd, t.keep = false, ""
	t.scroll(t.top, rows)
}

func countPrompts(lines []showing.Line) (n int) {
	for _, line := range lines {
		if line.Prompt {
			n++
		}
	}
	return n
}

// scroll moves the first row of the screen.
func (t *talk) scroll(top, rows int) { t.top = min(max(top, 0), max(0, len(t.lines)-rows)) }

// pressInTalk moves in a conversation.
func (m *Model) pressInTalk(key ui.Key) {
	t, rows := &m.talk, m.bodyRows()
	switch key {
	case ui.KeyUp, "k":
		m.scrollUp(1)
	case ui.KeyDown, "j":
		t.scroll(t.top+1, rows)
	case ui.KeyPageUp, "b":
		m.scrollUp(rows - 1)
	case ui.KeyPageDown, " ":
		t.scroll(t.top+rows-1, rows)
	case ui.KeyHome, "g":
		m.toBeginning()
	case ui.KeyEnd, "G":
		t.scroll(len(t.lines), rows)
	case ui.KeyEscape, ui.KeyLeft, "q", ui.KeyTab:
		m.focus = onList
		m.scrollList()
	default:
		m.pressLetter(key)
	}
}

// pressLetter does what the letters stand for.
func (m *Model) pressLetter(key ui.Key) {
	switch key {
	case "n":
		m.toPrompt(1)
	case "p":
		m.toPrompt(-1)
	case "/":
		m.focus, m.talk.typed = onSearch, ""
	case "]", ui.KeyEnter:
		m.toHit(1)
	case "[":
		m.toHit(-1)
	case "e":
		m.expand()
	case "t":
		t := &m.talk
		t.tree, t.last, t.atEnd = !t.tree, firstTurns, t.tree
		if t.tree {
			t.last = 0
		}
		m.request()
	case "y", ui.KeyCopy:
		m.copyName()
	case "x":
		if it := m.current(); it != nil && len(it.Actions) > 0 {
			m.focus, m.action = onActions, 0
		}
	}
}

// scrollUp moves up, and asks for more turns at the top.
func (m *Model) scrollUp(rows int) {
	t := &m.talk
	if t.top == 0 && t.last > 0 && !t.waiting {
		t.last *= 4
		m.request()
		m.say("reading earlier turns")
		return
	}
	t.scroll(t.top-rows, m.bodyRows())
}

// toBeginning goes to the beginning of the session, which may have to be read.
func (m *Model) toBeginning() {
	t := &m.talk
	if t.last > 0 {
		t.last = 0
		m.request()
		m.say("reading the whole session")
	}
	t.top = 0
	t.keep = " " // no entry: the top stays
}

// toPrompt goes to what the user said next, or before.
func (m *Model) toPrompt(step int) {
	t := &m.talk
	for at := t.top + step; at >= 0 && at < len(t.lines); at += step {
		if t.lines[at].Prompt {
			t.scroll(at, m.bodyRows())
			return
		}
	}
	if step < 0 {
		m.scrollUp(m.bodyRows())
		return
	}
	m.say("no later prompt")
}

// expand shows the calls of the entry at the top in full, or as one line again.
func (m *Model) expand() {
	t := &m.talk
	for at := t.top; at < len(t.lines) && at < t.top+m.bodyRows(); at++ {
		if id := t.lines[at].Entry; id != "" {
			t.expanded[id] = !t.expanded[id]
			t.keep = id
			m.request()
			return
		}
	}
}

// pressInSearch types the words to look for.
func (m *Model) pressInSearch(key ui.Key) {
	t := &m.talk
	switch key {
	case ui.KeyEnter:
		m.focus = onTalk
		if t.typed != "" {
			t.query = strings.ToLower(t.typed)
		}
		m.toHit(1)
	case ui.KeyEscape:
		m.focus = onTalk
	case ui.KeyBackspace:
		_, size := utf8.DecodeLastRuneInString(t.typed)
		t.typed = t.typed[:len(t.typed)-size]
	case ui.KeyClear:
		t.typed = ""
	default:
		if key.IsText() {
			t.typed += string(key)
		}
	}
}

// toHit goes to the next line with what was looked for, or to the one before, around the end.
func (m *Model) toHit(step int) {
	t := &m.talk
	if t.query == "" {
		return
	}
	n := len(t.lines)
	if t.seeks = n == 0 && t.waiting; t.seeks {
		return
	}
	for i := 1; i <= n; i++ {
		at := ((t.top+step*i)%n + n) % n
		if t.isHit(at) {
			t.top = at // also near the end, so that the next step goes on from here
			return
		}
	}
	if t.last > 0 {
		m.say("not in the last %s; Home reads the whole session", ui.Count(t.last, "turn"))
		return
	}
	m.say("not found")
}

func (t *talk) isHit(at int) bool {
	return t.query != "" && strings.Contains(strings.ToLower(ui.Unpainted(t.lines[at].Text)), t.query)
}

// talkRows are the rows of the conversation, as wide as it is.
func (m *Model) talkRows() []string {
	t, rows := &m.talk, make([]string, m.bodyRows())
	for i := range rows {
		if at := t.top + i; at < len(t.lines) {
			rows[i] = t.lines[at].Text
			if t.isHit(at) {
				rows[i] = m.term.Paint(ui.Match, ui.Unpainted(rows[i]))
			}
		}
	}
	if len(t.lines) == 0 && t.waiting {
		rows[0] = m.term.Paint(ui.Dim, "reading …")
	}
	for i := range rows {
		rows[i] = ui.FitPainted(rows[i], m.talkWidth())
	}
	return rows
}
