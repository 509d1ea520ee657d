// Package slim makes small copies of transcripts, and the originals from them.
//
//	records ─▶ pieces ─▶ Copier ─▶ copy, content files, Manifest ─▶ Restore ─▶ records
//
// A piece is what makes transcripts large: an image, a large tool result, the details of a result, or thinking
// (pieces.go). In the copy, a short text stands for it. The piece goes to a file that is named after the SHA-256 of its
// content, so the same image is kept once. The manifest says where each piece was, and has the digests of the original
// and of the copy. So Restore gives back the original, byte for byte, and what was appended to the copy since.
//
// A piece can also be dropped, for good.
package slim

import (
	"fmt"
	"slices"
)

// A Kind is what a piece is.
type Kind string

// The kinds of pieces.
const (
	Images   Kind = "images"
	Results  Kind = "results"
	Thinking Kind = "thinking"
	Details  Kind = "details"
	Other    Kind = "other" // everything else, which always stays
)

// Kinds lists every kind of piece that can go.
var Kinds = []Kind{Images, Results, Thinking, Details}

// DefaultOver is the size that makes a result large.
const DefaultOver = 64_000

// smallest is the size of the smallest piece that is worth a file.
const smallest = 512

// Options say which pieces go.
type Options struct {
	Over int64         // results and details that are larger go; 0 means DefaultOver
	Drop map[Kind]bool // pieces that are dropped; if there are any, nothing is moved
	// Keep saves the content of a piece under a name. It is called once for every content.
	Keep func(name string, content []byte) error
}

// over returns the size from which pieces of a kind go, or -1 if they stay.
func (o *Options) over(kind Kind) int {
	limit := int(o.Over)
	if limit == 0 {
		limit = DefaultOver
	}
	switch {
	case len(o.Drop) > 0 && !o.Drop[kind], len(o.Drop) == 0 && kind == Thinking:
		return -1
	case kind == Results, kind == Details && len(o.Drop) == 0:
		return limit
	case len(o.Drop) > 0:
		return 0
	}
	return smallest
}

// Sizes add up the pieces of one kind.
type Sizes struct {
	Pieces int   `json:"pieces"` // that went
	Before int64 `json:"before"`
	After  int64 `json:"after"`
}

func (s *Sizes) add(o Sizes) {
	s.Pieces, s.Before, s.After = s.Pieces+o.Pieces, s.Before+o.Before, s.After+o.After
}

// A Tally has the sizes of every kind.
type Tally map[Kind]*Sizes

func (t Tally) of(kind Kind) *Sizes {
	if t[kind] == nil {
		t[kind] = &Sizes{}
	}
	return t[kind]
}

// Add adds the sizes of another tally.
func (t Tally) Add(other Tally) {
	for kind, sizes := range other {
		t.of(kind).add(*sizes)
	}
}

// note is the text that stands for a piece.
func note(what, where string) string {
	if where == "" {
		return fmt.Sprintf("[clawctl slim: %s dropped]", what)
	}
	return fmt.Sprintf("[clawctl slim: %s moved to %s]", what, where)
}

// A Row is the JSON form of what became of one kind.
type Row struct {
	SchemaVersion int    `json:"schema_version"`
	Kind          string `json:"kind"`
	Sizes
}

// Rows returns the sizes by kind. The last row is their sum.
func (t Tally) Rows() []Row {
	var rows []Row
	total := Row{SchemaVersion: 1, Kind: "total"}
	for _, kind := range append(slices.Clone(Kinds), Other) {
		if s := t[kind]; s != nil {
			rows = append(rows, Row{1, string(kind), *s})
			total.add(*s)
		}
	}
	return append(rows, total)
}
