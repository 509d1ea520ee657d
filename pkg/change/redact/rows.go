package redact

import (
	"cmp"
	"slices"
)

// A Row is the JSON form of what one rule found.
type Row struct {
	SchemaVersion int    `json:"schema_version"`
	Rule          string `json:"rule"`
	Secrets       int    `json:"secrets"`
	Places        int    `json:"places"`
	Kept          int    `json:"kept,omitempty"`
}

// Rows returns what the rules found, the most frequent first. counts say what became of it.
func (s *Survey) Rows(counts *Counts) (rows []Row) {
	for rule, n := range counts.Places {
		rows = append(rows, Row{1, rule, s.Secrets(rule), n, counts.Kept[rule]})
	}
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Places, a.Places), cmp.Compare(a.Rule, b.Rule))
	})
	return rows
}
