package main

import (
	"encoding/json"
	"time"

	"clawctl/pkg/diff"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/parts"
	"clawctl/pkg/source"
)

// diffSums is the first object of a comparison in JSON, and the object of each session.
type diffSums struct {
	SchemaVersion int         `json:"schema_version"`
	Summary       bool        `json:"summary,omitempty"`
	Session       string      `json:"session,omitempty"`
	Status        string      `json:"status"`
	A             string      `json:"a,omitempty"`
	B             string      `json:"b,omitempty"`
	KindA         source.Kind `json:"kind_a,omitempty"`
	KindB         source.Kind `json:"kind_b,omitempty"`
	RecordsA      int64       `json:"records_a"`
	RecordsB      int64       `json:"records_b"`
	DamagedA      int64       `json:"damaged_a"`
	DamagedB      int64       `json:"damaged_b"`
	Same          int64       `json:"same"`
	Respelled     int64       `json:"respelled"`
	Removed       int64       `json:"removed"`
	Added         int64       `json:"added"`
	Changed       int64       `json:"changed"`
	Moved         int64       `json:"moved"`
	Renumbered    int64       `json:"renumbered"`
	Error         string      `json:"error,omitempty"`
}

func newDiffSums(p sessionPair, s *diff.Sums) diffSums {
	row := diffSums{SchemaVersion: 1, Session: p.name(), Status: statusOf(p, s), RecordsA: s.A, RecordsB: s.B,
		DamagedA: s.DamagedA, DamagedB: s.DamagedB, Same: s.Same, Respelled: s.Respelled, Removed: s.Removed,
		Added: s.Added, Changed: s.Changed, Moved: s.Moved, Renumbered: s.Renumbered}
	if p.a != nil {
		row.A, row.KindA = p.a.Place(), p.a.Kind
	}
	if p.b != nil {
		row.B, row.KindB = p.b.Place(), p.b.Kind
	}
	return row
}

// statusOf sums up a pair in a word.
func statusOf(p sessionPair, s *diff.Sums) string {
	switch {
	case p.b == nil:
		return "only-a"
	case p.a == nil:
		return "only-b"
	case s.Differences() == 0 && p.a.Kind != p.b.Kind:
		return "other-kind"
	case s.Differences() == 0:
		return "same"
	case s.HasSameContent():
		return "renumbered"
	}
	return "different"
}

// placeSums is the first object of a comparison of places in JSON.
type placeSums struct {
	SchemaVersion int            `json:"schema_version"`
	Summary       bool           `json:"summary"`
	Sessions      int            `json:"sessions"`
	Status        map[string]int `json:"status"`
}

// A changeRow is a difference in JSON.
type changeRow struct {
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
	Fields        []fieldRow      `json:"fields,omitempty"`
	Unread        bool            `json:"unread,omitempty"`
	Record        json.RawMessage `json:"record,omitempty"`
	Text          string          `json:"text,omitempty"` // of a damaged line
}

// A fieldRow is a difference of a record at one path.
type fieldRow struct {
	Path    string          `json:"path"`
	Old     json.RawMessage `json:"old,omitempty"`
	New     json.RawMessage `json:"new,omitempty"`
	Rounded bool            `json:"rounded,omitempty"`
	Words   []wordRow       `json:"words,omitempty"`
}

// A wordRow is a piece of a text that was compared word by word.
type wordRow struct {
	Op   string `json:"op"`
	Text string `json:"text"`
}

var opNames = map[diff.Op]string{diff.Delete: "delete", diff.Keep: "keep", diff.Insert: "insert"}

func newChangeRow(c *diff.Change, e *parts.Entry, session string) changeRow {
	row := changeRow{SchemaVersion: 1, Change: c.Kind.String(), AlsoMoved: c.Moved, Session: session, LineA: c.LineA,
		LineB: c.LineB, Entry: e.ID, Type: e.Record.StatedType(), Role: e.Role, Parts: kindsOf(e), Unread: c.Unread}
	if !e.Time.IsZero() {
		row.Time = e.Time.UTC().Format(time.RFC3339Nano)
	}
	if c.Kind == diff.Removed || c.Kind == diff.Added {
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

func newFieldRow(f *diff.Field) fieldRow {
	if f.Path == "" { // a line that need not be JSON
		return fieldRow{Old: json.RawMessage(jsonl.Quote(string(f.Old))), New: json.RawMessage(jsonl.Quote(string(f.New)))}
	}
	row := fieldRow{Path: f.Path, Old: json.RawMessage(f.Old.UTF8()), New: json.RawMessage(f.New.UTF8()),
		Rounded: f.IsRounded()}
	if f.IsText() {
		for _, e := range diff.Words(f.Old.String(), f.New.String()) {
			row.Words = append(row.Words, wordRow{opNames[e.Op], e.Text})
		}
	}
	return row
}

// kindsOf returns the kinds of an entry's parts, each once.
func kindsOf(e *parts.Entry) (kinds []parts.Kind) {
	seen := map[parts.Kind]bool{}
	for _, p := range e.Parts {
		if !seen[p.Kind] {
			seen[p.Kind] = true
			kinds = append(kinds, p.Kind)
		}
	}
	return kinds
}
