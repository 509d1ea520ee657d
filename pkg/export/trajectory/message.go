package trajectory

import (
	"encoding/json"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/parts"
)

// addAnswer adds a message of a model. It may continue the answer before it.
func (b *builder) addAnswer(e *parts.Entry, afterAnswer bool) {
	if afterAnswer && e.Record.Continues() {
		b.addParts(b.open[len(b.open)-1], e)
		return
	}
	s := b.begin(e, fromAgent)
	s.Model, s.Effort = e.Model, b.effort
	if b.surveys && b.plan.model == "" && !e.IsMirror() {
		b.plan.model = e.Model
	}
	if e.Provider != "" {
		s.Extra.set("provider", e.Provider)
	}
	if e.Stop != "" {
		s.Extra.set("stop_reason", e.Stop)
	}
	said := b.addParts(s, e)
	s.Message = said.text.value(betweenTexts)
	b.addThoughts(s, e, said.thoughts)
}

// addThoughts adds what only the answer of a model has. A message that no model sent has neither thoughts nor metrics.
func (b *builder) addThoughts(s *openStep, e *parts.Entry, thoughts []json.RawMessage) {
	count := 1
	if e.IsMirror() {
		count = 0
		s.Extra.set("mirror", true)
	}
	s.LLMCalls = &count
	s.Metrics = b.totals.ofAnswer()
	switch {
	case len(thoughts) == 0:
	case count == 0:
		s.Extra.set("reasoning", join(thoughts, betweenTexts))
	default:
		s.Reasoning = join(thoughts, betweenTexts)
	}
}

// said is what an answer says and thinks.
type said struct {
	text     content
	thoughts []json.RawMessage
}

// addParts adds the calls of an answer to its step, and returns what it says.
func (b *builder) addParts(s *openStep, e *parts.Entry) said {
	var said said
	for i := range e.Parts {
		switch p := &e.Parts[i]; p.Kind {
		case parts.Thinking:
			switch {
			case !p.Body.Exists():
				b.leaveOut("hidden_thought")
			case !b.surveys:
				said.thoughts = append(said.thoughts, b.text(p.Body))
			}
		case parts.Call:
			b.addCall(s, p)
		case parts.Image:
			b.addImageTo(&said.text, p)
		case parts.Assistant:
			b.addTextTo(&said.text, p)
		default:
			b.addOddPart(&s.Extra, e, p)
		}
	}
	return said
}

// addOddPart adds a part that has no place in a step to the extra data.
func (b *builder) addOddPart(x *extra, e *parts.Entry, p *parts.Part) {
	switch p.Kind {
	case parts.Damage: // counted with the lines of the transcript
	case parts.Failure:
		x.set("error", b.text(p.Body))
	default:
		list, _ := (*x)["records"].([]json.RawMessage)
		x.set("records", append(list, b.record(e, p)))
	}
}

// record returns a part as show prints it as JSON.
func (b *builder) record(e *parts.Entry, p *parts.Part) json.RawMessage {
	if b.surveys {
		return nil
	}
	return b.value(parts.AppendJSON(nil, e, p, parts.Position{Unknown: true}))
}

// addMessage adds a message of a person, a tool or an extension. Results belong to the steps of their calls, and the
// rest is a step.
func (b *builder) addMessage(e *parts.Entry) {
	rest := b.addResults(e)
	if len(rest) == 0 && len(e.Parts) > 0 {
		return
	}
	e.Parts = rest
	if e.Role == jsonl.RoleUser {
		b.addText(e, fromUser)
		return
	}
	s := b.addText(e, fromSystem)
	s.Extra.set("role", e.Role)
}

// addText adds a step that consists of texts and images.
func (b *builder) addText(e *parts.Entry, source string) *openStep {
	s := b.begin(e, source)
	var text content
	for i := range e.Parts {
		switch p := &e.Parts[i]; p.Kind {
		case parts.User, parts.Custom, parts.Result:
			b.addTextTo(&text, p)
			if p.Kind == parts.Custom && p.Name.IsString() {
				s.Extra.set("custom_type", b.text(p.Name))
			}
		case parts.System:
			b.addSection(s, &text, e, p)
		case parts.Image:
			b.addImageTo(&text, p)
		default:
			b.addOddPart(&s.Extra, e, p)
		}
	}
	s.Message = text.value(betweenTexts)
	return s
}

// addSection adds a section of a system prompt. Tools that come and go are not text.
func (b *builder) addSection(s *openStep, text *content, e *parts.Entry, p *parts.Part) {
	if len(p.Fields) > 0 {
		b.addOddPart(&s.Extra, e, p)
		return
	}
	b.addTextTo(text, p)
}

// addShell adds a command that the user ran.
func (b *builder) addShell(e *parts.Entry) {
	s := b.begin(e, fromSystem)
	s.Extra.set("user_command", true)
	s.Message = quoted("")
	for i := range e.Parts {
		switch p := &e.Parts[i]; p.Kind {
		case parts.Call:
			s.Message = quoted("The user ran a command: " + p.Text())
		case parts.Result:
			s.observe(b.result(e, e.Parts[i:i+1]))
		default:
			b.addOddPart(&s.Extra, e, p)
		}
	}
}

func (s *openStep) observe(r *result) {
	if s.Observation == nil {
		s.Observation = &observation{}
	}
	s.Observation.Results = append(s.Observation.Results, r)
}
