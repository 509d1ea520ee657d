package diff

import (
	"context"
	"fmt"

	"clawctl/internal/parallel"
)

// A Kind says how a record differs.
type Kind uint8

// The kinds. Records that are the same on both sides are no changes.
const (
	Same       Kind = iota
	respelled       // the same content, written differently
	Removed         // only in A
	Added           // only in B
	Changed         // the same record with other content
	Renumbered      // the same content with other ids and links
	Moved           // the same record at another place
)

// Kinds lists the kinds of changes, in the order in which they are counted.
var Kinds = []Kind{Removed, Added, Changed, Moved, Renumbered}

var kindNames = map[Kind]string{
	Same: "same", respelled: "same", Removed: "removed", Added: "added", Changed: "changed", Renumbered: "renumbered",
	Moved: "moved",
}

// String returns the name of the kind.
func (k Kind) String() string { return kindNames[k] }

// Sums count the records of a comparison, in the form of JSON. Every record is counted once.
type Sums struct {
	A               int64 `json:"records_a"`
	B               int64 `json:"records_b"`
	DamagedA        int64 `json:"damaged_a"`
	DamagedB        int64 `json:"damaged_b"`
	Same            int64 `json:"same"`
	Respelled       int64 `json:"respelled"` // of the same ones, those that are written differently
	Removed         int64 `json:"removed"`
	Added           int64 `json:"added"`
	Changed         int64 `json:"changed"`
	Moved           int64 `json:"moved"`
	Renumbered      int64 `json:"renumbered"`
	ChangedAndMoved int64 `json:"-"` // of the changed ones
	SizeA           int64 `json:"-"` // of the texts, in bytes
	SizeB           int64 `json:"-"`
}

// of returns the number of changes of a kind.
func (s *Sums) of(k Kind) int64 {
	switch k {
	case Removed:
		return s.Removed
	case Added:
		return s.Added
	case Changed:
		return s.Changed
	case Moved:
		return s.Moved
	case Renumbered:
		return s.Renumbered
	}
	return s.Same
}

// differences is the number of records that differ.
func (s *Sums) differences() (n int64) {
	for _, k := range Kinds {
		n += s.of(k)
	}
	return n
}

// hasSameContent reports whether the records say the same in the same order, whatever their ids are.
func (s *Sums) hasSameContent() bool { return s.differences() == s.Renumbered }

// A SideError is an error of one side.
type SideError struct {
	InB bool // whether it is the second side
	Err error
}

func (e *SideError) Error() string {
	return fmt.Sprintf("read %s: %v", map[bool]string{true: "B", false: "A"}[e.InB], e.Err)
}

// Unwrap returns the error of the side.
func (e *SideError) Unwrap() error { return e.Err }

// sideError says whose error it is.
func sideError(inB bool, err error) error {
	if err == nil {
		return nil
	}
	return &SideError{inB, err}
}

func (s *side) named(err error) error { return sideError(s.isB, err) }

// A Comparison is the result of comparing two transcripts.
type Comparison struct {
	Sums

	a, b     *side
	toB, toA []int32 // the partner of each record
	kinds    []Kind  // of the records of A that have a partner
	isMoved  []bool  // by record of A
}

// compare compares two transcripts. An error is a *SideError or that of the context.
func compare(ctx context.Context, a, b Side) (*Comparison, error) {
	sides := []*side{{Side: a}, {Side: b, isB: true}}
	err := parallel.Run(ctx, 2, 2, noState, func(ctx context.Context, _ struct{}, i int) error {
		return sides[i].named(sides[i].index(ctx))
	})
	if err != nil {
		return nil, err
	}
	m := newMatcher(sides[0], sides[1])
	if err := m.run(ctx); err != nil {
		return nil, err
	}
	c := &Comparison{a: m.a, b: m.b, toA: m.toA, toB: m.toB, kinds: m.kinds}
	c.findMoved()
	c.count()
	return c, nil
}

// findMoved finds the pairs that are out of order: those outside a longest sequence of pairs that both sides have in
// the same order.
func (c *Comparison) findMoved() {
	c.isMoved = make([]bool, len(c.toB))
	var rows, partners []int32
	for i, j := range c.toB {
		if j != unmatched {
			rows, partners = append(rows, int32(i)), append(partners, j)
			c.isMoved[i] = true
		}
	}
	for _, at := range longestIncrease(partners) {
		c.isMoved[rows[at]] = false
	}
}

// count fills the sums.
func (c *Comparison) count() {
	c.Sums = Sums{A: int64(len(c.toB)), B: int64(len(c.toA)), DamagedA: c.a.damaged, DamagedB: c.b.damaged,
		SizeA: c.a.size, SizeB: c.b.size}
	for i, j := range c.toB {
		switch kind := c.kindOf(int32(i)); {
		case j == unmatched:
			c.Removed++
		case kind == Moved:
			c.Moved++
		case kind == Changed:
			c.Changed++
			if c.isMoved[i] {
				c.ChangedAndMoved++
			}
		case kind == Renumbered:
			c.Renumbered++
		default:
			c.Same++
			if c.kinds[i] == respelled {
				c.Respelled++
			}
		}
	}
	for _, i := range c.toA {
		if i == unmatched {
			c.Added++
		}
	}
}

// kindOf returns how a record of A with a partner differs.
func (c *Comparison) kindOf(i int32) Kind {
	if kind := c.kinds[i]; kind != respelled && kind != Same {
		return kind
	}
	if c.isMoved[i] {
		return Moved
	}
	return Same
}
