package render

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"clawctl/internal/ui"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/parts"
)

// MarkdownOptions say what a document contains.
type MarkdownOptions struct {
	Style // Tools, Thinking and Location count
	// Masker masks the title, and has counted what is masked in the entries. nil masks nothing.
	Masker *redact.Masker
	// Image stores an image and returns its address, or "" to leave it out. nil leaves out all.
	Image func(mime string, data jsonl.Value) (address string, err error)
}

// A Markdown writes entries as a document in GitHub's Markdown.
type Markdown struct {
	w       io.Writer
	options MarkdownOptions
	out     bytes.Buffer
	known   callLog
	speaker string
	harness string // as in Text
	context contextMark
	err     error // of an image
}

// NewMarkdown returns a Markdown that writes to w.
func NewMarkdown(w io.Writer, options MarkdownOptions) *Markdown {
	options.Style = options.withDefaults()
	m := &Markdown{w: w, options: options}
	m.known.init(options.Style)
	return m
}

// Masked returns how many places were masked.
func (m *Markdown) Masked() int {
	if m.options.Masker == nil {
		return 0
	}
	return m.options.Masker.Count
}

// Head writes the title and the lines below it.
func (m *Markdown) Head(title string, lines ...string) error {
	m.out.WriteString("# " + m.line(m.mask(title)) + "\n\n")
	for _, line := range lines {
		if line != "" {
			m.out.WriteString(m.line(m.mask(line)) + "  \n")
		}
	}
	return m.write()
}

// Rule writes a line that separates what is above it from what is below.
func (m *Markdown) Rule(text string) error {
	m.rule(m.mask(text))
	return m.write()
}

// Entry writes an entry.
func (m *Markdown) Entry(e *parts.Entry, at parts.Position) error {
	if m.context.begins(e, at) {
		m.rule("The model sees everything below")
	}
	if at.Marked {
		m.rule(m.mask(markWords(e)))
		defer m.showAll()()
	}
	for i := range e.Parts {
		m.part(e, &e.Parts[i])
	}
	if m.err != nil {
		return m.err
	}
	return m.write()
}

// Close writes what was masked.
func (m *Markdown) Close() error {
	if m.Masked() > 0 {
		m.out.WriteString("\n---\n\n*" + ui.Count(m.Masked(), "secret") + " masked.*\n")
	}
	return m.write()
}

func (m *Markdown) write() error {
	_, err := m.w.Write(m.out.Bytes())
	m.out.Reset()
	return err
}

// mask masks a text that is not from an entry.
func (m *Markdown) mask(text string) string {
	if m.options.Masker == nil {
		return text
	}
	return m.options.Masker.Text(text)
}

// line returns the beginning of a text, without any markup.
func (m *Markdown) line(text string) string { return entities.Replace(oneLine(text)) }

func (m *Markdown) rule(text string) {
	m.out.WriteString("\n---\n\n**" + m.line(text) + "**\n")
	m.speaker = ""
}

func (m *Markdown) part(e *parts.Entry, p *parts.Part) {
	switch p.Kind {
	case parts.User, parts.Assistant:
		if !isBlank(p) {
			m.speak(e, p)
			m.prose(p.Text())
		}
	case parts.Thinking:
		if m.options.Thinking && !isBlank(p) {
			m.speak(e, p)
			m.details("Thinking", "", p.Text(), "text")
		}
	case parts.Call, parts.Result:
		m.tool(e, p)
	case parts.Image:
		m.speak(e, p)
		m.image(p)
	case parts.Failure:
		if e.Role != "" {
			m.speak(e, p)
		}
		m.out.WriteString("\n> **Error:** " + m.line(p.Text()) + "\n")
	case parts.Custom:
		if !e.IsForScreen(p) {
			m.custom(p)
		}
	case parts.Compaction, parts.Checkpoint, parts.BranchSummary, parts.Reset:
		m.rule(capital(boundaryWords(p)) + m.time(e))
		m.prose(p.Text())
	case parts.System:
		m.details("System prompt", p.ToolName(), systemText(p), "text")
	case parts.Damage:
		m.details("Damaged line "+ui.Thousands(e.Line), p.Field("message").String(), p.Text(), "text")
	case parts.Header, parts.Usage:
	default:
		m.note(e, p)
	}
}

// systemText is a section of the system prompt, or the tools that come with it.
func systemText(p *parts.Part) string {
	text := p.Text()
	for _, f := range p.Fields {
		text += f.Name + ": " + string(f.Value.UTF8()) + "\n"
	}
	return text
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// speak writes a heading with who speaks, unless the same one goes on.
func (m *Markdown) speak(e *parts.Entry, p *parts.Part) {
	speaker := speakerOf(e, p)
	isSame := speaker == m.speaker && e.Harness == m.harness
	if speaker == "" || isSame && (e.Role != jsonl.RoleUser || p.Number > 0) {
		return
	}
	m.speaker, m.harness = speaker, e.Harness
	if speaker == userName {
		speaker = "User" // the reader of a document is somebody else
	}
	from := ""
	if e.Harness != "" {
		from = " · from " + m.line(e.Harness)
	}
	m.out.WriteString("\n### " + m.line(speaker) + m.time(e) + from + "\n")
}

func (m *Markdown) time(e *parts.Entry) string {
	if e.Time.IsZero() {
		return ""
	}
	return " · " + ui.Minute(e.Time.In(m.options.Location))
}

// prose writes the Markdown of a message.
func (m *Markdown) prose(text string) {
	if text = strings.Trim(text, "\r\n"); text != "" {
		m.out.WriteString("\n" + inert(text))
	}
}

// details writes text that is folded away.
func (m *Markdown) details(title, note, text, language string) {
	if note != "" {
		note = " " + m.line(note)
	}
	m.out.WriteString("\n<details>\n<summary>" + title + note + "</summary>\n\n")
	if text != "" {
		m.out.WriteString(fenced(text, language))
	}
	m.out.WriteString("\n</details>\n")
}

// tool writes a tool call or its result.
func (m *Markdown) tool(e *parts.Entry, p *parts.Part) {
	if m.options.Tools == ToolsNone {
		return
	}
	m.speak(e, p)
	if p.Kind == parts.Call {
		excerpt := argumentExcerpt(p.Body)
		m.known.remember(p.Call.String(), callWords(newSafeLine(p.ToolName()), excerpt))
		text, language := m.callBody(p)
		m.details("🔧 <code>"+m.line(p.ToolName())+"</code>", ui.CutEnd(string(excerpt), summaryWidth), text, language)
		return
	}
	title := "↳ " + ui.Bytes(int64(len(p.Text())))
	if p.Failed {
		title = "❌ " + ui.Bytes(int64(len(p.Text())))
	}
	m.details(title, ui.CutEnd(string(m.known.nameOf(p)), summaryWidth), m.excerpt(p.Text()), "text")
	if diff := p.Field("diff"); diff.IsString() {
		m.details("Diff", "", m.excerpt(diff.String()), "diff")
	}
	if note := subagentOf(p).note; note != "" {
		m.out.WriteString("\n" + m.line(string(note)) + "\n")
	}
}

// summaryWidth is the width of what a folded text shows.
const summaryWidth = 100

// callBody returns the arguments of a call: a diff for an edit, a script for a command, JSON otherwise.
func (m *Markdown) callBody(p *parts.Part) (text, language string) {
	if !p.Body.IsObject() {
		return p.Text(), "text"
	}
	if diffs, _ := diffsOf(p.Body); len(diffs) > 0 {
		return m.excerpt("# " + string(argumentExcerpt(p.Body)) + "\n" + strings.Join(diffs, "\n")), "diff"
	}
	var b bytes.Buffer
	if json.Indent(&b, p.Body.UTF8(), "", "  ") != nil {
		b.Write(p.Body.UTF8())
	}
	return m.excerpt(b.String()), "json"
}

// excerptLines is how much of a tool call's text a document has, unless it has all.
const excerptLines = 40

// excerpt cuts a long text, unless everything is wanted.
func (m *Markdown) excerpt(text string) string {
	if m.options.Tools == ToolsFull {
		return text
	}
	lines := strings.SplitN(text, "\n", excerptLines+1)
	if len(lines) <= excerptLines {
		return text
	}
	rest := lines[excerptLines]
	return strings.Join(lines[:excerptLines], "\n") + "\n… " + ui.Count(strings.Count(rest, "\n")+1, "more line")
}

// image writes an image, or that it was left out.
func (m *Markdown) image(p *parts.Part) {
	words := "image " + m.line(p.ToolName()) + ", " + ui.Bytes(parts.ImageSize(p.Body))
	address := ""
	if m.options.Image != nil && p.Body.IsString() {
		address, m.err = m.options.Image(p.ToolName(), p.Body)
	}
	if address == "" {
		m.out.WriteString("\n*" + words + ", left out*\n")
		return
	}
	m.out.WriteString("\n![" + words + "](<" + address + ">)\n")
}

// custom writes what an extension wrote.
func (m *Markdown) custom(p *parts.Part) {
	if p.Added {
		m.details("Added for the model: <code>"+m.line(p.ToolName())+"</code>", "", m.excerpt(p.Text()), "text")
		return
	}
	if p.Hidden {
		m.details("Record of <code>"+m.line(p.ToolName())+"</code>", "", m.excerpt(p.Text()), "json")
		return
	}
	m.speaker = ""
	m.out.WriteString("\n### " + m.line(p.ToolName()) + "\n")
	m.prose(p.Text())
}

// sent writes what the model was sent instead of what the user said, or that there is such a text.
func (m *Markdown) sent(p *parts.Part) {
	if !m.options.Sent {
		m.out.WriteString("\n*The model was sent another text.*\n")
		return
	}
	m.out.WriteString("\n*Sent to the model:*\n")
	m.prose(p.Text())
}

// note writes a fact as a line.
func (m *Markdown) note(e *parts.Entry, p *parts.Part) {
	switch p.Kind {
	case parts.Other:
		m.details("Other record", "", m.excerpt(p.Text()), "json")
	case parts.Sent:
		m.sent(p)
	case parts.ContextEdit:
		m.out.WriteString("\n*The model sees instead of " + m.line(p.Field("target").String()) + ":*\n")
		m.prose(p.Text())
	default:
		m.out.WriteString("\n*" + m.line(markerWords(e, p)) + "*\n")
	}
}
