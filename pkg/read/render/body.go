package render

import (
	"strings"

	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/parts"
)

// clean makes the text of a transcript safe for a terminal, with newlines as its only line ends. A lone carriage
// return is one too: programs that draw progress write many.
func clean(text string) string { return ui.Escape(lineEnds.Replace(text)) }

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// prose prints Markdown: rendered and wrapped, or as it was written if nothing is wrapped.
func (t *Text) prose(text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	if t.style.Width == 0 {
		t.block(blockProse)
		t.plain(ui.Plain, text)
		return
	}
	t.block(blockProse)
	m := &markdown{style: t.style, width: t.style.Prose - len(indent), wide: t.style.Width - len(indent)}
	t.lines(m.render(clean(strings.Trim(text, "\n"))))
}

// wrapped prints words that are not Markdown.
func (t *Text) wrapped(style ui.Style, text string) {
	if t.style.Width == 0 {
		t.plain(style, text)
		return
	}
	for line := range strings.SplitSeq(clean(strings.Trim(text, "\n")), "\n") {
		t.lines(t.style.wrapSpans([]span{{line, style}}, t.style.Prose-len(indent)))
	}
}

// plain prints text that is not Markdown.
func (t *Text) plain(style ui.Style, text string) {
	for line := range strings.SplitSeq(clean(strings.TrimRight(text, "\n")), "\n") {
		if t.style.Width == 0 {
			t.lines([]string{t.style.paint(style, line)})
			continue
		}
		for _, piece := range wrapVerbatim(line, t.style.Width-2*len(indent)) {
			t.lines([]string{t.style.paint(style, piece)})
		}
	}
}

// lines prints lines below the current speaker.
func (t *Text) lines(lines []string) {
	t.begun = true
	for _, line := range lines {
		t.out.WriteString(strings.TrimRight(indent+line, " ") + "\n")
	}
}

// fullCall prints a call with all its arguments. What an edit changes is shown as a diff.
func (t *Text) fullCall(p *parts.Part) {
	t.block(blockTools)
	t.line(ui.Plain, t.style.paint(ui.Good, callMark)+" "+t.style.paint(ui.Bold, oneLine(p.ToolName())))
	if !p.Body.IsObject() {
		t.nested(ui.Plain, parts.TextOf(p.Body))
		return
	}
	diffs, shown := diffsOf(p.Body)
	for name, v := range p.Body.Members() {
		if !shown[name] {
			t.argument(name, v)
		}
	}
	for _, diff := range diffs {
		t.diffText(diff)
	}
}

// argument prints one argument of a call: a short one beside its name, a long one below.
func (t *Text) argument(name string, v jsonl.Value) {
	text := strings.TrimRight(parts.TextOf(v), "\n")
	if strings.Contains(text, "\n") {
		t.line(ui.Dim, indent+oneLine(name)+":")
		t.nested(ui.Plain, text)
		return
	}
	t.plain(ui.Plain, indent+name+": "+text)
}

// nested prints text below a call.
func (t *Text) nested(style ui.Style, text string) {
	text = strings.TrimRight(text, "\n")
	t.plain(style, indent+indent+strings.ReplaceAll(text, "\n", "\n"+indent+indent))
}

// fullResult prints a result as a whole.
func (t *Text) fullResult(p *parts.Part) {
	t.block(blockTools)
	style, mark := ui.Dim, "→ "
	if p.Failed {
		style, mark = ui.Error, "✗ "
	}
	note := mark + ui.CutEnd(string(t.calls.nameOf(p)), t.style.lineWidth()-20)
	if exit := p.Field("exit_code"); exit.IsNumber() {
		note += " · exit " + string(exit)
	}
	t.line(style, note)
	if p.Body.Exists() {
		t.nested(ui.Dim, p.Text())
	}
	if diff := p.Field("diff"); diff.IsString() {
		t.diffText(diff.String())
	}
	t.out.WriteString(subagentOf(p).lines(t.style))
}
