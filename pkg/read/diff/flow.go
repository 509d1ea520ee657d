package diff

import (
	"strings"
	"unicode/utf8"

	"clawctl/internal/ui"
)

// A flow writes styled text in lines that fit the terminal, each after a prefix. Text for a pipe is not wrapped.
type flow struct {
	term    ui.Terminal
	prefix  string
	style   ui.Style // of the prefix
	out     *strings.Builder
	most    int // lines; 0 means all
	lines   int // that are complete
	skipped int

	line   strings.Builder // the current line, painted
	column int             // its width
}

// flow returns a flow that shows at most so many lines, unless all are wanted or most is 0.
func (t *Text) flow(prefix string, style ui.Style, most int) *flow {
	if t.Full {
		most = 0
	}
	return &flow{term: t.Term, prefix: prefix, style: style, out: &t.out, most: most}
}

// write adds text to the current line.
func (f *flow) write(style ui.Style, text string) {
	for i, line := range strings.Split(ui.Escape(text), "\n") {
		if i > 0 {
			f.end()
		}
		f.writeLine(style, strings.ReplaceAll(line, "\t", "    "))
	}
}

// writeLine adds text without line ends.
func (f *flow) writeLine(style ui.Style, text string) {
	for text != "" && !f.isFull() {
		n := f.fitting(text)
		shown := text[:n]
		if n < len(text) {
			shown = strings.TrimRight(shown, " ")
		}
		f.line.WriteString(f.term.Paint(style, shown))
		f.column += ui.Width(shown)
		if n == len(text) {
			return
		}
		f.end()
		text = strings.TrimLeft(text[n:], " ")
	}
}

// isFull reports whether no more lines are shown.
func (f *flow) isFull() bool { return f.most > 0 && f.lines >= f.most }

// fitting returns how many bytes of a text fit into the rest of the line, up to the end of a word. A word that is
// longer than a line is cut.
func (f *flow) fitting(text string) int {
	if !f.term.Is {
		return len(text)
	}
	room := max(f.term.Columns-len(f.prefix), 10)
	atStart := f.line.Len() == 0
	if !atStart {
		room -= f.column
	}
	width, at, word := 0, 0, 0
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		w := ui.Width(text[at : at+size])
		if width+w > room {
			if r == ' ' {
				word = at
			}
			break
		}
		width += w
		at += size
		if r == ' ' || w > 1 { // lines break after wide characters as well
			word = at
		}
	}
	switch {
	case at == len(text):
		return at
	case word > 0:
		return word
	case atStart:
		return at
	}
	return 0
}

// end ends the current line, if there is one.
func (f *flow) end() {
	if f.isFull() {
		f.skipped++
	} else {
		line := strings.TrimRight(f.term.Paint(f.style, f.prefix), " ")
		if f.line.Len() > 0 {
			line = f.term.Paint(f.style, f.prefix) + f.line.String()
		}
		f.out.WriteString(line + "\n")
		f.lines++
	}
	f.line.Reset()
	f.column = 0
}

// finish says how many lines are not shown.
func (f *flow) finish() {
	if f.skipped > 0 {
		f.out.WriteString(f.term.Paint(f.style, f.prefix) +
			f.term.Paint(ui.Dim, "… "+ui.Count(f.skipped, "more line")+" (--full shows all)") + "\n")
	}
}
