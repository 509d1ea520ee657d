package render

import (
	"bytes"
	"strings"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/parts"
)

// Limits of what a callLog remembers.
const (
	maxCalls   = 4096    // whose names are known when their results come
	maxHeld    = 1 << 20 // bytes that wait for a result
	maxExcerpt = 400     // characters of arguments and results
)

// A callLog brings tool calls and their results together. The line of a call waits for its result. What is printed
// after it waits too, so that everything stays in order.
type callLog struct {
	style Style
	queue []queuedPiece
	held  int            // bytes in the queue
	open  map[string]int // ids of the calls in the queue that wait, with their index
	known map[string]safeLine
	order []string // the ids in known, from the oldest
}

// queuedPiece is a piece of output: a call that waits for its result, or text.
type queuedPiece struct {
	call callLine
	text string
}

// A callLine is a tool call on one line.
type callLine struct {
	id              string
	name, arguments safeLine
	result          *resultLine
}

// A resultLine is a tool result on one line.
type resultLine struct {
	isRunning bool // it has not come yet
	first     safeLine
	size      int64
	failed    bool
	subagent  subagentLines
}

// The fields of a result with the file of the subagent that it is from, what that is called, how many messages it has,
// and its conversation, if that is shown in its place.
const (
	SubagentField         = "subagent"
	SubagentNameField     = "subagent_name"
	SubagentMessagesField = "subagent_messages"
	SubagentTextField     = "subagent_text"
)

// subagentLines are what is shown of a subagent below the result that it is from.
type subagentLines struct {
	note safeLine // "" if the result is not from a subagent
	text string   // safe already
}

// subagentOf returns what is shown of the subagent that a result is from.
func subagentOf(p *parts.Part) subagentLines {
	var s subagentLines
	file := p.Field(SubagentField)
	if !file.IsString() {
		return s
	}
	name := ui.CutEnd(oneLine(p.Field(SubagentNameField).String()), maxSubagentName)
	count := ui.Count(p.Field(SubagentMessagesField).Int(), "message")
	s.text = p.Field(SubagentTextField).String()
	if s.text != "" {
		s.note = newSafeLine("↳ subagent " + name + ", " + count)
		return s
	}
	s.note = newSafeLine("↳ subagent " + name + ", " + count + ": " + failure.Command("clawctl", "show", file.String()))
	return s
}

// maxSubagentName is the width of the name of a subagent. The command that shows it follows on the same line.
const maxSubagentName = 40

// lines returns the lines, each indented and with a line end.
func (l subagentLines) lines(s Style) string {
	if l.note == "" {
		return ""
	}
	text := indent + indent + s.paint(ui.Dim, string(l.note)) + "\n"
	for line := range strings.Lines(l.text) {
		text += strings.TrimRight(indent+indent+s.paint(ui.Dim, subagentMark)+line, " \n") + "\n"
	}
	return text
}

// subagentMark is what the lines of a subagent's conversation begin with.
const subagentMark = "│ "

// SubagentIndent is by how much the conversation of a subagent is narrower than the one that it is shown in.
const SubagentIndent = 2*len(indent) + 2

func (l *callLog) init(style Style) {
	l.style, l.open, l.known = style, map[string]int{}, map[string]safeLine{}
}

// waiting reports whether something waits for a result.
func (l *callLog) waiting() bool { return len(l.queue) > 0 }

// hold puts what was printed behind the calls that wait. If that is too much, nothing waits any longer.
func (l *callLog) hold(out *bytes.Buffer) {
	if out.Len() > 0 {
		l.queue = append(l.queue, queuedPiece{text: out.String()})
		l.held += out.Len()
		out.Reset()
	}
	if len(l.open) == 0 || l.held > maxHeld || len(l.queue) > maxCalls {
		l.release(out)
	}
}

// release writes everything that waits, followed by what is in out.
func (l *callLog) release(out *bytes.Buffer) {
	if len(l.queue) == 0 {
		return
	}
	after := bytes.Clone(out.Bytes())
	out.Reset()
	for _, q := range l.queue {
		if q.text == "" {
			q.text = l.style.callText(q.call)
		}
		out.WriteString(q.text)
	}
	out.Write(after)
	l.queue, l.held = l.queue[:0], 0
	clear(l.open)
}

// add queues a call.
func (l *callLog) add(out *bytes.Buffer, p *parts.Part) {
	c := callLine{id: p.Call.String(), name: newSafeLine(p.ToolName()), arguments: argumentExcerpt(p.Body)}
	l.remember(c.id, callWords(c.name, c.arguments))
	if out.Len() > 0 {
		l.queue = append(l.queue, queuedPiece{text: out.String()})
		l.held += out.Len()
		out.Reset()
	}
	l.queue = append(l.queue, queuedPiece{call: c})
	if c.id != "" {
		l.open[c.id] = len(l.queue) - 1
	}
}

// remember keeps what a call was, for results that come late.
func (l *callLog) remember(id string, words safeLine) {
	if id == "" {
		return
	}
	if _, ok := l.known[id]; !ok {
		l.order = append(l.order, id)
	}
	l.known[id] = words
	if len(l.order) > maxCalls {
		delete(l.known, l.order[0])
		l.order = l.order[1:]
	}
}

// answer gives a result to the call that waits for it. It reports whether there was one.
func (l *callLog) answer(p *parts.Part) bool {
	id := p.Call.String()
	at, ok := l.open[id]
	if id == "" && len(l.queue) > 0 { // a command of the user, with its result right after it
		at = len(l.queue) - 1
		ok = l.queue[at].text == "" && l.queue[at].call.result == nil
	}
	if !ok {
		return false
	}
	r := newResultLine(p)
	l.queue[at].call.result = &r
	delete(l.open, id)
	return true
}

// nameOf says which call a result belongs to.
func (l *callLog) nameOf(p *parts.Part) safeLine {
	if words := l.known[p.Call.String()]; words != "" {
		return words
	}
	return newSafeLine(p.ToolName())
}

// callWords are the name and the most telling argument of a call.
func callWords(name, arguments safeLine) safeLine {
	return safeLine(strings.TrimSpace(string(name + " " + arguments)))
}

func newResultLine(p *parts.Part) resultLine {
	r := resultLine{size: int64(max(0, len(p.Body)-len(`""`))), failed: p.Failed, subagent: subagentOf(p)}
	if p.Kind == parts.Image {
		r.first, r.size = newSafeLine(p.ToolName()), parts.ImageSize(p.Body)
		return r
	}
	text := p.Text()
	r.size = int64(len(text))
	r.first = firstLine(text)
	return r
}

// firstLine returns the first line of a text that has letters, on one line.
func firstLine(text string) safeLine {
	for line := range strings.Lines(text) {
		if line := newSafeLine(line); line != "" {
			return line
		}
	}
	return ""
}

// A safeLine is the beginning of a text, on one line and safe for a terminal. Only newSafeLine makes one, so that the
// compiler finds what is printed with a call and was not escaped.
type safeLine string

func newSafeLine(text string) safeLine { return safeLine(oneLine(text)) }

// oneLine returns the beginning of a text without line breaks, safe for a terminal.
func oneLine(text string) string {
	if len(text) > 4*maxExcerpt {
		text = strings.ToValidUTF8(text[:4*maxExcerpt], "")
	}
	return ui.Escape(strings.Join(strings.Fields(text), " "))
}

// telling are the arguments that say most about a call, in the order of preference.
var telling = []string{
	"command", "cmd", "path", "file_path", "filePath", "pattern", "query", "url", "action", "description", "text",
	"prompt", "message", "task", "name",
}

// argumentExcerpt returns the argument that says most about a call.
func argumentExcerpt(arguments jsonl.Value) safeLine {
	if !arguments.IsObject() {
		return newSafeLine(parts.TextOf(arguments))
	}
	for _, name := range telling {
		if v := arguments.Get(name); v.IsString() {
			return newSafeLine(v.String())
		}
	}
	if string(arguments) == "{}" {
		return ""
	}
	return newSafeLine(string(arguments.UTF8()))
}

// callMark is what the line of a call begins with.
const callMark = "▸"

// callText is the line of a call with its result.
func (s Style) callText(c callLine) string {
	mark, markStyle := callMark, ui.Good
	if c.result != nil && c.result.failed {
		mark, markStyle = "✗", ui.Error
	}
	room := s.lineWidth() - len(indent) - 2
	name := ui.CutEnd(string(c.name), max(8, room/3))
	tail, size := s.resultWords(c.result)
	left := room - ui.Width(name) - 1
	arguments := string(c.arguments)
	if tail != "" {
		tailRoom := max(left/3, left-ui.Width(arguments)-4) - ui.Width(size) - 1
		tail = ui.CutEnd(tail, max(6, tailRoom))
		left -= ui.Width(tail) + 3
	}
	arguments = ui.CutEnd(arguments, max(6, left-ui.Width(size)-1))
	line := indent + s.paint(markStyle, mark) + " " + s.paint(ui.Bold, name)
	if arguments != "" {
		line += " " + arguments
	}
	if tail != "" {
		line += s.paint(ui.Dim, " → ") + s.paint(resultStyle(c.result), tail)
	}
	line = strings.TrimRight(line+s.paint(ui.Dim, " "+size), " ") + "\n"
	if c.result != nil {
		line += c.result.subagent.lines(s)
	}
	return line
}

func (s Style) resultWords(r *resultLine) (first, size string) {
	switch {
	case r == nil:
		return "", "(no result)"
	case r.isRunning:
		return "", "…"
	case r.size == 0:
		return "", "(empty)"
	}
	return string(r.first), "(" + ui.Bytes(r.size) + ")"
}

func resultStyle(r *resultLine) ui.Style {
	if r.failed {
		return ui.Error
	}
	return ui.Dim
}
