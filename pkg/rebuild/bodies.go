package rebuild

import (
	"bytes"
	"math"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext/javascript"
	"clawctl/pkg/window/summary"
)

// bodyFields are the fields of records that are not messages.
type bodyFields struct {
	target, appendParent, kept, keptIndex, summary, tokensBefore, reason, from               jsonl.Value
	thinkingLevel, provider, model, customType, display, label, name, content                jsonl.Value
	role, lastKept, replacement, usage, usageKind, usedModel, systemMessage, messages, turns jsonl.Value
	details, fromHook, division, session                                                     jsonl.Value
}

func (f *bodyFields) take(key []byte, v jsonl.Value) {
	switch string(key) {
	case "targetId":
		f.target = v
	case "appendParentId":
		f.appendParent = v
	case "firstKeptEntryId":
		f.kept = v
	case "role":
		f.role = v
	case "lastKeptEntryId":
		f.lastKept = v
	case "firstKeptEntryIndex":
		f.keptIndex = v
	case "summary":
		f.summary = v
	case "tokensBefore":
		f.tokensBefore = v
	case "reason":
		f.reason = v
	case "fromId":
		f.from = v
	case "thinkingLevel":
		f.thinkingLevel = v
	case "provider":
		f.provider = v
	case "modelId":
		f.model = v
	case "customType":
		f.customType = v
	case "display":
		f.display = v
	case "label":
		f.label = v
	case "name":
		f.name = v
	case "content":
		f.content = v
	case "replacement":
		f.replacement = v
	case "usage":
		f.usage = v
	case "kind":
		f.usageKind = v
	case "model":
		f.usedModel = v
	case "systemMessage":
		f.systemMessage = v
	case "messages":
		f.messages = v
	case "turns":
		f.turns = v
	case "details":
		f.details = v
	case "fromHook":
		f.fromHook = v
	case "division":
		f.division = v
	case "inSession":
		f.session = v
	}
}

// isFilled reports whether a value is a non-empty string.
func isFilled(v jsonl.Value) bool { return v.IsString() && len(v) > 2 }

// isOptional reports whether a value is a string or missing.
func isOptional(v jsonl.Value) bool { return !v.Exists() || v.IsString() }

// body reads the fields of the types that are not messages.
func (s *sketcher) body(rec *jsonl.Record) {
	e := s.e
	var f bodyFields
	for key, v := range rec.Value().Fields() {
		f.take(key, v)
	}
	if rec.Translator() != nil {
		s.sketch.session = f.session
	}
	fits := false
	switch e.kind {
	case kindLeaf:
		s.sketch.ref, s.sketch.ref2 = s.name(f.target), s.name(f.appendParent)
		s.sketch.evidence.openClaw = true
	case kindUsage:
		fits = s.need("kind", f.usageKind, isFilled(f.usageKind)) && s.need("usage", f.usage, f.usage.IsObject())
		s.sketch.evidence.pi = s.sketch.evidence.pi || fits && f.usedModel.IsString()
	case kindContextEdit:
		fits = s.contextEdit(&f)
	case kindThinkingLevel:
		s.sketch.ref = s.name(f.thinkingLevel)
		fits = s.need("thinkingLevel", f.thinkingLevel, isFilled(f.thinkingLevel))
	case kindModelChange:
		s.sketch.ref, s.sketch.ref2 = s.name(f.provider), s.name(f.model)
		fits = s.need("provider", f.provider, isFilled(f.provider)) && s.need("modelId", f.model, isFilled(f.model))
	case kindCompaction:
		s.sketch.ref = s.name(f.kept)
		if f.keptIndex.IsNumber() {
			s.sketch.ref2.sym = keptIndex(f.keptIndex)
		}
		fits = s.need("summary", f.summary, f.summary.IsString()) && (rec.Translator() != nil ||
			s.need("tokensBefore", f.tokensBefore, f.tokensBefore.IsNumber()))
		s.text(f.summary)
		s.judgeSummary(f.summary)
		s.sketch.run = s.name(rec.Get("__openclaw").Get("runId"))
		s.checkpoint(&f)
		s.innerMessages(f.messages)
		if javascript.IsTruthy(f.fromHook) {
			e.flags |= byHook
		}
	case kindRollback:
		s.sketch.ref2.sym = keptIndex(f.turns)
	case kindReset:
		s.sketch.ref = s.name(f.kept)
		fits = s.need("reason", f.reason, resetReasons[reasonText(f.reason)]) &&
			s.need("firstKeptEntryId", f.kept, isOptional(f.kept))
		s.sketch.evidence.openClaw = true
	case kindBranchSummary:
		if !javascript.IsTruthy(f.summary) {
			e.flags |= emptySummary
		}
		fits = s.need("fromId", f.from, f.from.IsString()) && s.need("summary", f.summary, f.summary.IsString())
		s.text(f.summary)
	case kindCustom:
		s.speaker(rec, &f)
		s.sketch.ref, s.sketch.ref2 = s.name(f.kept), s.name(f.lastKept)
		s.replacements(rec, f.messages)
		fits = s.need("customType", f.customType, isFilled(f.customType))
		s.sketch.evidence.pi = s.sketch.evidence.pi || piCustomTypes[string(f.customType)]
	case kindCustomMessage:
		s.speaker(rec, &f)
		s.text(f.content)
		if isCarrier(f.details) {
			e.flags |= carrier
		}
		fits = s.need("customType", f.customType, isFilled(f.customType)) &&
			s.need("content", f.content, s.content(f.content, plainContent(f.content))) &&
			s.need("display", f.display, javascript.IsBoolean(f.display))
	case kindLabel:
		s.sketch.ref = s.name(f.target)
		fits = s.need("targetId", f.target, isFilled(f.target)) && s.need("label", f.label, isOptional(f.label))
	case kindSessionInfo:
		fits = s.need("name", f.name, isOptional(f.name))
	}
	if fits {
		e.flags |= bodyFits
	}
}

// speaker reads who speaks in a record that is not a message. Only translations say so.
func (s *sketcher) speaker(rec *jsonl.Record, f *bodyFields) {
	if rec.Translator() == nil {
		return
	}
	s.e.role = roleNamed(f.role.String())
	s.malformed(rec)
	if s.e.kind != kindCustomMessage {
		return
	}
	s.sketch.ref2.sym = countElements(f.division)
	if rec.Get("apart").Exists() {
		s.e.flags |= apart
	}
	if rec.Get("beside").Exists() {
		s.e.flags |= beside
	}
	if rec.Get("isUnanswered").Exists() {
		s.e.flags |= unanswered
	}
}

// countElements returns the number of elements of an array.
func countElements(v jsonl.Value) (n sym) {
	for range v.Elements() {
		n++
	}
	return n
}

// piCustomTypes are the types of pi's own custom records.
var piCustomTypes = map[string]bool{`"pi.virtual-model-state"`: true, `"pi.bug-report"`: true, `"codemode-store"`: true}

// contextEdit reads a context edit and reports whether its replacement is null or has content.
func (s *sketcher) contextEdit(f *bodyFields) bool {
	s.sketch.ref = s.name(f.target)
	switch {
	case !f.replacement.Exists():
		return s.need("replacement", f.replacement, false)
	case f.replacement.IsNull():
		s.sketch.ref2.sym = null
		return s.need("targetId", f.target, isFilled(f.target))
	}
	s.sketch.ref2.sym = odd
	content := f.replacement.Get("content")
	s.text(content)
	return s.need("replacement.content", content, s.content(content, plainContent(content))) &&
		s.need("targetId", f.target, isFilled(f.target))
}

// checkpoint reads the prompt and tools that a compaction of pi holds.
func (s *sketcher) checkpoint(f *bodyFields) {
	if f.systemMessage.IsObject() {
		s.e.role, s.sketch.evidence.pi = roleSystem, true
		s.text(f.systemMessage)
	}
}

// summaryFaults are what may be wrong with a summary.
var summaryFaults = map[summary.Quality]faults{
	summary.Empty: noSummary, summary.Skeleton: skeleton, summary.CutOff: cutOff,
}

// judgeSummary looks for what is wrong with a summary.
func (s *sketcher) judgeSummary(text jsonl.Value) {
	if s.onlyPath {
		return
	}
	if textFlags(text)&blank != 0 {
		s.sketch.faults |= noSummary
	} else {
		s.sketch.faults |= summaryFaults[summary.Judge(text.String())]
	}
}

// mostInner is the maximum number of messages inside a record that are read. Each takes some kilobytes until the
// record is taken.
const mostInner = 10_000

// innerMessages reads the messages inside a record, such as those that replace everything before a compaction.
func (s *sketcher) innerMessages(messages jsonl.Value) {
	own := newSketcher(s.seed)
	own.inspects, own.onlyPath = s.inspects, s.onlyPath
	for message := range messages.Elements() {
		if len(s.sketch.inner) == mostInner {
			break
		}
		sk := &sketch{}
		own.draw(sk, innerRecord(message, 0, 0))
		s.sketch.inner = append(s.sketch.inner, sk)
	}
}

// replacements reads the results that the model gets instead of others. Only translations have them.
func (s *sketcher) replacements(rec *jsonl.Record, results jsonl.Value) {
	if rec.Translator() != nil {
		s.innerMessages(results)
	}
}

// innerRecord returns a message inside another record as a record.
func innerRecord(message jsonl.Value, line, offset int64) *jsonl.Record {
	return new(jsonl.Parser).Parse([]byte(`{"type":"message","message":`+string(message)+`}`), line, offset)
}

var resetReasons = map[string]bool{"new": true, "reset": true, "idle": true, "daily": true, "cron-stale": true}

// reasonText returns the text that OpenClaw reads from a reset's reason. A list with one element counts as that
// element. The brackets are counted instead of walked, because each walk would read all that is inside.
func reasonText(v jsonl.Value) string {
	text, depth := []byte(v), 0
	for ; len(text) > 0 && text[0] == '['; depth++ {
		text = bytes.TrimSpace(text[1:])
	}
	for ; depth > 0 && len(text) > 0 && text[len(text)-1] == ']'; depth-- {
		text = bytes.TrimSpace(text[:len(text)-1])
	}
	if depth > 0 || bytes.Count(text, []byte{'"'}) != 2 || text[len(text)-1] != '"' {
		return "" // more than one element, or no plain string
	}
	return jsonl.Value(text).String()
}

// keptIndex returns the row number in a compaction of version 1, or odd if it is not a valid one.
func keptIndex(v jsonl.Value) sym {
	if n := v.Float(); n >= 0 && n <= math.MaxInt32 && n == math.Trunc(n) {
		return sym(n)
	}
	return odd
}
