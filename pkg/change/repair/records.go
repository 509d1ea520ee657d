package repair

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"clawctl/internal/failure"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext"
	"clawctl/pkg/jsontext/javascript"
	"clawctl/pkg/rebuild"
)

// recordCodes are the problems that mendRecords mends.
var recordCodes = []failure.Code{
	rebuild.NoHeader, rebuild.LateHeader, rebuild.SecondHeader, rebuild.SameTwice, rebuild.OtherTwice,
	rebuild.RefusedDate, rebuild.Unmetered, rebuild.OddShape, rebuild.NullRole, rebuild.NullContent, rebuild.HalfPair,
}

// mendRecords mends what is wrong with single records: headers, shapes, ids and dates.
func (d *draft) mendRecords(s *survey) (*sheet, error) {
	m := d.newMender(s, recordCodes)
	if !s.has(recordCodes...) || !s.ix.HasTree() {
		return m.sheet, nil
	}
	if s.has(rebuild.OtherTwice) {
		if err := d.collectIDs(); err != nil {
			return nil, err
		}
	}
	return m.sheet, d.eachRecord(m.mend)
}

// collectIDs notes the ids of all records.
func (d *draft) collectIDs() error {
	d.ids = map[string]bool{}
	return d.eachRecord(func(rec *jsonl.Record) {
		if rec.Legible() {
			d.ids[rec.ID()] = true
		}
	})
}

// A recordMender goes over the records of a text once.
type recordMender struct {
	draft   *draft
	survey  *survey
	sheet   *sheet
	codes   []failure.Code           // that are mended
	anchors map[int64]rebuild.Anchor // where links lead that lead nowhere
	parents relinks                  // of records that were taken out
	renamed relinks                  // new ids of records with a repeated one
	numbers map[string]int           // how many new ids were tried for an id
	lastAt  string                   // the last date
}

func (d *draft) newMender(s *survey, codes []failure.Code) *recordMender {
	return &recordMender{draft: d, survey: s, sheet: &sheet{}, codes: codes, parents: relinks{}, renamed: relinks{},
		numbers: map[string]int{}}
}

func (m *recordMender) mend(rec *jsonl.Record) {
	if !rec.Legible() || rec.Blank {
		return
	}
	text := bytes.Clone(rec.Stated())
	value, causes := m.relinked(text)
	isKept := true
	for _, f := range m.survey.faults[rec.Line] {
		switch {
		case !isKept || !slices.Contains(m.codes, f.Code):
		case slices.Contains(linkCodes, f.Code):
			value = m.mendLink(rec, value, f.Code)
		case m.draft.takes(f.Code):
			value, isKept = m.mendFault(rec, value, f)
		}
	}
	if isKept && !bytes.Equal(value, text) {
		m.sheet.replace(rec, value)
		for _, cause := range causes {
			m.sheet.follow(cause, rec.Offset)
		}
	}
	date := rec.Get("timestamp").String()
	if _, ok := javascript.ParseDate(date); ok {
		m.lastAt = date
	}
}

// relinked returns a record with the links that earlier changes require, and the offsets of these changes.
func (m *recordMender) relinked(value jsonl.Value) (_ jsonl.Value, causes []int64) {
	value, parents := m.parents.apply(value, "parentId")
	value, renamed := m.renamed.apply(value, references...)
	return value, append(parents, renamed...)
}

// mendFault mends one problem of a record. isKept is false if the line was removed.
func (m *recordMender) mendFault(rec *jsonl.Record, value jsonl.Value, f rebuild.Fault) (_ jsonl.Value, isKept bool) {
	switch f.Code {
	case rebuild.NoHeader:
		m.sheet.insert(0, m.newHeader())
		m.sheet.note(f.Code, rec, "add a header before the first record", "")
	case rebuild.LateHeader:
		m.sheet.remove(rec)
		m.sheet.insert(0, value)
		m.sheet.note(f.Code, rec, "move the header to the first line", "")
		return value, false
	case rebuild.SecondHeader:
		m.sheet.quarantine(rec)
		m.sheet.note(f.Code, rec, "move the second header to the quarantine file", lineCost(rec))
		return value, false
	case rebuild.SameTwice:
		m.sheet.remove(rec)
		m.sheet.note(f.Code, rec, "remove the copy of "+f.Detail, "")
		return value, false
	case rebuild.OtherTwice:
		id := m.freeID(rec.ID())
		m.renamed[rec.ID()] = relink{id, rec.Offset}
		m.sheet.note(f.Code, rec, "give the record the id "+id, "")
		return value.WithText("id", id), true
	case rebuild.HalfPair:
		m.sheet.note(f.Code, rec, "replace halves of characters with U+FFFD", "")
		return jsonl.Value(jsontext.ReplaceLoneSurrogates(string(value))), true
	case rebuild.RefusedDate:
		m.sheet.note(f.Code, rec, "give the record the date of the one before it", "")
		return value.WithText("timestamp", m.date()), true
	case rebuild.Unmetered:
		m.sheet.note(f.Code, rec, "add a usage of 0 tokens, as pi writes it", "")
		return inMessage(value, func(message jsonl.Value) jsonl.Value {
			return message.With("usage", []byte(noUsage))
		}), true
	default:
		return m.mendShape(rec, value, f)
	}
	return value, true
}

// noUsage is the usage that pi writes for an answer that cost nothing.
const noUsage = `{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,` +
	`"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`

// mendShape completes a record, or takes it out if that would need a guess.
func (m *recordMender) mendShape(rec *jsonl.Record, value jsonl.Value, f rebuild.Fault) (_ jsonl.Value, isKept bool) {
	fixed, words := jsonl.Value(nil), ""
	if m.draft.isWorthTrying(f.Code, rec) {
		fixed, words = m.completed(value, f)
	}
	if fixed == nil {
		m.takeOut(rec, f.Code)
		return value, false
	}
	m.sheet.note(f.Code, rec, words, "")
	return fixed, true
}

// takeOut moves a record that OpenClaw does not show to the quarantine. Its children follow its parent instead.
func (m *recordMender) takeOut(rec *jsonl.Record, code failure.Code) {
	m.sheet.quarantine(rec)
	m.sheet.note(code, rec, "move the record to the quarantine file", lineCost(rec))
	m.draft.plan.gone[rec.ID()] = true
	value, _ := m.relinked(rec.Stated())
	if parent := value.Get("parentId"); rec.ID() != "" && (parent.IsString() || parent.IsNull()) {
		m.parents[rec.ID()] = relink{parent.String(), rec.Offset}
	}
}

// lineCost is the cost of a line that is taken out.
func lineCost(rec *jsonl.Record) string { return "drops " + countOf(len(rec.Text()), "byte") }

func (m *recordMender) freeID(id string) string {
	for {
		m.numbers[id]++
		if free := fmt.Sprintf("%s-%d", id, 1+m.numbers[id]); !m.draft.ids[free] {
			m.draft.ids[free] = true
			return free
		}
	}
}

// date is the date of a record that has none: that of the record before it, or of the first one that has any.
func (m *recordMender) date() string {
	if m.lastAt != "" {
		return m.lastAt
	}
	return m.startDate()
}

// startDate is the first date of the text, or the current one if there is none.
func (m *recordMender) startDate() string {
	at := m.survey.firstAt
	if at.IsZero() {
		at = m.draft.opts.Now
	}
	return at.UTC().Format("2006-01-02T15:04:05.000Z")
}

// newHeader returns a header. Its version says whether the records have ids.
func (m *recordMender) newHeader() []byte {
	version, id := 1, m.draft.opts.Session.ID
	if 2*m.survey.linked >= m.survey.entries {
		version = 3
	}
	if !m.draft.opts.Session.NamedByID() {
		id = uuidOf("header", id)
	}
	return fmt.Appendf(nil, `{"type":"session","version":%d,"id":%s,"timestamp":%q,"cwd":"/"}`, version, jsonl.Quote(id),
		m.startDate())
}

// uuidOf returns an id that is the same every time.
func uuidOf(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return uuidFrom(sum[:])
}

// uuidFrom writes a sum in the form of a UUID.
func uuidFrom(sum []byte) string {
	hex := fmt.Sprintf("%x", sum)
	return hex[:8] + "-" + hex[8:12] + "-4" + hex[13:16] + "-8" + hex[17:20] + "-" + hex[20:32]
}

// isoTime returns a number of milliseconds or seconds as a date.
func isoTime(v jsonl.Value) (string, bool) {
	t, ok := jsonl.ParseTime(v)
	if !ok {
		return "", false
	}
	return t.UTC().Format(time.RFC3339Nano), true
}
