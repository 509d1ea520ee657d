package parts

import "clawctl/pkg/jsonl"

// addMessage adds the parts of a message.
func (m *Maker) addMessage(msg jsonl.Message) {
	e := &m.entry
	e.Role = msg.Role()
	m.addAnswerer()
	m.setUsage(msg.Usage())
	switch e.Role {
	case jsonl.RoleBashExecution:
		m.addShell(msg)
	case jsonl.RoleSystem:
		m.addSystem(msg.Content(), msg.Get("sections"), msg.Get("toolsAdded"), msg.Get("toolsRemoved"))
	case jsonl.RoleToolResult:
		m.addToolResult(msg)
	default:
		m.addContent(kindOfRole(e.Role), msg)
		m.addSent(msg)
	}
	if failure := msg.Get("errorMessage"); failure.IsString() && len(failure) > len(`""`) {
		m.add(Failure, failure).Failed = true
	}
	if msg.Get("excludeFromContext").IsTrue() {
		for i := range e.Parts {
			e.Parts[i].Hidden = true
		}
	}
}

// addSent adds the text that the model was sent, if it differs from what the user said.
func (m *Maker) addSent(msg jsonl.Message) {
	p := msg.Projection()
	if p.State == jsonl.Projected && p.Text.String() != jsonl.PlainText(msg.Content()) {
		m.add(Sent, p.Text)
	}
}

// addAnswerer sets what an answer says about its model.
func (m *Maker) addAnswerer() {
	e := &m.entry
	if v := e.Record.Noted(jsonl.FieldModel); v.Exists() {
		m.model = likelyText(v, m.model)
		e.Model = m.model
	}
	if v := e.Record.Noted(jsonl.FieldProvider); v.Exists() {
		m.provider = likelyText(v, m.provider)
		e.Provider = m.provider
	}
	if v := e.Record.Noted(jsonl.FieldStopReason); v.Exists() {
		m.stop = likelyText(v, m.stop)
		e.Stop = m.stop
	}
}

// StartsTurn reports whether a record is a message in which the user says something. Tool results do not count, in
// whatever form.
func StartsTurn(rec *jsonl.Record) bool {
	if !rec.Legible() {
		return false
	}
	msg, ok := rec.Message()
	if !ok || msg.Role() != jsonl.RoleUser {
		return false
	}
	for b := range msg.Blocks() {
		if b.Kind != jsonl.BlockToolResult {
			return true
		}
	}
	return false
}

// kindOfRole returns the kind of the texts in a message.
func kindOfRole(role string) Kind {
	switch role {
	case jsonl.RoleUser:
		return User
	case jsonl.RoleAssistant:
		return Assistant
	case jsonl.RoleCustom, jsonl.RoleHookMessage:
		return Custom
	}
	return Other
}

// addContent adds the blocks of a message.
func (m *Maker) addContent(kind Kind, msg jsonl.Message) {
	from := len(m.entry.Parts)
	content := msg.Content()
	if content.Exists() && !content.IsNull() && !content.IsString() && !content.IsArray() {
		m.add(Other, content)
		return
	}
	m.addNoted(kind, msg)
	if name := msg.Get("customType"); kind == Custom && name.IsString() {
		m.nameParts(from, name)
	}
}

// nameParts sets the name of all parts from an index on. The name of an image is its media type.
func (m *Maker) nameParts(from int, name jsonl.Value) {
	for i := from; i < len(m.entry.Parts); i++ {
		if p := &m.entry.Parts[i]; p.Kind != Image {
			p.Name = name
		}
	}
}

// addNoted adds the blocks of a message. The reader has noted the members of most.
func (m *Maker) addNoted(kind Kind, msg jsonl.Message) {
	if m.onBlock == nil {
		m.onBlock = func() { m.addBlock(m.kind, &m.block) }
	}
	m.kind = kind
	msg.EachBlock(&m.block, m.onBlock)
}

func (m *Maker) addBlocks(kind Kind, content jsonl.Value) {
	var b jsonl.Block
	jsonl.EachBlockOf(content, &b, func() { m.addBlock(kind, &b) })
}

// addBlock adds one block of a message.
func (m *Maker) addBlock(kind Kind, b *jsonl.Block) {
	switch {
	case !b.Value.IsObject():
		m.add(kind, b.Value)
	case b.Kind == jsonl.BlockText:
		m.add(kind, b.Text())
	case b.Kind == jsonl.BlockThinking:
		m.add(Thinking, b.Text())
	case b.Kind == jsonl.BlockRedacted:
		m.add(Thinking, nil)
	case b.Kind == jsonl.BlockImage:
		mime, data := b.Image()
		m.add(Image, data).Name = mime
	case b.Kind == jsonl.BlockToolCall:
		p := m.add(Call, b.Arguments())
		p.Name, p.Call = b.ToolName(), b.CallID()
	case b.Kind == jsonl.BlockToolResult:
		m.addResult(b.Content(), result{call: b.Answers(), failed: b.IsError().IsTrue()})
	default:
		m.add(Other, b.Value)
	}
}

// A result is what the parts of a tool result share.
type result struct {
	tool, call jsonl.Value
	failed     bool
	details    jsonl.Value
}

func resultOf(msg jsonl.Message) result {
	call := msg.Get("toolCallId")
	if !call.IsString() || len(call) == len(`""`) {
		call = quoted(msg.ToolCallID())
	}
	return result{
		tool: msg.Get("toolName"), call: call,
		failed:  msg.IsError(),
		details: msg.Get("details"),
	}
}

func (m *Maker) addToolResult(msg jsonl.Message) {
	content := msg.Content()
	if !content.IsArray() {
		m.addResult(content, resultOf(msg))
		return
	}
	from := len(m.entry.Parts)
	m.addNoted(Result, msg)
	m.endResult(from, resultOf(msg))
}

// addResult adds the blocks of a tool result.
func (m *Maker) addResult(content jsonl.Value, r result) {
	from := len(m.entry.Parts)
	if content.IsArray() {
		m.addBlocks(Result, content)
	} else if content.Exists() && !content.IsNull() {
		m.add(Result, content)
	}
	m.endResult(from, r)
}

// endResult gives the parts from an index on what they share. A result without content is one part without a body.
func (m *Maker) endResult(from int, r result) {
	if len(m.entry.Parts) == from {
		m.add(Result, nil)
	}
	m.nameParts(from, r.tool)
	for i := from; i < len(m.entry.Parts); i++ {
		m.entry.Parts[i].Call, m.entry.Parts[i].Failed = r.call, r.failed
	}
	last := &m.entry.Parts[len(m.entry.Parts)-1]
	last.Details = r.details
	m.field(last, "exit_code", r.details.Get("exitCode"))
	m.field(last, "diff", r.details.Get("diff"))
}

// addShell adds a command that the user ran: a call and its result.
func (m *Maker) addShell(msg jsonl.Message) {
	call := m.add(Call, msg.Get("command"))
	call.Name = quoted("bash")
	p := m.add(Result, msg.Get("output"))
	exit := msg.Get("exitCode")
	p.Name, p.Failed = call.Name, exit.Int() != 0 || msg.Get("cancelled").IsTrue()
	m.field(p, "exit_code", exit)
}

// addSystem adds the sections of a system prompt, and the tools that come and go with it.
func (m *Maker) addSystem(content, sections, added, removed jsonl.Value) {
	for b := range jsonl.BlocksOf(content) {
		if b.Value.IsString() && len(b.Value) == len(`""`) {
			continue
		}
		m.addBlock(System, &b)
	}
	for name, v := range sections.Members() {
		m.add(System, v).Name = quoted(name)
	}
	if !added.Exists() && !removed.Exists() {
		return
	}
	p := m.add(System, nil)
	p.Name = quoted("tools")
	m.field(p, "tools_added", added)
	m.field(p, "tools_removed", removed)
}
