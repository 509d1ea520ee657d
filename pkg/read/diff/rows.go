package diff

import (
	"encoding/json"
	"slices"
	"time"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/parts"
	"clawctl/pkg/source"
)

// A SumsRow is the first object of a comparison in JSON, and the object of each session.
type SumsRow struct {
	SchemaVersion int         `json:"schema_version"`
	Summary       bool        `json:"summary,omitempty"`
	Session       string      `json:"session,omitempty"`
	Status        string      `json:"status"`
	A             string      `json:"a,omitempty"`
	B             string      `json:"b,omitempty"`
	KindA         source.Kind `json:"kind_a,omitempty"`
	KindB         source.Kind `json:"kind_b,omitempty"`
	Sums
	Error string `json:"error,omitempty"`
}

// NewSumsRow describes the comparison of a pair in a place.
func NewSumsRow(r *Result) SumsRow {
	p := r.Pair
	row := SumsRow{SchemaVersion: 1, Session: p.Name(), Status: statusOf(r), Sums: r.Sums}
	if p.A != nil {
		row.A, row.KindA = p.A.Place(), p.A.Kind
	}
	if p.B != nil {
		row.B, row.KindB = p.B.Place(), p.B.Kind
	}
	if r.Err != nil {
		row.Error = r.Err.Error()
	}
	return row
}

// NewSummaryRow describes the comparison of two sessions that were named. Whoever names them knows their kinds.
func NewSummaryRow(r *Result) SumsRow {
	row := NewSumsRow(r)
	row.Summary, row.Session = true, ""
	if row.Status == statusOtherKind {
		row.Status = statusSame
	}
	return row
}

// statusOf sums up a pair in a word.
func statusOf(r *Result) string {
	p, s := r.Pair, &r.Sums
	switch {
	case r.Err != nil:
		return statusUnreadable
	case p.B == nil:
		return statusOnlyA
	case p.A == nil:
		return statusOnlyB
	case s.differences() == 0 && p.A.Kind != p.B.Kind:
		return statusOtherKind
	case s.differences() == 0:
		return statusSame
	case s.hasSameContent():
		return statusRenumbered
	}
	return statusDifferent
}

// PlaceSums is the first object of a comparison of places in JSON.
type PlaceSums struct {
	SchemaVersion int            `json:"schema_version"`
	Summary       bool           `json:"summary"`
	Sessions      int            `json:"sessions"`
	Status        map[string]int `json:"status"`
}

// NewPlaceSums counts the rows of sessions by their status.
func NewPlaceSums(rows []SumsRow) PlaceSums {
	sums := PlaceSums{SchemaVersion: 1, Summary: true, Sessions: len(rows), Status: map[string]int{}}
	for _, row := range rows {
		sums.Status[row.Status]++
	}
	return sums
}

// CountRow is the object of a kind of records in JSON: how many of them differ.
func (s Selection) CountRow(record string, counts map[Kind]int64) map[string]any {
	row := map[string]any{"schema_version": 1, "record": record}
	for _, k := range s.Kinds() {
		row[k.String()] = counts[k]
	}
	return row
}

// A ChangeRow is a difference in JSON.
type ChangeRow struct {
	SchemaVersion int             `json:"schema_version"`
	Change        string          `json:"change"`
	AlsoMoved     bool            `json:"also_moved,omitempty"`
	Session       string          `json:"session,omitempty"`
	LineA         int64           `json:"line_a,omitempty"`
	LineB         int64           `json:"line_b,omitempty"`
	Entry         string          `json:"entry,omitempty"`
	Type          string          `json:"type,omitempty"`
	Role          string          `json:"role,omitempty"`
	Time          string          `json:"time,omitempty"`
	Parts         []parts.Kind    `json:"parts,omitempty"`
	Fields        []FieldRow      `json:"fields,omitempty"`
	Unread        bool            `json:"unread,omitempty"`
	Record        json.RawMessage `json:"record,omitempty"`
	Text          string          `json:"text,omitempty"` // of a damaged line
}

// A FieldRow is a difference of a record at one path.
type FieldRow struct {
	Path    string          `json:"path"`
	Old     json.RawMessage `json:"old,omitempty"`
	New     json.RawMessage `json:"new,omitempty"`
	Rounded bool            `json:"rounded,omitempty"`
	Words   []WordRow       `json:"words,omitempty"`
}

// A WordRow is a piece of a text that was compared word by word.
type WordRow struct {
	Op   string `json:"op"`
	Text string `json:"text"`
}

var opNames = map[Op]string{Delete: "delete", keep: "keep", insert: "insert"}

// NewChangeRow describes a difference. e is the entry of its record, and session is "" if there is only one.
func NewChangeRow(c *Change, e *parts.Entry, session string) ChangeRow {
	row := ChangeRow{SchemaVersion: 1, Change: c.Kind.String(), AlsoMoved: c.Moved, Session: session, LineA: c.LineA,
		LineB: c.LineB, Entry: e.ID, Type: e.Record.StatedType(), Role: e.Role, Parts: kindsOf(e), Unread: c.Unread}
	if !e.Time.IsZero() {
		row.Time = e.Time.UTC().Format(time.RFC3339Nano)
	}
	if c.Kind == Removed || c.Kind == Added {
		if e.Record.Legible() {
			row.Record = json.RawMessage(e.Record.Stated().UTF8())
		} else {
			row.Text = string(e.Record.Text())
		}
	}
	for i := range c.Fields {
		row.Fields = append(row.Fields, newFieldRow(&c.Fields[i]))
	}
	return row
}

func newFieldRow(f *Field) FieldRow {
	if f.Path == "" { // a line that need not be JSON
		return FieldRow{Old: json.RawMessage(jsonl.Quote(string(f.Old))), New: json.RawMessage(jsonl.Quote(string(f.New)))}
	}
	row := FieldRow{Path: f.Path, Old: json.RawMessage(f.Old.UTF8()), New: json.RawMessage(f.New.UTF8()),
		Rounded: f.isRounded()}
	if f.isText() {
		for _, e := range words(f.Old.String(), f.New.String()) {
			row.Words = append(row.Words, WordRow{opNames[e.Op], e.Text})
		}
	}
	return row
}

// kindsOf returns the kinds of an entry's parts, each once.
func kindsOf(e *parts.Entry) []parts.Kind {
	var kinds []parts.Kind
	seen := map[parts.Kind]bool{}
	for _, p := range e.Parts {
		if !seen[p.Kind] {
			seen[p.Kind] = true
			kinds = append(kinds, p.Kind)
		}
	}
	return kinds
}

// A Selection has the names of the kinds of differences that count. If it is empty, all of them do.
type Selection []string

// Wants reports whether a kind of difference counts.
func (s Selection) Wants(k Kind) bool { return len(s) == 0 || slices.Contains(s, k.String()) }

// Kinds are the kinds of differences that count.
func (s Selection) Kinds() []Kind {
	return slices.DeleteFunc(slices.Clone(Kinds), func(k Kind) bool { return !s.Wants(k) })
}

// KindsIn are the kinds of differences that count and occur in results.
func (s Selection) KindsIn(list []Result) []Kind {
	return slices.DeleteFunc(s.Kinds(), func(k Kind) bool {
		return !slices.ContainsFunc(list, func(r Result) bool { return r.Sums.of(k) > 0 })
	})
}

// HasAny reports whether there is any difference that counts.
func (s Selection) HasAny(sums *Sums) bool {
	return slices.ContainsFunc(s.Kinds(), func(k Kind) bool { return sums.of(k) > 0 })
}

// IsDifferent reports whether a pair has a difference that counts. A session that only one side has counts as removed
// or added. One that is live on one side only, and archived on the other, is a difference although it says the same.
func (s Selection) IsDifferent(r *Result) bool {
	switch {
	case r.Pair.B == nil:
		return s.Wants(Removed)
	case r.Pair.A == nil:
		return s.Wants(Added)
	}
	return s.HasAny(&r.Sums) || len(s) == 0 && r.Pair.A.Kind != r.Pair.B.Kind
}
