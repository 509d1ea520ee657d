package browsing

import (
	"fmt"
	"strings"

	"clawctl/internal/showing"
	"clawctl/internal/ui"
	"clawctl/pkg/source"
)

// An Item is a session in the list.
type Item struct {
	Session *source.Session
	Name    string // that every command takes
	Title   string
	About   string   // what the list says besides: kind, size, when it was used
	Actions []Action // what can be done with it
}

// An Action is a command line that a browser prints when it is left.
type Action struct{ Name, Command string }

// text is what the filter looks at.
func (it *Item) text() string { return strings.ToLower(it.Name + " " + it.Title + " " + it.About) }

// A Request asks for a drawing of a session.
type Request struct {
	Number int // of the request, to tell late answers apart
	showing.Drawing
}

// A focus is what the keys go to.
type focus int

const (
	onList focus = iota
	onTalk
	onSearch // the words to look for in a conversation are being typed
	onActions
)

// A Model is the state of a browser.
type Model struct {
	items  []*Item
	texts  []string // of the items, in lower case
	shown  []int    // the items that pass the filter
	cursor int      // in shown
	top    int      // the first row of the list that is on the screen
	filter string

	focus         focus
	talk          talk
	action        int
	width, height int
	term          ui.Terminal
	masks         bool
	message       string

	requests  int
	wanted    *Request // that was not handed out yet
	quit      bool
	printed   string // the command line that is printed at the end
	clipboard string // that is to be copied
}

// NewModel returns the browser of a list.
func NewModel(items []*Item, term ui.Terminal, masks bool) *Model {
	m := &Model{items: items, term: term, masks: masks}
	for _, it := range items {
		m.texts = append(m.texts, it.text())
	}
	m.applyFilter()
	return m
}

// Resize sets the size of the screen.
func (m *Model) Resize(columns, rows int) {
	if m.width == columns && m.height == rows {
		return
	}
	m.width, m.height = columns, rows
	m.scrollList()
	m.show()
}

// applyFilter finds the items that have all words of the filter.
func (m *Model) applyFilter() {
	words := strings.Fields(strings.ToLower(m.filter))
	m.shown = m.shown[:0]
	for i, text := range m.texts {
		if hasAll(text, words) {
			m.shown = append(m.shown, i)
		}
	}
	m.cursor, m.top = 0, 0
	m.show()
}

func hasAll(text string, words []string) bool {
	for _, word := range words {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// current is the item under the cursor, or nil.
func (m *Model) current() *Item {
	if m.cursor >= len(m.shown) {
		return nil
	}
	return m.items[m.shown[m.cursor]]
}

// The layout. A narrow screen shows the list or the conversation.
const (
	wideEnough = 100
	listShare  = 5 // the list gets two of so many parts
	headRows   = 1
	footRows   = 1
)

func (m *Model) isWide() bool { return m.width >= wideEnough }

func (m *Model) listWidth() int {
	if !m.isWide() {
		return m.width
	}
	return min(m.width*2/listShare, 72)
}

func (m *Model) talkWidth() int {
	if !m.isWide() {
		return m.width
	}
	return m.width - m.listWidth() - 1
}

func (m *Model) bodyRows() int { return max(1, m.height-headRows-footRows) }

// firstTurns is how many turns of a session are drawn at first. More are drawn when somebody scrolls up to them.
const firstTurns = 12

// show asks for the conversation of the item under the cursor, unless that is not on the screen.
func (m *Model) show() {
	it := m.current()
	isVisible := m.isWide() || m.focus != onList
	if it == nil || !isVisible || m.width == 0 {
		m.talk = talk{}
		m.wanted = nil
		return
	}
	if m.talk.session == it.Session && m.talk.columns == m.talkWidth() {
		return
	}
	m.talk = talk{session: it.Session, columns: m.talkWidth(), last: firstTurns, expanded: map[string]bool{}, atEnd: true}
	m.request()
}

// request asks for the drawing that the conversation needs now.
func (m *Model) request() {
	m.requests++
	t := &m.talk
	t.waiting = true
	expanded := map[string]bool{}
	for id := range t.expanded {
		expanded[id] = true
	}
	m.wanted = &Request{Number: m.requests, Drawing: showing.Drawing{
		Session: t.session, Columns: t.columns, Last: t.last, Tree: t.tree, Expanded: expanded, Masks: m.masks,
	}}
}

// Wanted hands out the drawing that is needed, once. It is nil if none is.
func (m *Model) Wanted() *Request {
	r := m.wanted
	m.wanted = nil
	return r
}

// Take takes the lines of a request. Those of an earlier one are dropped.
func (m *Model) Take(number int, lines []showing.Line) {
	if number == m.requests {
		m.talk.take(lines, m.bodyRows())
		m.message = ""
		if m.talk.seeks {
			m.toHit(1)
		}
	}
}

// Press takes a key.
func (m *Model) Press(key ui.Key) {
	m.message = ""
	switch {
	case key == ui.KeyInterrupt:
		m.quit = true
	case m.focus == onSearch:
		m.pressInSearch(key)
	case m.focus == onActions:
		m.pressInActions(key)
	case m.focus == onTalk:
		m.pressInTalk(key)
	default:
		m.pressInList(key)
	}
}

// Ended reports whether the browser was left, and with which command line.
func (m *Model) Ended() (command string, ended bool) { return m.printed, m.quit }

// Clipboard returns the text that is to be copied, once.
func (m *Model) Clipboard() string {
	text := m.clipboard
	m.clipboard = ""
	return text
}

func (m *Model) copyName() {
	if it := m.current(); it != nil {
		m.clipboard, m.message = it.Name, "copied "+ui.EscapeLine(it.Name)
	}
}

// say prints a remark in the last row.
func (m *Model) say(format string, args ...any) { m.message = fmt.Sprintf(format, args...) }
