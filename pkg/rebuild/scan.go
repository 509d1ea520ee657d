package rebuild

import (
	"bytes"
	"hash/maphash"
	"math"
	"time"

	"clawctl/pkg/javascript"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext"
)

// Scan reads a transcript into an index. If visit is not nil, it is called with every record.
func Scan(r *jsonl.Reader, visit func(rec *jsonl.Record)) (*Index, error) {
	return ScanBy(Author{}, r, visit)
}

// ScanBy is Scan for a transcript whose author may be known.
func ScanBy(author Author, r *jsonl.Reader, visit func(rec *jsonl.Record)) (*Index, error) {
	s := &scanner{Index: &Index{names: newSymbols(), header: -1, version: 1}, reader: r}
	s.onField, s.onEnd = s.blockField, s.blockEnd
	for rec, err := range r.All() {
		if err != nil {
			return nil, err
		}
		s.take(rec)
		if visit != nil {
			visit(rec)
		}
	}
	s.Dialect = r.Dialect()
	s.Program = s.evidence.author(author)
	s.upgrade()
	return s.Index, nil
}

// A scanner builds an index.
type scanner struct {
	*Index
	reader *jsonl.Reader
	e      *entry // the entry being read
	// damaged is set if the line is not UTF-8, surrogates if it has escapes of surrogates.
	damaged, surrogates bool
	last                time.Time // of the previous record
	// The names in the previous records. The next record mostly has the same ones, and the last id as its parent.
	id, provider, model, tool recentName
	f                         blockFields
	keys                      keySet // of the block being read
	fits                      bool   // every block so far has a type

	onField func(key []byte, v jsonl.Value) // blockField and blockEnd, created once
	onEnd   func(jsonl.Value)
}

// take adds a record to the index. Lines that are not JSON are not rows to OpenClaw either. Lines that are not objects
// count as rows, which matters in version 1.
func (s *scanner) take(rec *jsonl.Record) {
	s.bytes += int64(len(rec.Raw))
	if rec.Blank || !rec.Legible() && (rec.Damage.Code != jsonl.NotObject || rec.Continued) {
		return
	}
	s.add(entry{
		offset: rec.Offset, line: uint32(rec.Line), blocks: uint32(len(s.blocks)),
		id: missing, parent: missing, ref: missing, ref2: missing, flags: timeFits,
	})
	if !rec.Legible() {
		return
	}
	s.e = s.at(int32(s.count - 1))
	s.e.kind = kinds[rec.Type()]
	if s.reader.Dialect().IsClaw0() {
		s.e.kind = claw0Kinds[rec.Type()]
	}
	if rec.Type() == jsonl.TypeCheckpoint {
		s.checkpoints = append(s.checkpoints, int32(s.count-1))
	}
	s.damaged, s.surrogates = rec.Damage != nil, rec.Surrogates
	s.e.digest = s.digest(rec.Text())
	if rec.Type() == "" {
		s.e.flags |= untyped
	}
	s.base(rec)
	switch s.e.kind {
	case kindSession:
		s.session(rec)
	case kindMessage:
		if s.reader.Dialect().IsClaw0() {
			s.claw0Message(rec)
		} else {
			s.message(rec)
		}
	case kindOther, kindKnown:
	default:
		s.body(rec)
	}
}

// The digest of a long record covers this many pieces of this many bytes, spread evenly. A change to a record hardly
// ever keeps its length and all of the pieces.
const (
	digestPieces = 64
	digestPiece  = 64
)

// digest returns a digest that distinguishes the text of a record from others.
func (s *scanner) digest(text []byte) uint64 {
	if len(text) <= 2*digestPieces*digestPiece {
		return maphash.Bytes(s.names.seed, text)
	}
	var pieces [(digestPieces + 1) * digestPiece]byte
	for i := range digestPieces + 1 {
		copy(pieces[i*digestPiece:(i+1)*digestPiece], text[i*(len(text)-digestPiece)/digestPieces:])
	}
	return maphash.Bytes(s.names.seed, pieces[:]) ^ uint64(len(text))
}

// base reads the fields that every record has.
func (s *scanner) base(rec *jsonl.Record) {
	s.e.parent = s.recentSymbol(rec.Get("parentId"), &s.id)
	s.e.id = s.recentSymbol(rec.Get("id"), &s.id)
	if mode := rec.Get("appendMode"); string(mode) == `"side"` {
		s.e.flags |= side
		s.evidence.openClaw = true
	} else if mode.Exists() {
		s.e.flags |= oddAppendMode
	}
	if rec.Repeated {
		s.e.flags |= repeatedKey
	}
	s.timestamp(rec)
}

// timestamp reads the time of the record.
func (s *scanner) timestamp(rec *jsonl.Record) {
	t, ok := rec.Time()
	if ok {
		if t.Before(s.last) {
			s.e.flags |= backwards
		}
		s.last = t
	}
	switch v := rec.Get("timestamp"); {
	case !v.Exists():
		s.e.flags |= undated
	case !v.IsString():
		s.e.flags &^= timeFits
	case isDate(v):
		s.e.flags |= dated
	}
}

// isDate reports whether JavaScript takes a string for a date. Nearly every record has the plain form.
func isDate(v jsonl.Value) bool {
	if _, ok := jsonl.ParsePlainTime(v); ok {
		return true
	}
	_, ok := javascript.ParseDate(v.String())
	return ok
}

// name returns the symbol of a value that should be a string or null.
func (s *scanner) name(v jsonl.Value) sym {
	switch {
	case v.IsNull():
		return null
	case !v.Exists():
		return missing
	case !v.IsString():
		return odd
	}
	if text := v[1 : len(v)-1]; jsontext.IsPlain(text) {
		return s.names.of(text)
	}
	return s.names.of(nameOf(v))
}

// nameOf returns the text of a string that names something. Different strings have different names, even if they differ
// only in halves of characters.
func nameOf(v jsonl.Value) []byte {
	return jsontext.Distinct(v[1:len(v)-1], func(inside []byte) string {
		return jsonl.Value(`"` + string(inside) + `"`).String()
	})
}

// recentSymbol is like name, for a value that is mostly the same as the previous one.
func (s *scanner) recentSymbol(v jsonl.Value, last *recentName) sym {
	if v.IsString() && last.is(v) {
		return last.sym
	}
	name := s.name(v)
	last.set(v, name)
	return name
}

// A recentName is a name as written in a record, and its symbol.
type recentName struct {
	text []byte
	sym  sym
}

func (r *recentName) is(text []byte) bool { return len(text) > 0 && string(r.text) == string(text) }

func (r *recentName) set(text []byte, s sym) { r.text, r.sym = append(r.text[:0], text...), s }

func (s *scanner) session(rec *jsonl.Record) {
	if rec.Get("parentSession").IsString() {
		s.last = time.Time{} // the records of a fork are older than its header
	}
	if s.header < 0 && s.e.id >= emptyName {
		s.header = s.len() - 1
		s.version = javascript.VersionNumber(rec.Get("version"))
		s.evidence.openClaw = s.evidence.openClaw || s.version > 3
	}
}

// bodyFields are the fields of records that are not messages.
type bodyFields struct {
	target, appendParent, kept, keptIndex, summary, tokensBefore, reason, from jsonl.Value
	thinkingLevel, provider, model, customType, display, label, name, content  jsonl.Value
	replacement, usage, usageKind, usedModel, systemMessage                    jsonl.Value
}

func (f *bodyFields) take(key []byte, v jsonl.Value) {
	switch string(key) {
	case "targetId":
		f.target = v
	case "appendParentId":
		f.appendParent = v
	case "firstKeptEntryId":
		f.kept = v
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
	}
}

// isFilled reports whether a value is a non-empty string.
func isFilled(v jsonl.Value) bool { return v.IsString() && len(v) > 2 }

// isOptional reports whether a value is a string or missing.
func isOptional(v jsonl.Value) bool { return !v.Exists() || v.IsString() }

// body reads the fields of the types that are not messages.
func (s *scanner) body(rec *jsonl.Record) {
	e := s.e
	var f bodyFields
	for key, v := range rec.Value().Fields() {
		f.take(key, v)
	}
	fits := false
	switch e.kind {
	case kindLeaf:
		e.ref, e.ref2 = s.name(f.target), s.name(f.appendParent)
		s.evidence.openClaw = true
	case kindUsage:
		fits = isFilled(f.usageKind) && f.usage.IsObject()
		s.evidence.pi = s.evidence.pi || fits && f.usedModel.IsString()
	case kindContextEdit:
		fits = s.contextEdit(&f)
	case kindThinkingLevel:
		e.ref = s.name(f.thinkingLevel)
		fits = isFilled(f.thinkingLevel)
	case kindModelChange:
		e.ref, e.ref2 = s.name(f.provider), s.name(f.model)
		fits = isFilled(f.provider) && isFilled(f.model)
	case kindCompaction:
		e.ref = s.name(f.kept)
		if f.keptIndex.IsNumber() {
			e.ref2 = keptIndex(f.keptIndex)
		}
		fits = f.summary.IsString() && f.tokensBefore.IsNumber()
		s.text(f.summary)
		s.checkpoint(&f)
	case kindReset:
		e.ref = s.name(f.kept)
		fits = resetReasons[reasonText(f.reason)] && isOptional(f.kept)
		s.evidence.openClaw = true
	case kindBranchSummary:
		if !javascript.IsTruthy(f.summary) {
			e.flags |= emptySummary
		}
		fits = f.from.IsString() && f.summary.IsString()
		s.text(f.summary)
	case kindCustom:
		fits = isFilled(f.customType)
		s.evidence.pi = s.evidence.pi || piCustomTypes[string(f.customType)]
	case kindCustomMessage:
		fits = isFilled(f.customType) && s.content(f.content, f.content) && javascript.IsBoolean(f.display)
		s.text(f.content)
	case kindLabel:
		e.ref = s.name(f.target)
		fits = isFilled(f.target) && isOptional(f.label)
	case kindSessionInfo:
		fits = isOptional(f.name)
	}
	if fits {
		e.flags |= bodyFits
	}
}

// piCustomTypes are the types of pi's own custom records.
var piCustomTypes = map[string]bool{`"pi.virtual-model-state"`: true, `"pi.bug-report"`: true, `"codemode-store"`: true}

// contextEdit reads a context edit and reports whether its replacement is null or has content.
func (s *scanner) contextEdit(f *bodyFields) bool {
	s.e.ref = s.name(f.target)
	switch {
	case !f.replacement.Exists():
		return false
	case f.replacement.IsNull():
		s.e.ref2 = null
		return isFilled(f.target)
	}
	s.e.ref2 = odd
	content := f.replacement.Get("content")
	s.text(content)
	return s.content(content, content) && isFilled(f.target)
}

// checkpoint reads the prompt and tools that a compaction of pi holds.
func (s *scanner) checkpoint(f *bodyFields) {
	if f.systemMessage.IsObject() {
		s.e.role, s.evidence.pi = roleSystem, true
		s.text(f.systemMessage)
	}
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
