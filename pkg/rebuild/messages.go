package rebuild

import (
	"bytes"
	"unicode/utf8"

	"clawctl/pkg/javascript"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext"
	"clawctl/pkg/secrets"
)

// message reads the message of a message record.
func (s *scanner) message(rec *jsonl.Record) {
	e := s.e
	m, ok := rec.Message()
	if !ok {
		e.flags |= contentMissing | unknownRole
		return
	}
	if v := m.Get("role"); v.IsString() {
		e.role = roleNamed(string(v[1 : len(v)-1]))
		if e.role == roleOther {
			e.role = roleNamed(v.String()) // written with escapes
		}
	}
	if e.role == roleOther {
		e.flags |= unknownRole
	}
	if exclude := m.Get("excludeFromContext"); javascript.IsTruthy(exclude) {
		e.flags |= hidden
		if exclude.IsTrue() {
			e.flags |= excluded
		}
	}
	content := m.Content()
	if !content.Exists() || content.IsNull() {
		e.flags |= contentMissing
	}
	contentFits := s.content(content, m)
	s.text(content)
	fits := false
	switch e.role {
	case roleUser:
		fits = contentFits
	case roleAssistant:
		fits = contentFits
		s.assistant(m)
	case roleSystem:
		fits = s.system(m) && contentFits
	case roleToolResult:
		s.toolResult(m)
		s.tellPi(m.Get("usage"))
		fits = m.Get("toolCallId").IsString() && m.Get("toolName").IsString() && javascript.IsBoolean(m.Get("isError")) &&
			(content.IsArray() || content.IsString() || content.IsObject())
	case roleCustom:
		fits = contentFits && m.Get("customType").IsString()
		if contentFits && !m.Get("customType").Exists() {
			e.flags |= hookFits
		}
	case roleHook:
		if contentFits {
			e.flags |= hookFits
		}
	case roleBash:
		fits = m.Get("command").IsString() && m.Get("output").IsString()
		for _, v := range []jsonl.Value{m.Get("command"), m.Get("output")} {
			s.text(v)
		}
	}
	if fits {
		e.flags |= bodyFits
	}
}

func (s *scanner) assistant(m jsonl.Message) {
	e := s.e
	e.ref, e.ref2 = s.recentSymbol(m.Get("provider"), &s.provider), s.recentSymbol(m.Get("model"), &s.model)
	switch string(m.Get("stopReason")) {
	case `"error"`, `"aborted"`:
		e.flags |= failed
	case `"deferred"`:
		e.flags |= deferred
		s.evidence.pi = true
	}
	if m.IsMirror() {
		e.flags |= mirror
		s.evidence.openClaw = true
	}
	s.tellPi(m.Get("usage"))
	if string(m.Get("api")) == `"cli"` {
		e.flags |= harness
	}
	flags, total := usageFlags(m.Get("usage"), e.has(mirror))
	e.flags |= flags
	if total > 0 && !e.has(mirror) {
		s.lastTotal = total
	}
}

// system reads a message with prompts and tools, and reports whether they have the shape that pi writes. pi's messages
// have sections or tools. A plain text alone may come from any program.
func (s *scanner) system(m jsonl.Message) bool {
	sections, added, removed := m.Get("sections"), m.Get("toolsAdded"), m.Get("toolsRemoved")
	s.text(sections)
	s.evidence.pi = s.evidence.pi || sections.IsObject() || added.IsArray() || removed.IsArray()
	return (!sections.Exists() || sections.IsObject()) && (!added.Exists() || added.IsArray()) &&
		(!removed.Exists() || removed.IsArray())
}

// tellPi looks for a field of usage that only pi writes.
func (s *scanner) tellPi(usage jsonl.Value) {
	if !s.evidence.pi && bytes.Contains(usage, []byte(`"totalFromProvider"`)) {
		s.evidence.pi = true
	}
}

// usageFlags checks the token counts of a provider, and returns the size of the context.
func usageFlags(v jsonl.Value, mirror bool) (flags flags, total int64) {
	var input, output, read, write int64
	counted, old, known := false, false, 0
	for key, v := range v.Fields() {
		known++
		switch string(key) {
		case "input":
			input, counted = v.Int(), true
		case "output":
			output = v.Int()
		case "cacheRead":
			read = v.Int()
		case "cacheWrite":
			write = v.Int()
		case "totalTokens", "total":
			total = v.Int()
		case "prompt_tokens", "completion_tokens", "total_tokens":
			old = true
		default:
			known--
		}
		if known == 5 && !old {
			break // the counts are complete; prices follow
		}
	}
	sum := input + output + read + write
	switch {
	case mirror && sum > 0:
		flags = mirrorUsage
	case mirror:
	case old:
		flags = oldUsage
	case !counted || sum == 0:
		flags = noUsage
	case total != 0 && total != sum:
		flags = wrongTotal
	}
	if total == 0 {
		total = sum
	}
	return flags, total
}

// missingResult is the text that OpenClaw writes for a tool that never answered.
const missingResult = "[openclaw] missing tool result in session history; inserted synthetic error result for " +
	"transcript repair."

// callNames are the fields that have held the id of the answered call, the current one first.
var callNames = []string{"toolCallId", "toolUseId", "tool_call_id", "tool_use_id", "callId", "call_id"}

func (s *scanner) toolResult(m jsonl.Message) {
	e := s.e
	e.ref, e.ref2 = missing, s.recentSymbol(m.Get("toolName"), &s.tool)
	for _, name := range callNames {
		v := m.Get(name)
		if !isFilled(v) {
			continue
		}
		if text := v[1 : len(v)-1]; jsontext.IsPlain(text) && text[0] > ' ' && text[len(text)-1] > ' ' {
			e.ref = s.names.of(text)
			break
		}
		if id := javascript.Trim(string(nameOf(v))); id != "" {
			e.ref = s.names.of([]byte(id))
			break
		}
	}
	if !javascript.IsTruthy(m.Get("isError")) {
		return
	}
	e.flags |= errorResult
	if m.Get("details").Get("openclawSyntheticMissingToolResult").IsTrue() {
		e.flags |= synthetic
	}
	for b := range jsonl.BlocksOf(m.Content()) {
		if b.Type() == jsonl.BlockText && len(b.Value) < 2*len(missingResult) && b.Text() == missingResult {
			e.flags |= synthetic
		}
	}
}

// claw0Message reads a line of claw0, which is itself a message.
func (s *scanner) claw0Message(rec *jsonl.Record) {
	e := s.e
	e.flags |= bodyFits
	m, ok := rec.Message()
	if !ok {
		return
	}
	switch rec.Type() {
	case jsonl.TypeUser:
		e.role = roleUser
	case jsonl.TypeAssistant:
		e.role = roleAssistant
	case jsonl.TypeToolUse:
		e.role = roleAssistant
		e.flags |= claw0Call
		s.block(rec.Value())
		s.text(rec.Value())
		return
	case jsonl.TypeToolResult:
		e.role = roleToolResult
		e.ref = s.name(rec.Get("tool_use_id"))
		if javascript.IsTruthy(rec.Get("is_error")) {
			e.flags |= errorResult
		}
	}
	s.content(m.Content(), m)
	s.text(m.Content())
}

// text sets the flags for problems with a text, or a list of blocks, that a model may see.
func (s *scanner) text(v jsonl.Value) {
	if secrets.Contains(v) {
		s.e.flags |= secret
	}
	if s.surrogates && jsontext.HasLoneSurrogate(v) {
		s.e.flags |= loneSurrogate
	}
	if s.damaged && !utf8.Valid(v) {
		s.e.flags |= badText
	}
}
