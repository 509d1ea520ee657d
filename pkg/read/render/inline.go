package render

import (
	"strings"

	"clawctl/internal/ui"
)

// An inliner renders the marks inside a line: code, emphasis, links. It works in linear time: every mark is either
// matched with one on a stack or left as text.
type inliner struct {
	style Style
	text  string
	runs  map[int][]int // where runs of backticks begin, by their length
	spans []span
	start int // of the text that is not in spans yet
	open  []opener
}

// An opener is a mark of emphasis or a bracket that may be closed later.
type opener struct {
	mark string // "**", "*", "~~", "["
	span int    // the index of the span that has the mark
}

// maxLink is how long the address of a link may be.
const maxLink = 2048

// inline returns the spans of a line. Without color, marks stay as they were written.
func (s Style) inline(text string) []span {
	if !s.Color || !strings.ContainsAny(text, "`*_~[<\\") {
		return []span{{text: text}}
	}
	in := &inliner{style: s, text: text, runs: backtickRuns(text)}
	for i := 0; i < len(text); {
		i = in.step(i)
	}
	in.cut(len(text))
	return in.spans
}

func backtickRuns(text string) map[int][]int {
	if !strings.Contains(text, "`") {
		return nil
	}
	runs := map[int][]int{}
	for i := 0; i < len(text); {
		n := runLength(text, i, '`')
		if n > 0 {
			runs[n] = append(runs[n], i)
		}
		i += max(1, n)
	}
	return runs
}

func runLength(text string, at int, c byte) (n int) {
	for at+n < len(text) && text[at+n] == c {
		n++
	}
	return n
}

// step reads what begins at an index and returns the index after it.
func (in *inliner) step(i int) int {
	switch c := in.text[i]; c {
	case '\\':
		return in.escape(i)
	case '`':
		return in.code(i)
	case '*', '~', '_':
		return in.emphasis(i, c)
	case '[':
		in.cut(i)
		in.spans = append(in.spans, span{text: "["})
		in.start = i + 1
		in.push("[")
		return i + 1
	case ']':
		return in.link(i)
	}
	return i + 1
}

// cut adds the text up to an index as a span.
func (in *inliner) cut(to int) {
	if to > in.start {
		in.spans = append(in.spans, span{text: in.text[in.start:to]})
	}
	in.start = to
}

// escape reads a backslash, which makes a mark a character.
func (in *inliner) escape(i int) int {
	if i+1 < len(in.text) && strings.IndexByte("\\`*_{}[]()#+-.!|<>~", in.text[i+1]) >= 0 {
		in.cut(i)
		in.start = i + 1
		return i + 2
	}
	return i + 1
}

// code reads a span of code.
func (in *inliner) code(i int) int {
	n, end := codeSpan(in.text, i, in.runs)
	if end < 0 {
		return i + n
	}
	in.cut(i)
	inside := in.text[i+n : end]
	if trimmed := strings.TrimSpace(inside); trimmed != "" {
		inside = trimmed
	}
	in.spans = append(in.spans, span{inside, ui.Code})
	in.start = end + n
	return in.start
}

// codeSpan returns the length of the run of backticks at an index, and where the run begins that closes it: -1 if none
// does. It forgets the runs before that.
func codeSpan(text string, at int, runs map[int][]int) (n, end int) {
	n = runLength(text, at, '`')
	for len(runs[n]) > 0 && runs[n][0] <= at {
		runs[n] = runs[n][1:]
	}
	if len(runs[n]) == 0 {
		return n, -1
	}
	return n, runs[n][0]
}

// emphasis reads a mark that opens or closes emphasis.
func (in *inliner) emphasis(i int, c byte) int {
	n := min(runLength(in.text, i, c), 2)
	mark := in.text[i : i+n]
	style, ok := emphases[mark]
	if !ok {
		return i + n
	}
	before, after := neighbour(in.text, i-1), neighbour(in.text, i+n)
	if c == '_' && isLetter(before) && isLetter(after) {
		return i + n
	}
	if before != ' ' && in.close(i, mark, style) {
		return i + n
	}
	if after != ' ' {
		in.cut(i)
		in.spans = append(in.spans, span{text: mark})
		in.start = i + n
		in.push(mark)
	}
	return i + n
}

// push remembers the mark in the last span. The oldest of many is forgotten, which bounds how deep styles nest.
func (in *inliner) push(mark string) {
	if len(in.open) == maxOpen {
		in.open = append(in.open[:0], in.open[1:]...)
	}
	in.open = append(in.open, opener{mark, len(in.spans) - 1})
}

var emphases = map[string]ui.Style{
	"*": ui.Italic, "_": ui.Italic, "**": ui.Bold, "__": ui.Bold, "~~": ui.Strike,
}

// neighbour is the character at an index, a space outside.
func neighbour(text string, i int) byte {
	if i < 0 || i >= len(text) || text[i] == '\t' {
		return ' '
	}
	return text[i]
}

func isLetter(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// maxOpen is how many marks may be open at the same time.
const maxOpen = 16

// close closes the last mark of the same kind. It reports whether there is one.
func (in *inliner) close(i int, mark string, style ui.Style) bool {
	at := in.lastOpen(mark)
	if at < 0 {
		return false
	}
	from := in.open[at].span
	if from == len(in.spans)-1 && in.start == i {
		return false // nothing is between the marks
	}
	in.cut(i)
	in.start = i + len(mark)
	in.spans[from].text = ""
	withStyle(in.spans[from+1:], style)
	in.open = in.open[:at]
	return true
}

// lastOpen is the index of the last open mark of a kind, or -1.
func (in *inliner) lastOpen(mark string) int {
	for at := len(in.open) - 1; at >= 0; at-- {
		if in.open[at].mark == mark {
			return at
		}
	}
	return -1
}

// link reads the end of a link's text, and its address.
func (in *inliner) link(i int) int {
	at := in.lastOpen("[")
	if at < 0 || neighbour(in.text, i+1) != '(' {
		return i + 1
	}
	window := in.text[i+2 : min(len(in.text), i+2+maxLink)]
	length := strings.IndexByte(window, ')')
	if length < 0 {
		return i + 1
	}
	in.cut(i)
	from := in.open[at].span
	in.spans[from].text = ""
	withStyle(in.spans[from+1:], ui.Link)
	address := strings.TrimSpace(window[:length])
	if address != in.textFrom(from+1) {
		in.spans = append(in.spans, span{" (" + address + ")", ui.Dim})
	}
	in.open = in.open[:at]
	in.start = i + 2 + length + 1
	return in.start
}

// textFrom joins the text of the spans from an index on.
func (in *inliner) textFrom(from int) string {
	var b strings.Builder
	for _, sp := range in.spans[from:] {
		b.WriteString(sp.text)
	}
	return b.String()
}
