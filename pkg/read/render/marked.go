package render

import (
	"strings"

	"clawctl/internal/ui"
	"clawctl/pkg/read/parts"
)

// bar is what the lines of a marked entry begin with, instead of the indent. It has the same width.
const bar = "▌ "

// markWords are above a marked entry.
func markWords(e *parts.Entry) string {
	if e.ID == "" {
		return "▶ this entry"
	}
	return "▶ entry " + e.ID
}

// marked prints an entry that a reader looks for: as a whole, because the text may be in its thinking or in a result,
// and with a bar beside it.
func (t *Text) marked(e *parts.Entry, at parts.Position) error {
	if err := t.Flush(); err != nil {
		return err
	}
	t.markContext(e, at)
	t.date(e.Time)
	t.rule(ui.Hint, oneLine(markWords(e)))
	t.speaker = ""
	if err := t.write(); err != nil {
		return err
	}
	style := t.style
	t.style.Tools, t.style.Thinking, t.style.Sent = ToolsFull, true, true
	t.begun = false // the rule needs no empty line after it
	for i := range e.Parts {
		t.part(e, &e.Parts[i], at)
	}
	t.style, t.speaker, t.begun = style, "", true
	text := t.withBar(t.out.String())
	t.out.Reset()
	t.out.WriteString(text)
	return t.write()
}

// withBar draws a bar beside lines.
func (t *Text) withBar(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(t.style.paint(ui.Hint, strings.TrimSpace(bar)))
		switch rest, isIndented := strings.CutPrefix(line, indent); {
		case isIndented:
			b.WriteString(" " + rest)
		case line != "\n":
			b.WriteString(" " + line)
		default:
			b.WriteString(line)
		}
	}
	return b.String()
}

// showAll makes a document show everything of its next entry, and returns what ends that.
func (m *Markdown) showAll() func() {
	style := m.options.Style
	m.options.Tools, m.options.Thinking, m.options.Sent = ToolsFull, true, true
	return func() { m.options.Style, m.speaker = style, "" }
}
