package jsonl

import (
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"slices"
	"strconv"
	"time"

	"clawctl/internal/failure"
	"clawctl/pkg/dialect"
	"clawctl/pkg/jsontext"
)

// ErrDialect is the error for a conversion whose input is not a transcript of a known dialect.
var ErrDialect error = &failure.Sentinel{
	Code: failure.NotTranscript, Text: "not a transcript in a format that clawctl knows",
}

// ToOpenClaw converts the records of any dialect to OpenClaw's version 3, one after another. sessionID names the
// session if its records do not. The yielded records have the line, offset and damage of the records they come from.
// Illegible records are yielded unchanged, and blank ones are dropped.
//
// Versions 3 and up keep their bytes, except for the version in the header. Versions 1 and 2 get what OpenClaw's own
// migration gives them: ids, parents and the newer names. Translated lines become messages, joined as their program
// joins them when it rebuilds a conversation. A transcript without a header gets one. A header that is not the first
// record, but among the first few, is moved to the front. Every new id is made from the session's id and the index of
// the record, and is the same every time.
func ToOpenClaw(records iter.Seq2[*Record, error], sessionID string) iter.Seq2[*Record, error] {
	return func(yield func(*Record, error) bool) {
		c := &converter{yield: yield, sessionID: sessionID, headerIndex: -1, parent: "null",
			toolNames: map[string]string{}, noEntry: map[int]bool{}}
		for rec, err := range records {
			if err != nil {
				_ = c.finish() // what could be read comes first, and the error of the input counts
				if !c.stopped {
					yield(nil, err)
				}
				return
			}
			if err := c.take(rec); err != nil {
				yield(nil, err)
				return
			}
			if c.stopped {
				return
			}
		}
		if err := c.finish(); err != nil && !c.stopped {
			yield(nil, err)
		}
	}
}

// Limits on the records that are held back while searching for a header.
const (
	maxWaiting     = 256
	maxWaitingSize = 4 << 20
)

// A converter holds the state that carries over from one record to the next.
type converter struct {
	yield   func(*Record, error) bool
	stopped bool // the consumer has stopped

	waiting     []indexedRecord // until the header is found, or there is none
	waitingSize int
	begun       bool

	parser      Parser
	dialect     Dialect
	sessionID   string
	prefix      string // of new ids
	count       int    // records that are JSON, as OpenClaw counts them
	headerIndex int    // the header's index, or -1 if there is none

	line, offset int64        // of the record being converted
	damage       *Damage      // of that record
	parent       string       // the id of the last entry, as JSON
	noEntry      map[int]bool // indexes that OpenClaw gives no id
	last         time.Time
	turn         turn
	toolNames    map[string]string // of calls without a result
}

type indexedRecord struct {
	record *Record
	index  int
}

// take converts one record, or keeps it until the header is known.
func (c *converter) take(rec *Record) error {
	if rec.Blank {
		return nil
	}
	index := c.count
	if rec.Legible() || rec.Damage.Code == NotObject {
		c.count++ // OpenClaw counts every line that is JSON
	}
	switch {
	case !rec.Legible():
		c.stopped = !c.yield(rec, nil)
	case c.begun:
		c.convert(rec, index)
	default:
		c.waiting = append(c.waiting, indexedRecord{rec.Clone(), index})
		c.waitingSize += len(rec.Raw)
		full := len(c.waiting) == maxWaiting || c.waitingSize > maxWaitingSize
		if full || rec.Type() == TypeSession || dialect.Detect(statedLine{rec}).Translated() != nil {
			return c.begin()
		}
	}
	return nil
}

// finish ends the conversion.
func (c *converter) finish() error {
	if !c.begun && len(c.waiting) > 0 {
		if err := c.begin(); err != nil {
			return err
		}
	}
	c.flush()
	return nil
}

// begin emits the header, found or generated, and converts the records that waited for it.
func (c *converter) begin() error {
	c.begun = true
	var header *Record
	for _, w := range c.waiting {
		if w.record.Type() == TypeSession && w.record.Translator() == nil {
			header, c.headerIndex, c.dialect = w.record, w.index, dialect.OfHeader(statedLine{w.record})
			break
		}
		c.dialect = c.dialect.Refine(statedLine{w.record})
	}
	if !c.dialect.IsKnown() {
		return ErrDialect
	}
	if err := c.dialect.CheckOwner(); err != nil {
		return err
	}
	c.emitHeader(header)
	for _, w := range c.waiting {
		if w.index != c.headerIndex && !c.stopped {
			c.convert(w.record, w.index)
		}
	}
	c.waiting = nil
	return nil
}

// emitHeader emits the session's header. It generates one if there is none, and for translated lines.
func (c *converter) emitHeader(rec *Record) {
	var header Header
	first := rec
	if rec != nil {
		header, _ = rec.Header()
	} else {
		first = c.waiting[0].record
	}
	if header.ID != "" {
		c.sessionID = header.ID
	}
	sum := sha256.Sum256([]byte(c.sessionID))
	c.prefix = hex.EncodeToString(sum[:8])
	c.line, c.offset, c.damage = first.Line, first.Offset, nil
	if t, ok := first.Time(); ok {
		c.last = t
	}
	if rec != nil && c.dialect.Translated() == nil {
		c.damage = rec.Damage
		c.emit(applyEdits(rec.Text(), headerEdits(rec, c.sessionID)))
		return
	}
	text := `{"type":"session","version":3,"id":` + quote(c.sessionID) + `,"timestamp":` + quote(isoTime(c.last)) +
		`,"cwd":""`
	if header.Key != "" {
		text += `,"key":` + quote(header.Key)
	}
	c.emit([]byte(text + "}"))
}

// headerEdits turn a header into one of version 3, with an id.
func headerEdits(rec *Record, id string) []edit {
	var edits []edit
	if string(rec.value(fieldVersion)) != "3" {
		edits = append(edits, setField(rec, fieldVersion, "version", "3"))
	}
	if rec.ID() == "" {
		edits = append(edits, setField(rec, FieldID, "id", quote(id)))
	}
	return edits
}

// emit yields a generated line, with the position and damage of the record it comes from.
func (c *converter) emit(text []byte) {
	if c.stopped {
		return
	}
	rec := c.parser.Parse(text, c.line, c.offset)
	rec.Damage, c.damage = c.damage, nil
	c.stopped = !c.yield(rec, nil)
}

// at makes rec the record that is being converted.
func (c *converter) at(rec *Record) {
	c.line, c.offset, c.damage = rec.Line, rec.Offset, rec.Damage
	if t, ok := rec.Time(); ok {
		c.last = t
	}
}

func (c *converter) convert(rec *Record, index int) {
	if c.dialect.Translated() != nil {
		c.convertTranslated(rec, index)
		return
	}
	c.at(rec)
	switch c.dialect.Version() {
	case 1:
		c.convertV1(rec, index)
	case 2:
		c.emit(applyEdits(rec.Text(), renameHook(rec)))
	default:
		c.emit(rec.Text())
	}
}

// entryTypes are the types that OpenClaw's migration gives ids.
var entryTypes = []string{
	TypeMessage, TypeThinkingLevelChange, TypeModelChange, TypeCompaction, TypeReset, TypeBranchSummary, TypeCustom,
	TypeCustomMessage, TypeLabel, TypeSessionInfo,
}

// convertV1 gives an entry an id, and the previous entry as its parent.
func (c *converter) convertV1(rec *Record, index int) {
	if !slices.Contains(entryTypes, rec.Type()) {
		if len(c.noEntry) < maxPendingCalls {
			c.noEntry[index] = true
		}
		c.emit(rec.Text())
		return
	}
	id := quote(c.newID(index))
	edits := append(renameHook(rec), setField(rec, FieldID, "id", id),
		setField(rec, FieldParentID, "parentId", c.parent))
	if kept, err := strconv.Atoi(string(rec.Get("firstKeptEntryIndex"))); err == nil && rec.Type() == TypeCompaction &&
		kept >= 0 && kept <= index && kept != c.headerIndex && !c.noEntry[kept] {
		edits = append(edits, setField(rec, fieldFirstKept, "firstKeptEntryId", quote(c.newID(kept))))
	}
	c.parent = id
	c.emit(applyEdits(rec.Text(), edits))
}

// newID returns an id in the form that OpenClaw's importer gives to entries without one.
func (c *converter) newID(index int) string {
	return c.prefix + "-" + strconv.FormatInt(int64(index), 36)
}

// renameHook gives hook messages of version 2 their later name.
func renameHook(rec *Record) []edit {
	if rec.Type() != TypeMessage || rec.Role() != RoleHookMessage {
		return nil
	}
	edits := []edit{setField(rec, FieldRole, "", quote(RoleCustom))}
	if custom := rec.value(fieldMessage).Get("customType"); isFalsy(custom) {
		edits = append(edits, setField(rec, fieldCustomType, "", `"hook"`))
		if !custom.Exists() {
			at := int(rec.fields[fieldMessage].start) + 1
			edits[1] = edit{at, at, `"customType":"hook",`}
		}
	}
	return edits
}

// isFalsy reports whether JavaScript treats a value as false.
func isFalsy(v Value) bool {
	return !v.Exists() || v.IsNull() || string(v) == `""` || string(v) == "false" || v.IsNumber() && v.Float() == 0
}

// An edit replaces text[start:end] of a record.
type edit struct {
	start, end int
	text       string
}

// setField replaces the value of a field, or adds the key at the front of the record.
func setField(rec *Record, f field, key, value string) edit {
	if s := rec.fields[f]; s.end > 0 {
		return edit{int(s.start), int(s.end), value}
	}
	return prepend(rec, key, value)
}

func prepend(rec *Record, key, value string) edit {
	at := skipSpace(rec.Raw, rec.from) - rec.from + 1
	return edit{at, at, quote(key) + ":" + value + ","}
}

// applyEdits applies edits, which must not overlap.
func applyEdits(text []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.start - b.start })
	var out []byte
	done := 0
	for _, e := range edits {
		out = append(append(out, text[done:e.start]...), e.text...)
		done = e.end
	}
	return append(out, text[done:]...)
}

// quote is Quote for converted records. Its bytes must not change: stored conversions are compared by digest.
func quote(s string) string { return jsontext.QuoteEscaped(s) }

func isoTime(t time.Time) string {
	if t.IsZero() {
		t = time.UnixMilli(0)
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// Completed returns the text of an entry, or its translation, with values for what it lacks: an id, a parent, which is
// JSON, and a time. They follow its type, as in the records of every program.
func (r *Record) Completed(id, parent, timestamp string) []byte {
	added := ""
	if !r.value(FieldID).Exists() {
		added += `,"id":` + Quote(id)
	}
	if !r.value(FieldParentID).Exists() && r.Type() != TypeSession {
		added += `,"parentId":` + parent
	}
	if !r.value(FieldTimestamp).Exists() {
		added += `,"timestamp":` + Quote(timestamp)
	}
	at := int(r.fields[FieldType].end)
	if added == "" || at == 0 {
		return r.view
	}
	return applyEdits(r.view, []edit{{at, at, added}})
}
