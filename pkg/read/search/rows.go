package search

import (
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"clawctl/pkg/change/secrets"
	"clawctl/pkg/source"
)

// A CountRow is the JSON object of a session whose hits are only counted.
type CountRow struct {
	SchemaVersion int    `json:"schema_version"`
	Session       string `json:"session"`
	Hits          int64  `json:"hits"`
}

// A HitRow is the JSON object of a hit. Start and End are bytes of the part's decoded text.
type HitRow struct {
	SchemaVersion int    `json:"schema_version"`
	Session       string `json:"session"`
	ID            string `json:"id"`
	Agent         string `json:"agent"`
	Kind          string `json:"kind"`
	Path          string `json:"path"`
	Line          int64  `json:"line"`
	Entry         string `json:"entry"`
	Time          string `json:"time,omitempty"`
	Role          string `json:"role,omitempty"`
	Model         string `json:"model,omitempty"`
	In            string `json:"in"`
	Tool          string `json:"tool,omitempty"`
	Part          int    `json:"part"`
	Failed        bool   `json:"failed,omitempty"`
	Start         int    `json:"start"`
	End           int    `json:"end"`
	Matches       int    `json:"matches"`
	Snippet       string `json:"snippet"`
	Harness       string `json:"harness,omitempty"` // the program whose file Path is, if it did the work for OpenClaw
}

// A RankedRow is the JSON object of a hit of a ranked search.
type RankedRow struct {
	HitRow
	Score float64 `json:"score"`
	Text  string  `json:"text,omitempty"` // the message, or a piece of it
	IsCut bool    `json:"cut,omitempty"`
}

// NewRankedRow describes one of the best hits.
func NewRankedRow(s *source.Session, h RankedHit) RankedRow {
	return RankedRow{HitRow: NewHitRow(s, h.Hit), Score: math.Round(h.Score*1000) / 1000}
}

// NewCitedRow describes one of the best hits with its message.
func NewCitedRow(c Citation) RankedRow {
	row := NewRankedRow(c.Session, c.RankedHit)
	row.Text, row.IsCut = c.Text, c.IsCut
	return row
}

// maxSnippet is how many bytes of text a program gets on each side of the first match.
const maxSnippet = 200

// NewHitRow describes a hit in a session.
func NewHitRow(s *source.Session, h Hit) HitRow {
	at := s.Origin(h.Line, h.Offset)
	row := HitRow{
		SchemaVersion: 1, Session: s.Name(), ID: s.ID, Agent: s.Agent, Kind: string(s.Kind), Path: at.Path, Line: at.Line,
		Entry: h.Entry, Role: h.Role, Model: h.Model, In: h.Place, Tool: h.Tool, Part: h.Part, Failed: h.Failed,
		Matches: len(h.Spans), Harness: h.Harness,
	}
	if !h.Time.IsZero() {
		row.Time = h.Time.UTC().Format(time.RFC3339Nano)
	}
	if len(h.Spans) > 0 {
		row.Start, row.End = h.Spans[0].Start, h.Spans[0].End
	}
	row.Snippet = textAround(h, row.Start, row.End)
	return row
}

// textAround returns the text around a range of a part, with keys masked.
func textAround(h Hit, start, end int) string {
	from, to := within(h, Span{Start: start - maxSnippet, End: end + maxSnippet})
	for from > 0 && !utf8.RuneStart(h.Text[from]) {
		from--
	}
	for to < len(h.Text) && !utf8.RuneStart(h.Text[to]) {
		to++
	}
	var b strings.Builder
	for _, s := range h.Secrets {
		start, end := within(h, s)
		if start, end = max(start, from), min(end, to); start < end {
			b.WriteString(h.Text[from:start] + secrets.Masked)
			from = end
		}
	}
	return b.String() + h.Text[from:to]
}
