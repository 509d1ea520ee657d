package trajectory

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext"
	"clawctl/pkg/read/parts"
)

// A call is a tool call that a result may answer.
type call struct {
	step     int
	id       string // in the step
	answered bool
}

// addCall adds a call to the step of an answer. Ids that are missing or not unique get others.
func (b *builder) addCall(s *openStep, p *parts.Part) {
	original := p.Call.String()
	c := toolCall{ID: original, Function: p.ToolName()}
	if original == "" {
		c.ID = fmt.Sprintf("call-%d-%d", s.ID, len(s.Calls)+1)
		c.Extra.set("id_missing", true)
	}
	if free := s.freeID(c.ID); free != c.ID {
		c.ID = free
		c.Extra.set("original_id", original)
	}
	if c.Function == "" {
		c.Function = "unknown"
		c.Extra.set("name_missing", true)
	}
	b.addArguments(&c, p.Body)
	s.Calls = append(s.Calls, c)
	before := b.calls[original]
	if len(before) > 0 && before[0].step != s.ID {
		before = nil
	}
	b.calls[original] = append(before, &call{step: s.ID, id: c.ID})
}

// addArguments adds the arguments of a call, which must be an object. A string may contain one. Anything else is kept
// in the extra data.
func (b *builder) addArguments(c *toolCall, v jsonl.Value) {
	c.Arguments = json.RawMessage("{}")
	if b.surveys || !v.Exists() || v.IsNull() {
		return
	}
	object := v
	if text := v.String(); v.IsString() && json.Valid([]byte(text)) {
		object = jsonl.Value(bytes.TrimSpace([]byte(text)))
	}
	if !object.IsObject() || jsontext.NestsDeeper(object, maxDepth) {
		c.Extra.set("arguments", b.text(v))
		return
	}
	c.Arguments = b.value(object)
}

// callOf returns the call that a result with an id answers: one of the last step that has a call with the id, and of
// several the first without a result. It returns nil if there is none.
func (b *builder) callOf(id string) *call {
	list := b.calls[id]
	if id == "" || len(list) == 0 {
		return nil
	}
	for len(list) > 1 && list[0].answered {
		list = list[1:]
	}
	b.calls[id] = list
	return list[0]
}

// addResults adds the tool results of an entry to the steps of their calls, and returns the other parts.
func (b *builder) addResults(e *parts.Entry) []parts.Part {
	var rest []parts.Part
	for i := 0; i < len(e.Parts); {
		if !isResult(e, &e.Parts[i]) {
			if e.Parts[i].Kind != parts.Damage { // which is counted with the lines of the transcript
				rest = append(rest, e.Parts[i])
			}
			i++
			continue
		}
		end := i + 1
		for end < len(e.Parts) && isResult(e, &e.Parts[end]) && bytes.Equal(e.Parts[end].Call, e.Parts[i].Call) {
			end++
		}
		b.addResult(e, e.Parts[i:end])
		i = end
	}
	return rest
}

// isResult reports whether a part belongs to a tool result.
func isResult(e *parts.Entry, p *parts.Part) bool {
	switch p.Kind {
	case parts.Result:
		return true
	case parts.Call, parts.Damage:
		return false
	}
	return e.Role == jsonl.RoleToolResult || p.Call.Exists()
}

// addResult adds the parts of one tool result.
func (b *builder) addResult(e *parts.Entry, list []parts.Part) {
	id := list[0].Call.String()
	c := b.callOf(id)
	if c == nil {
		s := b.begin(e, fromSystem)
		s.Message = quoted("A tool result without a recorded call.")
		r := b.result(e, list)
		r.Extra.set("tool_call_id", id)
		s.observe(r)
		return
	}
	repeated := c.answered
	c.answered = true
	if b.surveys {
		b.plan.results[c.step]++
		return
	}
	r := b.result(e, list)
	r.Call = c.id
	if repeated {
		r.Extra.set("repeated", true)
	}
	s := b.open[c.step-b.open[0].ID]
	s.observe(r)
	s.waits--
}

func (b *builder) result(e *parts.Entry, list []parts.Part) *result {
	r := &result{}
	var output content
	for i := range list {
		p := &list[i]
		switch p.Kind {
		case parts.Result:
			b.addTextTo(&output, p)
		case parts.Image:
			b.addImageTo(&output, p)
		default:
			b.addOddPart(&r.Extra, e, p)
		}
		b.addFacts(&r.Extra, p)
	}
	r.Content = output.value(betweenOutput)
	if list[0].Failed {
		r.Extra.set("is_error", true)
	}
	if name := list[0].Name; name.IsString() && list[0].Kind == parts.Result {
		r.Extra.set("tool_name", b.text(name))
	}
	if at := stamp(e.Time); at != "" {
		r.Extra.set("timestamp", at)
	}
	if e.Role == jsonl.RoleToolResult { // what the work of a model inside the tool cost
		b.totals.addOutside(&r.Extra)
	}
	b.link(r, list)
	return r
}

// addFacts adds the fields of a part, such as the exit code of a command.
func (b *builder) addFacts(x *extra, p *parts.Part) {
	for _, f := range p.Fields {
		x.set(f.Name, b.value(f.Value))
	}
}

// link refers to the subagents that a result mentions for the first time.
func (b *builder) link(r *result, list []parts.Part) {
	if len(b.subagents) == 0 || b.surveys {
		return
	}
	b.subagents = slices.DeleteFunc(b.subagents, func(a subagent) bool {
		mentions := slices.ContainsFunc(list, func(p parts.Part) bool {
			return bytes.Contains(p.Body, []byte(a.Key)) || a.ID != "" && bytes.Contains(p.Body, []byte(a.ID))
		})
		if mentions {
			r.Subagents = append(r.Subagents, a.reference())
		}
		return mentions
	})
}

// linkRest refers to the subagents that no result mentions, in a step of the system.
func (b *builder) linkRest() {
	if len(b.subagents) == 0 {
		return
	}
	s := b.begin(nil, fromSystem)
	s.Message = quoted("Subagents of this session that no tool result mentions.")
	r := &result{}
	for _, a := range b.subagents {
		r.Subagents = append(r.Subagents, a.reference())
	}
	s.observe(r)
}

func (a *subagent) reference() reference {
	return reference{Path: a.File, SessionID: a.ID, Extra: extra{"key": a.Key}}
}
