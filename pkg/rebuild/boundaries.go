package rebuild

import (
	"iter"

	"clawctl/pkg/jsonl"
)

// A Boundary is a place where a context was made smaller: a compaction or a reset.
type Boundary struct {
	Place
	IsReset bool
	Late    bool // it was added after a later run began

	summary Place // of the record with the summary
}

// Boundaries are the boundaries of a context, from the oldest to the newest, and what left the context at each of them.
type Boundaries struct {
	List []Boundary

	c       *Context
	entries []int32       // what Walk visits, in order
	left    []int32       // for each entry, the number of the boundary at which it left; 0 if it did not
	numbers map[int32]int // of the boundaries, by the entries that they are made of
}

// Boundaries returns the boundaries on the path to the leaf. An entry leaves at the first boundary that does not keep
// it, even if a later one names it again.
func (c *Context) Boundaries() *Boundaries {
	b := c.ix.rules.boundaries(c)
	late := map[int64]bool{}
	for _, i := range c.ix.lateCompactions() {
		late[int64(c.ix.at(i).line)] = true
	}
	for _, i := range c.ix.faults[LateSummary] {
		late[int64(c.ix.at(i).line)] = true
	}
	for i := range b.List {
		b.List[i].Late = late[b.List[i].summary.Line]
	}
	return b
}

func (c *Context) newBoundaries(entries []int32) *Boundaries {
	return &Boundaries{c: c, entries: entries, left: make([]int32, c.ix.len()), numbers: map[int32]int{}}
}

// add adds the next boundary. summary is the entry with its summary, or -1.
func (b *Boundaries) add(entry, summary int32) {
	boundary := Boundary{Place: b.c.ix.placeOf(entry), IsReset: b.c.ix.at(entry).kind == kindReset}
	if summary >= 0 {
		boundary.summary = b.c.ix.placeOf(summary)
		b.numbers[summary] = len(b.List) + 1
	}
	b.numbers[entry] = len(b.List) + 1
	b.List = append(b.List, boundary)
}

// leave notes that an entry leaves the context at the boundary that was added last, if the model has seen it. Prompts
// stay: pi puts them into its compactions.
func (b *Boundaries) leave(entry int32) {
	e := b.c.ix.at(entry)
	if b.left[entry] == 0 && e.kind != kindCompaction && !e.isSystem() && b.c.ix.rules.isShown(e, false, false) {
		b.left[entry] = int32(len(b.List))
	}
}

// treeBoundaries are the compactions and resets of the path.
func treeBoundaries(c *Context) *Boundaries {
	b := c.newBoundaries(c.path)
	first := make([]int, c.ix.names.len()) // by id, its first place in the path + 1
	start, before := 0, -1                 // of the context in the path, and the boundary before
	for at, i := range c.path {
		e := c.ix.at(i)
		if e.id.isName() && first[e.id] == 0 {
			first[e.id] = at + 1
		}
		if !c.ix.rules.isBoundary(e) {
			continue
		}
		kept := at
		if at == c.boundary {
			kept = c.kept
		} else if e.ref.isName() && first[e.ref] > 0 {
			kept = first[e.ref] - 1
		}
		b.add(i, i)
		for ; start < kept; start++ {
			b.leave(c.path[start])
		}
		if e.kind == kindReset {
			from := max(start, before+1) // of every reset only what is new, which takes linear time
			if at == c.boundary {
				from = start
			}
			b.leaveReset(c.path[min(at, from):at])
		}
		before = at
	}
	return b
}

// leaveReset notes what a reset does not keep of the entries since the boundary before it.
func (b *Boundaries) leaveReset(entries []int32) {
	keeps := b.c.ix.resetKeeps(entries)
	for _, i := range entries {
		if !keeps[i] {
			b.leave(i)
		}
	}
}

// A Visit is an entry on the path to the leaf.
type Visit struct {
	Record *jsonl.Record
	// Left is the number of the boundary at which the entry left the context, or 0 if it did not.
	Left int
	// Boundary is the number of the boundary that the entry is, or whose summary it has, or 0.
	Boundary int
}

// Walk visits the entries of the path. records must read the same transcript again.
func (b *Boundaries) Walk(records iter.Seq2[*jsonl.Record, error], each func(Visit) error) error {
	return b.c.ix.eachRecord(records, b.entries, func(at int, rec *jsonl.Record) error {
		i := b.entries[at]
		return each(Visit{rec, int(b.left[i]), b.numbers[i]})
	})
}

// lateCompactions returns the compactions that do not continue the entry that was current when they were added, but one
// before a message of the user. Their run was no longer the last one. In programs that write no leaves, the user may
// have gone back.
func (ix *Index) lateCompactions() []int32 {
	var late []int32
	suspects := ix.displacedCompactions()
	if len(suspects) == 0 || !ix.rules.recordsSent {
		return nil
	}
	ix.rules.eachLeaf(ix, func(row int32, leaf sym) {
		if suspects[row] && leaf.isName() && leaf != ix.at(row).parent {
			late = append(late, row)
		}
	})
	return late
}

// displacedCompactions returns the compactions that have a message of the user between them and their parents in the
// file.
func (ix *Index) displacedCompactions() map[int32]bool {
	var displaced map[int32]bool
	if !ix.HasTree() || ix.HasMadeUpIDs() {
		return nil
	}
	prompt := int32(-1)
	var rows []int32
	for i, e := range ix.all() {
		switch {
		case e.is(roleUser) && !e.has(side):
			prompt = i
		case e.kind == kindCompaction && e.parent.isName() && prompt >= 0:
			if rows == nil {
				rows = ix.rowsByID()
			}
			if parent := rows[e.parent] - 1; parent >= 0 && parent < prompt {
				if displaced == nil {
					displaced = map[int32]bool{}
				}
				displaced[i] = true
			}
		}
	}
	return displaced
}

// rowsByID returns the number of the last row with each id, plus one.
func (ix *Index) rowsByID() []int32 {
	rows := make([]int32, ix.names.len())
	for i, e := range ix.all() {
		if e.id.isName() && e.kind != kindSession {
			rows[e.id] = i + 1
		}
	}
	return rows
}
