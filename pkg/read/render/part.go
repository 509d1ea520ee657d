package render

import (
	"strings"

	"clawctl/internal/ui"
	"clawctl/pkg/read/parts"
)

func (t *Text) part(e *parts.Entry, p *parts.Part, at parts.Position) {
	if !t.shows(p) {
		return
	}
	switch p.Kind {
	case parts.User, parts.Assistant, parts.Thinking, parts.Call, parts.Result, parts.Image, parts.Failure:
		if t.isRepeated(e, p) {
			t.line(ui.Dim, "· delivered as "+ui.EscapeLine(e.Model))
			return
		}
		if p.Kind != parts.Failure || e.Role != "" { // nobody says that an attempt has failed
			t.speak(e, p, at)
		}
		t.message(p)
	case parts.Sent:
		t.speak(e, p, at)
		t.sent(p)
	case parts.Custom:
		t.custom(e, p, at)
	case parts.Compaction, parts.Checkpoint, parts.BranchSummary, parts.Reset:
		t.boundary(e, p)
	case parts.Damage:
		t.damage(e, p)
	case parts.System:
		t.system(p)
	case parts.ContextEdit:
		t.note(p, "the model sees instead of "+p.Field("target").String())
		t.prose(p.Text())
	default:
		t.note(p, markerWords(e, p))
	}
}

// isRepeated reports whether a part is OpenClaw's own copy of what the model has just said.
func (t *Text) isRepeated(e *parts.Entry, p *parts.Part) bool {
	if p.Kind != parts.Assistant || t.style.Tools == ToolsFull {
		return false
	}
	if e.IsMirror() && string(p.Body) == t.said {
		return true
	}
	t.said = string(p.Body)
	return false
}

// message prints a part of a message below its speaker.
func (t *Text) message(p *parts.Part) {
	switch p.Kind {
	case parts.Thinking:
		t.block(blockThought)
		t.wrapped(ui.Faint, p.Text())
	case parts.Call:
		t.call(p)
	case parts.Result:
		t.result(p)
	case parts.Image:
		t.image(p)
	case parts.Failure:
		t.block(blockDamage)
		t.wrapped(ui.Error, p.Text())
	default:
		t.prose(p.Text())
	}
}

// sent prints what the model was sent instead of what the user said, or that there is such a text.
func (t *Text) sent(p *parts.Part) {
	if !t.style.Sent {
		t.note(p, "the model was sent another text; clawctl show --sent shows it")
		return
	}
	t.note(p, "sent to the model:")
	t.prose(p.Text())
}

// speak prints who speaks, unless the same one goes on.
func (t *Text) speak(e *parts.Entry, p *parts.Part, at parts.Position) {
	speaker := speakerOf(e, p)
	isSame := speaker == t.speaker && e.Harness == t.harness
	if speaker == "" || isSame && e.Role != "user" || isSame && p.Number > 0 {
		return
	}
	t.date(e.Time)
	t.speaker, t.harness = speaker, e.Harness
	mark, style := "●", ui.Assistant
	if speaker == userName {
		mark, style = "❯", ui.User
	}
	t.blank()
	note := t.clock(e.Time)
	if p.Hidden {
		note = strings.TrimPrefix(note+" · not sent to the model", " · ")
	}
	if e.Harness != "" {
		note = strings.TrimPrefix(note+" · from "+ui.EscapeLine(e.Harness), " · ")
	}
	line := t.style.paint(style, mark+" "+speaker)
	if note != "" {
		line += t.style.paint(ui.Dim, " · "+note)
	}
	t.out.WriteString(line + "\n")
	t.group = blockNone
}

// The names of speakers.
const (
	userName      = "You"
	assistantName = "Assistant"
)

// speakerOf names who speaks, "" if the one before goes on.
func speakerOf(e *parts.Entry, p *parts.Part) string {
	switch {
	case e.Role == "bashExecution", p.Kind == parts.User:
		return userName
	case p.Kind == parts.Result, e.Role == "toolResult":
		return ""
	case e.Role == "user":
		return userName
	case e.Model != "":
		return ui.EscapeLine(e.Model)
	case e.Role == "" || e.Role == "assistant":
		return assistantName
	}
	return ui.EscapeLine(e.Role)
}

// note prints a line about something that is not said.
func (t *Text) note(p *parts.Part, words string) {
	t.block(blockNotes)
	t.line(ui.Dim, ui.CutEnd("· "+oneLine(words), t.style.lineWidth()-len(indent)))
	if t.style.Tools == ToolsFull && (p.Kind == parts.Other || p.Kind == parts.Flush) {
		t.plain(ui.Dim, p.Text())
	}
}

// markerWords are the words of a part that is a fact instead of a text.
func markerWords(e *parts.Entry, p *parts.Part) string {
	text := p.Text()
	switch p.Kind {
	case parts.ModelChange:
		return "model: " + strings.Trim(e.Provider+"/"+e.Model, "/")
	case parts.ThinkingLevel:
		return "thinking: " + text
	case parts.Title:
		return "title: " + text
	case parts.Label:
		return "label: " + text + " (" + p.Field("target").String() + ")"
	case parts.Flush:
		return "the request to save memories was delivered"
	case parts.Leaf:
		return "continues from " + p.Field("target").String()
	case parts.Header:
		return "session " + e.ID + " in " + p.Field("cwd").String()
	case parts.Usage:
		words := "paid work without a message: " + p.Field("work").String()
		if e.HasUsage {
			words += " · " + ui.Short(e.Usage.Total) + " tokens"
			if e.Usage.HasCost {
				words += " · " + ui.Dollars(e.Usage.Cost)
			}
		}
		return words
	}
	return string(p.Kind) + ": " + text
}

// custom prints what an extension wrote: its messages like those of a speaker, its records as a note.
func (t *Text) custom(e *parts.Entry, p *parts.Part, at parts.Position) {
	if e.IsForScreen(p) {
		return
	}
	if p.Added || p.Hidden && e.Role == "" {
		words := "record of "
		if p.Added {
			words = "added for the model: "
		}
		t.note(p, words+p.ToolName()+" ("+ui.Bytes(int64(len(p.Body)))+")")
		if t.style.Tools == ToolsFull {
			t.plain(ui.Dim, p.Text())
		}
		return
	}
	t.date(e.Time)
	t.blank()
	t.speaker = ""
	name := t.style.paint(ui.Bold, "◆ "+oneLine(p.ToolName()))
	t.out.WriteString(name + t.style.paint(ui.Dim, " · "+t.clock(e.Time)) + "\n")
	t.group = blockNone
	t.prose(p.Text())
}

// boundary prints a summary under a rule.
func (t *Text) boundary(e *parts.Entry, p *parts.Part) {
	t.date(e.Time)
	t.rule(ui.Hint, boundaryWords(p)+" · "+t.clock(e.Time))
	t.speaker = ""
	t.prose(p.Text())
	for _, name := range []string{"topics", "key_decisions", "open_questions"} {
		if v := p.Field(name); v.IsArray() && len(v) > len(`[]`) {
			t.plain(ui.Dim, strings.ReplaceAll(name, "_", " ")+": "+string(v.UTF8()))
		}
	}
}

// boundaryWords name a boundary.
func boundaryWords(p *parts.Part) string {
	words := strings.ReplaceAll(string(p.Kind), "_", " ")
	if reason := p.Field("reason"); reason.IsString() {
		words += " · " + oneLine(reason.String())
	}
	for _, name := range []string{"tokens_before", "tokens"} {
		if v := p.Field(name); v.IsNumber() && v.Int() > 0 {
			words += " · " + ui.Short(v.Int()) + " tokens before"
		}
	}
	return words
}

// damage prints a damaged line where it lies.
func (t *Text) damage(e *parts.Entry, p *parts.Part) {
	message := p.Field("message").String()
	if message == "" {
		message = "not a record"
	}
	if e.Line > 0 {
		message = "line " + ui.Thousands(e.Line) + ": " + message
	}
	t.speaker = ""
	t.block(blockDamage)
	t.wrapped(ui.Error, "✗ "+oneLine(message))
	text := p.Text()
	if t.style.Tools != ToolsFull {
		text = ui.CutEnd(oneLine(text), t.style.lineWidth()-2*len(indent))
	}
	t.plain(ui.Dim, text)
}

// system prints the system prompt: as a whole with its tools, or its size.
func (t *Text) system(p *parts.Part) {
	name := "system prompt"
	if section := p.ToolName(); section != "" {
		name += ", " + section
	}
	if t.style.Tools != ToolsFull {
		t.note(p, name+" ("+ui.Bytes(int64(len(p.Body)))+")")
		return
	}
	t.note(p, name)
	t.plain(ui.Dim, p.Text())
	for _, f := range p.Fields {
		t.plain(ui.Dim, f.Name+": "+string(f.Value.UTF8()))
	}
}

// call prints a tool call.
func (t *Text) call(p *parts.Part) {
	if t.style.Tools == ToolsLine {
		t.block(blockTools)
		t.calls.add(t.out, p)
		return
	}
	t.calls.remember(p.Call.String(), callWords(newSafeLine(p.ToolName()), argumentExcerpt(p.Body)))
	t.fullCall(p)
}

// result prints a tool result.
func (t *Text) result(p *parts.Part) {
	switch {
	case t.style.Tools == ToolsFull:
		t.fullResult(p)
	case !t.calls.answer(p):
		t.block(blockTools)
		r := newResultLine(p)
		t.out.WriteString(t.style.callText(callLine{name: "result of", arguments: t.calls.nameOf(p), result: &r}))
		t.begun = true
	}
}

func (t *Text) image(p *parts.Part) {
	t.block(blockProse)
	t.line(ui.Dim, "[image "+oneLine(p.ToolName())+", "+ui.Bytes(parts.ImageSize(p.Body))+"]")
}
