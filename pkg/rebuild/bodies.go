package rebuild

import (
	"bytes"
	"math"
	"slices"

	"clawctl/internal/failure"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext/javascript"
	"clawctl/pkg/window/summary"
)

// bodyFields are the fields of records that are not messages, by their keys.
type bodyFields map[string]jsonl.Value

// take takes a field that is read.
func (f bodyFields) take(key []byte, v jsonl.Value) {
	switch string(key) {
	case "targetId", "appendParentId", "firstKeptEntryId", "role", "lastKeptEntryId", "firstKeptEntryIndex", "summary",
		"tokensBefore", "reason", "fromId", "thinkingLevel", "provider", "modelId", "customType", "display", "label", "name",
		"content", "replacement", "usage", "kind", "model", "systemMessage", "messages", "turns", "details", "fromHook",
		"division", "inSession":
		f[string(key)] = v
	}
}

// refs are the fields that name something else: entry.ref, and after it entry.ref2.
var refs = map[kind][]string{
	kindLeaf: {"targetId", "appendParentId"}, kindContextEdit: {"targetId"}, kindLabel: {"targetId"},
	kindThinkingLevel: {"thinkingLevel"}, kindModelChange: {"provider", "modelId"},
	kindCompaction: {"firstKeptEntryId"}, kindReset: {"firstKeptEntryId"},
	kindCustom: {"firstKeptEntryId", "lastKeptEntryId"},
}

// A requirement is what a field must be.
type requirement struct {
	field string
	fits  func(jsonl.Value) bool
}

// shapes are the requirements of each type of record, as far as a single field decides.
var shapes = map[kind][]requirement{
	kindUsage:         {{"kind", isFilled}, {"usage", jsonl.Value.IsObject}},
	kindContextEdit:   {{"replacement", jsonl.Value.Exists}},
	kindThinkingLevel: {{"thinkingLevel", isFilled}},
	kindModelChange:   {{"provider", isFilled}, {"modelId", isFilled}},
	kindCompaction:    {{"summary", jsonl.Value.IsString}},
	kindReset:         {{"reason", isResetReason}, {"firstKeptEntryId", isOptional}},
	kindBranchSummary: {{"fromId", jsonl.Value.IsString}, {"summary", jsonl.Value.IsString}},
	kindCustom:        {{"customType", isFilled}},
	kindCustomMessage: {{"customType", isFilled}},
	kindLabel:         {{"targetId", isFilled}, {"label", isOptional}},
	kindSessionInfo:   {{"name", isOptional}},
}

// isFilled reports whether a value is a non-empty string.
func isFilled(v jsonl.Value) bool { return v.IsString() && len(v) > 2 }

// isOptional reports whether a value is a string or missing.
func isOptional(v jsonl.Value) bool { return !v.Exists() || v.IsString() }

// body reads the fields of the types that are not messages.
func (s *sketcher) body(rec *jsonl.Record) {
	f := bodyFields{}
	for key, v := range rec.Value().Fields() {
		f.take(key, v)
	}
	if rec.Translator() != nil {
		s.sketch.session = f["inSession"]
	}
	named := [...]*name{&s.sketch.ref, &s.sketch.ref2}
	for i, field := range refs[s.e.kind] {
		*named[i] = s.name(f[field])
	}
	switch s.e.kind {
	case kindLeaf, kindReset:
		s.sketch.evidence |= byOpenClaw
	case kindCompaction:
		s.compaction(rec, f)
	case kindRollback:
		s.sketch.ref2.sym = keptIndex(f["turns"])
	case kindBranchSummary:
		if !javascript.IsTruthy(f["summary"]) {
			s.e.flags |= emptySummary
		}
		s.text(f["summary"])
	case kindCustom:
		s.speaker(rec, f)
		s.replacements(rec, f["messages"])
		s.sketch.evidence |= byPi.when(piCustomTypes[string(f["customType"])])
	case kindCustomMessage:
		s.speaker(rec, f)
		s.text(f["content"])
		s.carrier(f["details"])
	}
	if s.fitsShape(rec, f) {
		s.e.flags |= bodyFits
		s.sketch.evidence |= byPi.when(s.e.kind == kindUsage && f["model"].IsString())
	}
}

// fitsShape reports whether the fields meet the requirements of their type.
func (s *sketcher) fitsShape(rec *jsonl.Record, f bodyFields) bool {
	shape, isKnown := shapes[s.e.kind]
	for _, r := range shape {
		if !s.need(r.field, f[r.field], r.fits(f[r.field])) {
			return false
		}
	}
	switch s.e.kind {
	case kindContextEdit:
		return s.contextEdit(f)
	case kindCompaction:
		return rec.Translator() != nil || s.need("tokensBefore", f["tokensBefore"], f["tokensBefore"].IsNumber())
	case kindCustomMessage:
		return s.need("content", f["content"], s.content(f["content"], plainContent(f["content"]))) &&
			s.need("display", f["display"], javascript.IsBoolean(f["display"]))
	}
	return isKnown
}

// compaction reads a compaction, which may hold the prompt and tools of pi, or messages that replace those before it.
func (s *sketcher) compaction(rec *jsonl.Record, f bodyFields) {
	if f["firstKeptEntryIndex"].IsNumber() {
		s.sketch.ref2.sym = keptIndex(f["firstKeptEntryIndex"])
	}
	s.text(f["summary"])
	s.judgeSummary(f["summary"])
	s.sketch.run = s.name(rec.Get("__openclaw").Get("runId"))
	if f["systemMessage"].IsObject() {
		s.e.role = roleSystem
		s.sketch.evidence |= byPi
		s.text(f["systemMessage"])
	}
	s.innerMessages(f["messages"])
	if javascript.IsTruthy(f["fromHook"]) {
		s.e.flags |= byHook
	}
}

// speaker reads who speaks in a record that is not a message. Only translations say so.
func (s *sketcher) speaker(rec *jsonl.Record, f bodyFields) {
	if rec.Translator() == nil {
		return
	}
	s.e.role = roleNamed(f["role"].String())
	s.malformed(rec)
	if s.e.kind != kindCustomMessage {
		return
	}
	s.sketch.ref2.sym = countElements(f["division"])
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
func (s *sketcher) contextEdit(f bodyFields) bool {
	s.sketch.ref2.sym = null
	if !f["replacement"].IsNull() {
		s.sketch.ref2.sym = odd
		content := f["replacement"].Get("content")
		s.text(content)
		if !s.need("replacement.content", content, s.content(content, plainContent(content))) {
			return false
		}
	}
	return s.need("targetId", f["targetId"], isFilled(f["targetId"]))
}

// summaryFaults are what may be wrong with a summary.
var summaryFaults = map[summary.Quality]failure.Code{
	summary.Empty: NoSummary, summary.Skeleton: SkeletonSummary, summary.CutOff: CutSummary,
}

// judgeSummary looks for what is wrong with a summary.
func (s *sketcher) judgeSummary(text jsonl.Value) {
	if s.onlyPath {
		return
	}
	if textFlags(text)&blank != 0 {
		s.sketch.fault(NoSummary)
	} else {
		s.sketch.fault(summaryFaults[summary.Judge(text.String())])
	}
}

// mostInner is the maximum number of messages inside a record that are read. Each takes some kilobytes until the
// record is taken.
const mostInner = 10_000

// innerMessages reads the messages inside a record, such as those that replace everything before a compaction.
func (s *sketcher) innerMessages(messages jsonl.Value) {
	own := newSketcher(s.seed, s.inspects, s.onlyPath)
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

// isResetReason reports whether OpenClaw resets a session for a reason.
func isResetReason(v jsonl.Value) bool {
	return slices.Contains([]string{"new", "reset", "idle", "daily", "cron-stale"}, reasonText(v))
}

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
