package render

import (
	"bytes"
	"io"
	"strings"
	"time"

	"clawctl/internal/ui"
	"clawctl/pkg/read/parts"
)

// indent is what the text of a message is indented by.
const indent = "  "

// A Text prints entries as text.
type Text struct {
	w     io.Writer
	style Style
	out   *bytes.Buffer // of the current entry
	calls callLog
	turn  turn

	day     string // the last one that was printed
	speaker string // who spoke last
	harness string // the program that it was said in, if that did the work for another one
	said    string // the last text of a model, as JSON
	begun   bool   // something was printed
	group   block  // of the last line
	context contextMark
}

// NewText returns a Text that writes to w.
func NewText(w io.Writer, style Style) *Text {
	t := &Text{w: w, style: style.withDefaults(), out: &bytes.Buffer{}}
	t.calls.init(t.style)
	return t
}

// Restyle changes how much of tool calls and thinking is shown from now on.
func (t *Text) Restyle(tools Tools, thinking bool) {
	t.style.Tools, t.style.Thinking = tools, thinking
	t.calls.style = t.style
}

// Entry prints an entry. The lines of tool calls may be held back until their results come, or until Flush.
func (t *Text) Entry(e *parts.Entry, at parts.Position) error {
	if endsTurn(e) {
		t.endTurn()
	}
	t.turn.add(e)
	if at.Marked {
		return t.marked(e, at)
	}
	if t.isQuiet(e) {
		return t.write()
	}
	t.markContext(e, at)
	for i := range e.Parts {
		t.part(e, &e.Parts[i], at)
	}
	return t.write()
}

// Rule prints a line across the screen with a text in it.
func (t *Text) Rule(text string) error {
	t.endTurn()
	t.rule(ui.Dim, text)
	t.speaker = ""
	return t.write()
}

// Flush prints what is held back. Results that come later are printed as lines of their own.
func (t *Text) Flush() error {
	t.calls.markRunning()
	t.calls.release(t.out)
	return t.write()
}

// Close prints everything that is left. It does not close the writer.
func (t *Text) Close() error {
	t.endTurn()
	return t.write()
}

// write passes on what was printed, unless a tool call waits for its result.
func (t *Text) write() error {
	if t.calls.waiting() {
		t.calls.hold(t.out)
		if t.calls.waiting() {
			return nil
		}
	}
	_, err := t.w.Write(t.out.Bytes())
	t.out.Reset()
	return err
}

// endsTurn reports whether an entry is the beginning of something new.
func endsTurn(e *parts.Entry) bool {
	for i := range e.Parts {
		switch e.Parts[i].Kind {
		case parts.User, parts.Compaction, parts.Reset, parts.BranchSummary, parts.Header:
			return true
		}
	}
	return false
}

// endTurn prints what the turn that ends has cost.
func (t *Text) endTurn() {
	t.calls.release(t.out)
	if note := t.turn.note(t.style.Tools); note != "" && t.speaker != "" {
		t.block(blockNotes)
		t.line(ui.Dim, note)
	}
	t.turn = turn{}
}

// isQuiet reports whether an entry shows nothing in this style.
func (t *Text) isQuiet(e *parts.Entry) bool {
	for i := range e.Parts {
		if t.shows(&e.Parts[i]) {
			return false
		}
	}
	return true
}

// shows reports whether a part is shown in this style.
func (t *Text) shows(p *parts.Part) bool {
	switch p.Kind {
	case parts.Header, parts.Usage:
		return t.style.Tools == ToolsFull
	case parts.Thinking:
		return t.style.Thinking && !isBlank(p)
	case parts.Call, parts.Result:
		return t.style.Tools != ToolsNone
	case parts.User, parts.Assistant:
		return !isBlank(p)
	}
	return true
}

func isBlank(p *parts.Part) bool { return len(bytes.Trim(p.Body, "\" \n\t")) == 0 }

// markContext prints a rule before the first entry that the model sees, if there are others before it.
func (t *Text) markContext(e *parts.Entry, at parts.Position) {
	if t.context.begins(e, at) {
		t.endTurn()
		t.rule(ui.Hint, "the model sees everything below")
		t.speaker = ""
	}
}

// A contextMark finds the first entry that the model sees.
type contextMark struct {
	outside bool // there was something that the model does not see
	inside  bool // there was something that it sees
}

// begins reports whether an entry is the first one that the model sees, after others that it does not.
func (c *contextMark) begins(e *parts.Entry, at parts.Position) bool {
	if c.inside || !at.OnPath || !isSpoken(e) {
		return false
	}
	c.outside = c.outside || !at.InContext
	c.inside = at.InContext
	return c.inside && c.outside
}

// isSpoken reports whether an entry is of a kind that the model sees.
func isSpoken(e *parts.Entry) bool {
	for i := range e.Parts {
		switch p := &e.Parts[i]; p.Kind {
		case parts.User, parts.Assistant, parts.Call, parts.Result, parts.Compaction, parts.Thinking:
			return !p.Hidden
		}
	}
	return false
}

// blank begins a block after an empty line.
func (t *Text) blank() {
	if t.begun {
		t.out.WriteByte('\n')
	}
	t.begun = true
}

// A block is a group of lines that belong together. There is an empty line between two of them.
type block int

const (
	blockNone block = iota // the next block needs no empty line before it
	blockProse
	blockThought
	blockTools
	blockNotes
	blockDamage
)

// block begins a line of a group.
func (t *Text) block(group block) {
	if t.group != group && t.group != blockNone {
		t.out.WriteByte('\n')
	}
	t.group = group
}

// line prints one line below the current speaker.
func (t *Text) line(style ui.Style, text string) {
	t.begun = true
	t.out.WriteString(indent + t.style.paint(style, text) + "\n")
}

// rule prints a line across the screen.
func (t *Text) rule(style ui.Style, text string) {
	t.blank()
	t.out.WriteString(t.style.paint(style, ruleLine(text, t.style.Prose)) + "\n")
	t.group = blockNone
}

// ruleLine draws a line with a text in it, as wide as prose.
func ruleLine(text string, width int) string {
	if width == 0 {
		width = 80
	}
	text = ui.CutEnd(text, max(10, width-10))
	left := "── " + text + " "
	return left + strings.Repeat("─", max(2, width-ui.Width(left)))
}

// date prints the day if it is a new one.
func (t *Text) date(at time.Time) {
	if at.IsZero() {
		return
	}
	if day := at.In(t.style.Location).Format("Monday, 2 January 2006"); day != t.day {
		t.day, t.speaker = day, ""
		t.rule(ui.Dim, day)
	}
}

// clock formats the time of a message.
func (t *Text) clock(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.In(t.style.Location).Format("15:04")
}
