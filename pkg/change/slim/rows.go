package slim

import "slices"

// A Row is the JSON form of what became of one kind.
type Row struct {
	SchemaVersion int    `json:"schema_version"`
	Kind          string `json:"kind"`
	Pieces        int    `json:"pieces"`
	Before        int64  `json:"before"`
	After         int64  `json:"after"`
}

// Rows returns the sizes by kind. The last row is their sum.
func (t Tally) Rows() (rows []Row) {
	total := Row{SchemaVersion: 1, Kind: "total"}
	for _, kind := range append(slices.Clone(Kinds), Other) {
		if s := t[kind]; s != nil {
			rows = append(rows, Row{1, string(kind), s.Pieces, s.Before, s.After})
			total.Pieces += s.Pieces
			total.Before += s.Before
			total.After += s.After
		}
	}
	return append(rows, total)
}
