package rebuild

import (
	"bytes"
	"unicode/utf8"

	"clawctl/internal/failure"
	"clawctl/pkg/dialect"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext"
	"clawctl/pkg/jsontext/javascript"
)

func (s *sketcher) message(rec *jsonl.Record) {
	e := s.e
	m, ok := rec.Message()
	if !ok {
		e.flags |= contentMissing | unknownRole
		return
	}
	if v := rec.Noted(jsonl.FieldRole); v.IsString() {
		e.role = roleNamed(string(v[1 : len(v)-1]))
		if e.role == roleOther {
			e.role = roleNamed(v.String()) // written with escapes
		}
	}
	if e.role == roleOther {
		e.flags |= unknownRole
	}
	if exclude := rec.Noted(jsonl.FieldExclude); javascript.IsTruthy(exclude) {
		e.flags |= hidden
		if exclude.IsTrue() {
			e.flags |= excluded
		}
	}
	if rec.Translator() != nil {
		s.translated(rec)
	}
	s.sketch.evidence |= byGoClaw.when(dialect.IsGoClawID(rec.Noted(jsonl.FieldID)))
	content := rec.Noted(jsonl.FieldContent)
	if !content.Exists() || content.IsNull() {
		e.flags |= contentMissing
	}
	s.text(content)
	contentFits := s.content(content, m)
	if rec.Noted(jsonl.FieldOpenClaw).Exists() {
		s.projection(m)
		s.sketch.run = s.name(rec.Noted(jsonl.FieldOpenClaw).Get("runId"))
	}
	fits := false
	switch e.role {
	case roleUser:
		fits = s.need("message.content", content, contentFits)
	case roleAssistant:
		fits = s.need("message.content", content, contentFits)
		s.assistant(rec, m)
	case roleSystem:
		fits = s.system(m) && s.need("message.content", content, contentFits)
	case roleToolResult:
		if !s.onlyPath {
			s.toolResult(rec, m)
		}
		s.tellPi(rec.Noted(jsonl.FieldUsage))
		id, tool, isError := rec.Noted(jsonl.FieldToolCallID), rec.Noted(jsonl.FieldToolName), rec.Noted(jsonl.FieldIsError)
		fits = s.need("message.toolCallId", id, id.IsString()) && s.need("message.toolName", tool, tool.IsString()) &&
			s.need("message.isError", isError, javascript.IsBoolean(isError)) &&
			s.need("message.content", content, content.IsArray() || content.IsString() || content.IsObject())
	case roleCustom:
		name := m.Get("customType")
		fits = s.need("message.content", content, contentFits) && s.need("message.customType", name, name.IsString())
		if contentFits && !name.Exists() {
			e.flags |= hookFits
		}
		s.carrier(m.Get("details"))
	case roleHook:
		if name := m.Get("customType"); contentFits && (name.IsString() || !javascript.IsTruthy(name)) {
			e.flags |= hookFits
		}
		s.carrier(m.Get("details"))
	case roleBash:
		command, output := m.Get("command"), m.Get("output")
		fits = s.need("message.command", command, command.IsString()) &&
			s.need("message.output", output, output.IsString())
		s.text(command)
		s.text(output)
	}
	if fits || rec.Translator() != nil {
		e.flags |= bodyFits
	}
}

// translated reads what only translations say.
func (s *sketcher) translated(rec *jsonl.Record) {
	if rec.Continues() {
		s.e.flags |= continues
	}
	s.malformed(rec)
	for key, v := range rec.Value().Fields() {
		switch string(key) {
		case "answer":
			s.sketch.answer = s.name(v)
		case "isSent":
			s.e.flags |= sentMirror
		case "isUnanswered":
			s.e.flags |= unanswered
		case "isFinal":
			s.e.flags |= final
		case "sentAs":
			s.e.flags |= added
			if v.Is(jsonl.RoleSystem) {
				s.e.flags |= addedBySystem
			}
		case "division":
			s.sketch.ref2.sym = countElements(v)
		case "apart":
			s.e.flags |= apart
		case "inSession":
			s.sketch.session = v
		}
	}
}

// malformed notes the field because of which the program cannot read the line.
func (s *sketcher) malformed(rec *jsonl.Record) {
	if field := rec.Get("malformed"); field.IsString() {
		s.sketch.fault(OddShape)
		s.need(field.String(), rec.Stated().Get("payload").Get(field.String()), false)
	}
}

// carrier looks for the mark of a custom message that carries the context of the runtime.
func (s *sketcher) carrier(details jsonl.Value) {
	if isCarrier(details) {
		s.e.flags |= carrier
	}
}

func (s *sketcher) assistant(rec *jsonl.Record, m jsonl.Message) {
	e, provider, usage := s.e, rec.Noted(jsonl.FieldProvider), rec.Noted(jsonl.FieldUsage)
	switch {
	case m.IsFailed():
		e.flags |= failed
	case rec.Noted(jsonl.FieldStopReason).Is("deferred"):
		e.flags |= deferred
		s.sketch.evidence |= byPi
	}
	if m.IsMirror() {
		e.flags |= mirror
		s.sketch.evidence |= byOpenClaw
	}
	s.tellPi(usage)
	if s.onlyPath {
		return
	}
	s.sketch.ref, s.sketch.ref2 = s.name(provider), s.name(rec.Noted(jsonl.FieldModel))
	if rec.Noted(jsonl.FieldReplay).Exists() {
		s.readReplay(m)
	}
	api := rec.Noted(jsonl.FieldAPI)
	if e.api = apiOf(api); string(api) == `"cli"` {
		s.sketch.fault(Elsewhere)
	}
	if (!usage.Exists() || usage.IsNull()) && m.Get("timestamp").IsNumber() {
		e.flags |= unmetered
	}
	code, total := checkUsage(usage, e.has(mirror))
	s.sketch.fault(code)
	if !e.has(mirror) {
		s.sketch.total = statedSize(usage, total)
	}
}

// statedSize returns the size of the context that OpenClaw states beside the counts of an answer, or the total of the
// counts.
func statedSize(usage jsonl.Value, total int64) int64 {
	if bytes.IndexByte(usage, 'U') < 0 || !bytes.Contains(usage, []byte(`"contextUsage"`)) { // nearly always
		return total
	}
	if context := usage.Get("contextUsage"); context.Get("state").Is("available") {
		total, _ = openClawSize(usage, context)
	}
	return total
}

// system reads a message with prompts and tools, and reports whether they have the shape that pi writes. pi's messages
// have sections or tools. A plain text alone may come from any program.
func (s *sketcher) system(m jsonl.Message) bool {
	sections, added, removed := m.Get("sections"), m.Get("toolsAdded"), m.Get("toolsRemoved")
	s.text(sections)
	s.sketch.evidence |= byPi.when(sections.IsObject() || added.IsArray() || removed.IsArray())
	return s.need("message.sections", sections, !sections.Exists() || sections.IsObject()) &&
		s.need("message.toolsAdded", added, !added.Exists() || added.IsArray()) &&
		s.need("message.toolsRemoved", removed, !removed.Exists() || removed.IsArray())
}

// tellPi looks for a field of usage that only pi writes.
func (s *sketcher) tellPi(usage jsonl.Value) {
	if bytes.IndexByte(usage, 'F') >= 0 && bytes.Contains(usage, []byte(`"totalFromProvider"`)) {
		s.sketch.evidence |= byPi
	}
}

// checkUsage checks the token counts of a provider, and returns the size of the context.
func checkUsage(v jsonl.Value, mirror bool) (code failure.Code, total int64) {
	if counts, ok := plainUsage(v); ok {
		return judgeUsage(counts, true, false, mirror)
	}
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
	return judgeUsage([5]int64{input, output, read, write, total}, counted, old, mirror)
}

// plainUsage reads token counts in the form that OpenClaw and pi write, up to their total.
func plainUsage(v jsonl.Value) (counts [5]int64, ok bool) {
	for i, before := range [...]string{`{"input":`, `,"output":`, `,"cacheRead":`, `,"cacheWrite":`, `,"totalTokens":`} {
		if len(v) < len(before) || string(v[:len(before)]) != before {
			return counts, false
		}
		v = v[len(before):]
		digits := 0
		for ; digits < len(v) && v[digits]-'0' <= 9; digits++ {
			counts[i] = counts[i]*10 + int64(v[digits]-'0')
		}
		if v = v[digits:]; digits == 0 || digits > 18 || len(v) == 0 || v[0] != ',' && v[0] != '}' {
			return counts, false // a number that is negative, very large or has a fraction
		}
	}
	return counts, true
}

// judgeUsage checks counts of the input, the output, what was read from the cache, what was written to it, and in
// total.
func judgeUsage(counts [5]int64, counted, old, mirror bool) (code failure.Code, total int64) {
	sum := counts[0] + counts[1] + counts[2] + counts[3]
	total = counts[4]
	switch {
	case mirror && sum > 0:
		code = MirrorUsage
	case mirror:
	case old:
		code = OldUsage
	case !counted || sum == 0:
		code = NoUsage
	case total != 0 && total != sum:
		code = WrongTotal
	}
	if total == 0 {
		total = sum
	}
	return code, total
}

// missingResult is the text that OpenClaw writes for a tool that never answered.
const missingResult = "[openclaw] missing tool result in session history; inserted synthetic error result for " +
	"transcript repair."

func (s *sketcher) toolResult(rec *jsonl.Record, m jsonl.Message) {
	e := s.e
	s.sketch.ref2 = s.name(rec.Noted(jsonl.FieldToolName))
	for id := range m.ToolCallIDs() {
		if s.sketch.ref = s.answered(id); s.sketch.ref.sym != missing {
			break
		}
	}
	if !javascript.IsTruthy(rec.Noted(jsonl.FieldIsError)) {
		return
	}
	e.flags |= errorResult
	if m.Get("details").Get("openclawSyntheticMissingToolResult").IsTrue() {
		e.flags |= synthetic
	}
	for b := range jsonl.BlocksOf(m.Content()) {
		if b.Kind == jsonl.BlockText && len(b.Value) < 2*len(missingResult) && b.Text().String() == missingResult {
			e.flags |= synthetic
		}
	}
}

// answered returns the name of the call that a result answers, or missing if the value does not name one.
func (s *sketcher) answered(v jsonl.Value) name {
	if !isFilled(v) {
		return name{sym: missing}
	}
	if text := v[1 : len(v)-1]; jsontext.IsPlain(text) && text[0] > ' ' && text[len(text)-1] > ' ' {
		return s.nameOf(text)
	}
	if id := javascript.Trim(string(distinctName(v))); id != "" {
		return s.nameOf([]byte(id))
	}
	return name{sym: missing}
}

// text sets the flags for problems with a text, or a list of blocks, that a model may see. It comes before the blocks
// are indexed.
func (s *sketcher) text(v jsonl.Value) {
	if s.inspects && hasMask(v) {
		s.sketch.fault(MaskedText)
	}
	if s.surrogates && jsontext.HasLoneSurrogate(v) {
		s.e.flags |= loneSurrogate
		s.sketch.fault(HalfPair)
	}
	if s.damaged && !utf8.Valid(v) {
		s.e.flags |= badText
	}
}
