package rebuild

import (
	"bytes"
	"hash/maphash"
	"math"
	"strings"
	"time"
	"unicode"

	"clawctl/pkg/jsonl"
)

// An Index is what one reading of a transcript leaves behind: a few bytes for every record and every block of a message,
// never their text. The tree, the context, the plan of a request and most findings come from it alone; whoever needs
// the text reads the transcript a second time.
type Index struct {
	Dialect jsonl.Dialect

	chunks            [][]entry // the entries: a list that never moves needs no room to grow into
	count             int
	blocks            []block
	names             *symbols
	bytes, imageBytes int64
	lastTotal         int64 // of the last usage that was recorded
	lastCheckpoint    int64 // its line

	header  int     // the first session record with an id, -1 where there is none
	version float64 // that it states; NaN where JavaScript would make no number of it
}

// kind is the type of a record.
type kind uint8

const (
	kindOther kind = iota // a type that OpenClaw does not know, or a line that is no object
	kindKnown             // a type of a relative's that OpenClaw does not know
	kindSession
	kindLeaf
	kindMessage // from here on the types that OpenClaw calls canonical
	kindThinkingLevel
	kindModelChange
	kindCompaction
	kindReset
	kindBranchSummary
	kindCustom
	kindCustomMessage
	kindLabel
	kindSessionInfo
)

var kinds = map[string]kind{
	jsonl.TypeSession: kindSession, jsonl.TypeLeaf: kindLeaf, jsonl.TypeMessage: kindMessage,
	jsonl.TypeThinkingLevelChange: kindThinkingLevel, jsonl.TypeModelChange: kindModelChange,
	jsonl.TypeCompaction: kindCompaction, jsonl.TypeReset: kindReset, jsonl.TypeBranchSummary: kindBranchSummary,
	jsonl.TypeCustom: kindCustom, jsonl.TypeCustomMessage: kindCustomMessage, jsonl.TypeLabel: kindLabel,
	jsonl.TypeSessionInfo: kindSessionInfo,
	jsonl.TypeCheckpoint:  kindKnown, jsonl.TypeUsage: kindKnown, jsonl.TypeContextEdit: kindKnown,
}

var claw0Kinds = map[string]kind{
	jsonl.TypeSession: kindSession, jsonl.TypeUser: kindMessage, jsonl.TypeAssistant: kindMessage,
	jsonl.TypeToolUse: kindMessage, jsonl.TypeToolResult: kindMessage,
}

// isCanonical reports whether OpenClaw knows the type of record.
func (k kind) isCanonical() bool { return k >= kindMessage }

// role is who speaks in a message.
type role uint8

const (
	roleOther role = iota
	roleUser
	roleAssistant
	roleToolResult
	roleCustom
	roleHook
	roleBash
)

// roleNamed returns the role that a message names.
func roleNamed(name string) role {
	switch name {
	case jsonl.RoleUser:
		return roleUser
	case jsonl.RoleAssistant:
		return roleAssistant
	case jsonl.RoleToolResult:
		return roleToolResult
	case jsonl.RoleCustom:
		return roleCustom
	case jsonl.RoleHookMessage:
		return roleHook
	case jsonl.RoleBashExecution:
		return roleBash
	}
	return roleOther
}

// flags are what else an entry is known to be.
type flags uint32

const (
	side           flags = 1 << iota // appendMode is "side"
	oddAppendMode                    // a leaf's appendMode is something else
	timeFits                         // the timestamp is a string, or missing
	dated                            // the timestamp is one that JavaScript reads
	bodyFits                         // the fields of its type have the shape that OpenClaw asks for
	hookFits                         // a message that becomes one of role custom: version 2's hook, or custom without customType
	excluded                         // excludeFromContext is true
	hidden                           // excludeFromContext is anything that JavaScript takes for true
	emptySummary                     // of a branch
	failed                           // the answer stopped with an error or was aborted
	synthetic                        // a tool result that OpenClaw put in for one that was missing
	mirror                           // no model sent it
	errorResult                      // a tool result that reports an error
	loneSurrogate                    // its text has half of a character
	badText                          // its text is not UTF-8
	contentMissing                   // no content, or null
	claw0Call                        // one of claw0's lines of type tool_use
	untyped                          // no type, or one that is no string
	repeatedKey                      // a key stands twice in the record, its message or a block
	unknownRole                      // no role, or one that no program writes
	backwards                        // its time is before that of the record before it
	undated                          // no timestamp at all
	noUsage                          // an answer without what the provider counted
	oldUsage                         // that in the shape of OpenClaw 2026.5 and 2026.6
	wrongTotal                       // a total that is not the sum of its parts
	mirrorUsage                      // a message that no model sent, with usage
	masked                           // something was blanked out in what is sent back as it stands
	secret                           // what looks like a key or a password
	harness                          // driven through a command line, its tool calls lie elsewhere
)

// An entry is one record.
type entry struct {
	offset int64
	digest uint64 // of its text
	line   uint32
	id     sym
	parent sym
	// ref and ref2 name what the record points to:
	// leaf: target and append parent; label: target; compaction and reset: the first kept entry, and version 1's index of it;
	// tool result: the call and the tool; assistant and model change: provider and model; thinking level: the level.
	ref, ref2 sym
	flags     flags
	blocks    uint32 // the first of its blocks; they end where those of the next entry begin
	kind      kind
	role      role
}

func (e *entry) has(f flags) bool { return e.flags&f != 0 }

// chunkBits is the size of a chunk of entries as a power of two.
const chunkBits = 10

func (ix *Index) len() int { return ix.count }

// at returns an entry by its number.
func (ix *Index) at(i int32) *entry { return &ix.chunks[i>>chunkBits][i&(1<<chunkBits-1)] }

func (ix *Index) add(e entry) {
	if ix.count>>chunkBits == len(ix.chunks) {
		ix.chunks = append(ix.chunks, make([]entry, 1<<chunkBits))
	}
	ix.count++
	*ix.at(int32(ix.count - 1)) = e
}

// Scan reads a transcript into an index. visit, if not nil, sees every record on the way.
func Scan(r *jsonl.Reader, visit func(rec *jsonl.Record)) (*Index, error) {
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
	s.upgrade()
	return s.Index, nil
}

// A scanner makes an index.
type scanner struct {
	*Index
	reader *jsonl.Reader
	e      *entry // the one being read
	// damaged is set where its line is not UTF-8, surrogates where it has escapes of surrogates.
	damaged, surrogates bool
	last                time.Time // of the record before
	// What the records before named; the next one mostly names the same, and the last id as its parent.
	id, provider, model, tool recentName
	f                         blockFields
	keys                      keySet // of the block being read
	fits                      bool   // every block so far has a type

	onField func(key []byte, v jsonl.Value) // blockField and blockEnd, made once
	onEnd   func(jsonl.Value)
}

// A keySet is the keys of an object, as far as anybody writes so many.
type keySet struct {
	keys [32][]byte
	n    int
}

// repeats adds a key and reports whether it was there.
func (k *keySet) repeats(key []byte) bool {
	for _, other := range k.keys[:k.n] {
		if string(other) == string(key) {
			return true
		}
	}
	if k.n < len(k.keys) {
		k.keys[k.n] = key
		k.n++
	}
	return false
}

// take adds a record to the index. Lines that are no JSON are no rows to OpenClaw either; those that are no object count
// as rows, which matters to version 1.
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
		s.lastCheckpoint = rec.Line
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

// A long record's digest is made of so many pieces of it, of so many bytes each, spread evenly: whoever changes a record
// hardly ever keeps its length and all of them.
const (
	digestPieces = 64
	digestPiece  = 64
)

// digest returns what tells the text of a record from others.
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

// base reads what every record has.
func (s *scanner) base(rec *jsonl.Record) {
	s.e.parent = s.familiar(rec.Get("parentId"), &s.id)
	s.e.id = s.familiar(rec.Get("id"), &s.id)
	if mode := rec.Get("appendMode"); string(mode) == `"side"` {
		s.e.flags |= side
	} else if mode.Exists() {
		s.e.flags |= oddAppendMode
	}
	if rec.Repeated {
		s.e.flags |= repeatedKey
	}
	s.timestamp(rec)
}

// timestamp reads when the record was written.
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
	case ok && len(v) == len(`"2026-01-02T15:04:05.000Z"`): // as nearly every record has it
		s.e.flags |= dated
	default:
		if _, ok := parseDate(v.String()); ok {
			s.e.flags |= dated
		}
	}
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
	if text := v[1 : len(v)-1]; isPlain(text) {
		return s.names.of(text)
	}
	return s.names.of([]byte(v.String()))
}

// familiar is name for a value that is mostly the same as the last time.
func (s *scanner) familiar(v jsonl.Value, last *recentName) sym {
	if v.IsString() && last.is(v) {
		return last.sym
	}
	name := s.name(v)
	last.set(v, name)
	return name
}

// A recentName is a name as it stood in a record, and its symbol.
type recentName struct {
	text []byte
	sym  sym
}

func (r *recentName) is(text []byte) bool { return len(text) > 0 && string(r.text) == string(text) }

func (r *recentName) set(text []byte, s sym) { r.text, r.sym = append(r.text[:0], text...), s }

// isPlain reports whether the inside of a JSON string is its text: printable ASCII without escapes.
func isPlain(text []byte) bool {
	for _, c := range text {
		if c == '\\' || c >= 0x80 {
			return false
		}
	}
	return true
}

func (s *scanner) session(rec *jsonl.Record) {
	if s.header < 0 && s.e.id >= emptyName {
		s.header = s.len() - 1
		s.version = version(rec.Get("version"))
	}
}

// version is the number that JavaScript compares a header's version as.
func version(v jsonl.Value) float64 {
	switch {
	case v.IsNumber():
		return v.Float()
	case v.IsString():
		return number(v.String())
	case !v.Exists() || v.IsNull():
		return 1
	case v.IsTrue():
		return 1
	case v.IsObject() || v.IsArray():
		return math.NaN()
	}
	return 0 // false
}

// bodyFields are the fields of the records that are not messages.
type bodyFields struct {
	target, appendParent, kept, keptIndex, summary, tokensBefore, reason, from jsonl.Value
	thinkingLevel, provider, model, customType, display, label, name, content  jsonl.Value
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
	}
}

// isFilled reports whether a value is a string that is not empty.
func isFilled(v jsonl.Value) bool { return v.IsString() && len(v) > 2 }

// isOptional reports whether a value is a string, or missing.
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
	case kindReset:
		e.ref = s.name(f.kept)
		fits = resetReasons[reasonText(f.reason)] && isOptional(f.kept)
	case kindBranchSummary:
		if string(f.summary) == `""` {
			e.flags |= emptySummary
		}
		fits = f.from.IsString() && f.summary.IsString()
		s.text(f.summary)
	case kindCustom:
		fits = isFilled(f.customType)
	case kindCustomMessage:
		fits = isFilled(f.customType) && s.content(f.content, f.content) && isBool(f.display)
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

var resetReasons = map[string]bool{"new": true, "reset": true, "idle": true, "daily": true, "cron-stale": true}

// reasonText is the text that OpenClaw makes of a reset's reason before it looks at it: a list of one counts as that one.
func reasonText(v jsonl.Value) string {
	for v.IsArray() {
		var only jsonl.Value
		for e := range v.Elements() {
			if only.Exists() {
				return ""
			}
			only = e
		}
		v = only
	}
	return v.String()
}

// keptIndex is version 1's number of a row, odd where it is the number of none.
func keptIndex(v jsonl.Value) sym {
	if n := v.Float(); n >= 0 && n <= math.MaxInt32 && n == math.Trunc(n) {
		return sym(n)
	}
	return odd
}

// hasLoneSurrogate reports whether a JSON text has half of a surrogate pair as an escape.
func hasLoneSurrogate(text []byte) bool {
	for {
		at := bytes.Index(text, []byte(`\u`))
		if at < 0 {
			return false
		}
		first, ok := escapedUnit(text, at)
		switch {
		case !ok || isEscaped(text, at):
			text = text[at+2:]
		case first < 0xd800 || first > 0xdfff:
			text = text[at+6:]
		default:
			second, ok := escapedUnit(text, at+6)
			if first >= 0xdc00 || !ok || second < 0xdc00 || second > 0xdfff {
				return true
			}
			text = text[at+12:]
		}
	}
}

// isEscaped reports whether the backslash at an index is itself the character of an escape.
func isEscaped(text []byte, at int) bool {
	slashes := 0
	for at-slashes > 0 && text[at-slashes-1] == '\\' {
		slashes++
	}
	return slashes%2 == 1
}

// escapedUnit reads the \uXXXX at an index.
func escapedUnit(text []byte, at int) (unit rune, ok bool) {
	if at+6 > len(text) || text[at] != '\\' || text[at+1] != 'u' {
		return 0, false
	}
	for _, c := range text[at+2 : at+6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		unit = unit<<4 | rune(c)
	}
	return unit, true
}

// isBlank reports whether JavaScript's trim leaves nothing of a text.
func isBlank(text string) bool { return strings.TrimFunc(text, isSpace) == "" }

func isSpace(r rune) bool { return r == '\ufeff' || r != '\u0085' && unicode.IsSpace(r) }

// A Place is where a record stands.
type Place struct {
	Line, Offset int64
	Entry        string // its id, "" where it has none
}

func (ix *Index) placeOf(i int32) Place {
	e := ix.at(i)
	return Place{int64(e.line), e.offset, ix.idText(e.id)}
}

// idText is the id of an entry for people; one that was made up is "".
func (ix *Index) idText(s sym) string {
	text := ix.names.text(s)
	switch {
	case strings.HasPrefix(text, "\xff"):
		return ""
	case len(text) > maxID:
		return strings.ToValidUTF8(text[:maxID], "") + "…"
	}
	return text
}

// maxID is how much of an id is told; no program writes ids of that length.
const maxID = 128

// HeaderID returns the id that the header states, "" where there is no header.
func (ix *Index) HeaderID() string {
	if ix.header < 0 {
		return ""
	}
	return ix.names.text(ix.at(int32(ix.header)).id)
}

// HeaderLine returns the line of the header.
func (ix *Index) HeaderLine() int64 {
	if ix.header < 0 {
		return 0
	}
	return int64(ix.at(int32(ix.header)).line)
}

// LastTotal returns how large the context was when a model answered last, 0 where that was not recorded.
func (ix *Index) LastTotal() int64 { return ix.lastTotal }

// LastCheckpoint returns the line of the last checkpoint record, 0 where there is none.
func (ix *Index) LastCheckpoint() int64 { return ix.lastCheckpoint }
