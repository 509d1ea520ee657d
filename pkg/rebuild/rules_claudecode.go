package rebuild

import (
	"slices"
	"sort"

	"clawctl/pkg/jsonl"
)

// claudeRules are the rules of Claude Code 2.1. Rows form a tree, and rows of one answer become one message. What they
// do not say is as in OpenClaw.
type claudeRules struct{ openClawRules }

func (claudeRules) refusal(*Context) error { return nil }
func (claudeRules) hasHeader() bool        { return false }
func (claudeRules) hasManyRoots() bool     { return true }
func (claudeRules) needsDates() bool       { return false }
func (claudeRules) refuses(Code) bool      { return false }
func (claudeRules) isChained(*entry) bool  { return false }
func (claudeRules) isEntry(e *entry) bool  { return e.id.isName() && e.kind.isCanonical() }

// isBoundary reports whether an entry is the boundary of a compaction.
func (claudeRules) isBoundary(e *entry) bool { return e.kind == kindCustom && e.role == roleSystem }

// isShown reports whether the model sees an entry.
func (claudeRules) isShown(e *entry, _, _ bool) bool {
	switch e.kind {
	case kindMessage:
		return !e.isMirror()
	case kindCustomMessage, kindCompaction:
		return true
	}
	return false
}

// corrects reports that Claude Code answers open calls, and sends what it logs.
func (claudeRules) corrects(p *problem) bool { return true }

// rows are the entries that form the tree, in the order of the file.
func (claudeRules) rows(ix *Index) (rows []int32) {
	var beside []int32
	for i := range int32(ix.len()) {
		switch e := ix.at(i); {
		case !e.id.isName() || !e.kind.isCanonical():
		case e.has(side):
			beside = append(beside, i)
		default:
			rows = append(rows, i)
		}
	}
	if rows == nil {
		return beside // the transcript of a subagent
	}
	return rows
}

// parents returns the row that each row continues. One whose parent is not there continues the row before it.
func (r claudeRules) parents(ix *Index) []int32 {
	parents := slices.Repeat([]int32{-1}, ix.len())
	rows := r.rows(ix)
	at := make(map[sym]int32, len(rows))
	for _, i := range rows {
		at[ix.at(i).id] = i
	}
	before := int32(-1)
	for _, i := range rows {
		parent, known := at[ix.at(i).parent]
		switch {
		case known:
			parents[i] = parent
		case ix.at(i).parent != null:
			parents[i] = before
		}
		before = i
	}
	return parents
}

// eachLeaf calls note with every row and the one before it.
func (r claudeRules) eachLeaf(ix *Index, note func(row int, leaf sym)) {
	leaf := missing
	for _, i := range r.rows(ix) {
		note(int(i), leaf)
		leaf = ix.at(i).id
	}
}

// find returns the context of Claude Code.
func (r claudeRules) find(ix *Index, leaf string) (*Context, error) {
	t := claudeTree{ix: ix, rows: r.rows(ix), parents: r.parents(ix)}
	from := t.leaf()
	if leaf != "" {
		id, known := ix.names.find([]byte(leaf))
		at := slices.IndexFunc(t.rows, func(i int32) bool { return ix.at(i).id == id })
		if !known || at < 0 {
			return nil, &LeafError{ID: leaf}
		}
		from = t.rows[at]
	}
	path, ok := t.path(from)
	if !ok {
		return nil, &LeafError{ID: ix.idText(ix.at(from).id), InCycle: true}
	}
	c := &Context{ix: ix, path: t.withAnswers(path), boundary: -1, kept: -1}
	c.readState()
	for at, i := range c.path {
		if r.isBoundary(ix.at(i)) {
			c.boundary, c.kept = at, at
		}
	}
	for _, i := range t.inOrder(t.withAnswers(t.window(path))) {
		if r.isShown(ix.at(i), false, false) {
			c.items = append(c.items, item{entry: i})
		}
	}
	return c, nil
}

// A claudeTree is the tree of a transcript of Claude Code.
type claudeTree struct {
	ix            *Index
	rows, parents []int32
}

// leaf returns the row that the next one continues: the newest descendant of the row that the last prompt names, or the
// last row. It returns -1 if there is none.
func (t *claudeTree) leaf() int32 {
	if len(t.rows) == 0 {
		return -1
	}
	last := t.rows[len(t.rows)-1]
	named := t.named()
	if named < 0 {
		return last
	}
	descends := map[int32]bool{named: true} // rows that were asked before
	for at := len(t.rows) - 1; at >= 0; at-- {
		if t.descends(t.rows[at], descends) {
			return t.rows[at]
		}
	}
	return named
}

// descends reports whether a row continues one of those that are known to. It notes what it finds.
func (t *claudeTree) descends(row int32, known map[int32]bool) bool {
	var asked []int32
	result := false
	for i := row; i >= 0; i = t.parents[i] {
		answer, ok := known[i]
		if ok {
			result = answer
			break
		}
		asked = append(asked, i)
		known[i] = false // a cycle does not lead there
	}
	for _, i := range asked {
		known[i] = result
	}
	return result
}

// named returns the row that the last prompt names, or -1.
func (t *claudeTree) named() int32 {
	for i := int32(t.ix.len()) - 1; i >= 0; i-- {
		if e := t.ix.at(i); e.kind == kindLeaf {
			at := slices.IndexFunc(t.rows, func(row int32) bool { return t.ix.at(row).id == e.ref })
			if at < 0 {
				return -1
			}
			return t.rows[at]
		}
	}
	return -1
}

// path returns the rows from the root to a row. It reports false if they form a cycle.
func (t *claudeTree) path(row int32) (path []int32, ok bool) {
	for i := row; i >= 0; i = t.parents[i] {
		if len(path) > len(t.rows) {
			return nil, false
		}
		path = append(path, i)
	}
	slices.Reverse(path)
	return path, true
}

// window returns the part of a path that the model sees: what follows the last boundary, with the rows that it keeps
// behind the summary.
func (t *claudeTree) window(path []int32) []int32 {
	at := len(path) - 1
	for ; at >= 0 && !(claudeRules{}).isBoundary(t.ix.at(path[at])); at-- {
	}
	if at < 0 {
		return path
	}
	kept, path := t.keptBy(t.ix.at(path[at])), path[at:]
	summary := slices.IndexFunc(path, func(i int32) bool { return t.ix.at(i).kind == kindCompaction })
	if summary < 0 || slices.ContainsFunc(kept, func(i int32) bool { return slices.Contains(path, i) }) {
		return path // a fork has written the rows again
	}
	return slices.Insert(slices.Clone(path), summary+1, kept...)
}

// keptBy returns the rows that a boundary keeps.
func (t *claudeTree) keptBy(boundary *entry) (kept []int32) {
	for at := len(t.rows) - 1; at >= 0; at-- {
		if i := t.rows[at]; t.ix.at(i).id == boundary.ref2 && boundary.ref2.isName() {
			for ; i >= 0 && len(kept) < len(t.rows); i = t.parents[i] {
				kept = append(kept, i)
				if t.ix.at(i).id == boundary.ref {
					slices.Reverse(kept)
					return kept
				}
			}
			return nil
		}
	}
	return nil
}

// boundaries are the boundaries of the path. A summary follows each of them.
func (r claudeRules) boundaries(c *Context) *Boundaries {
	b := c.newBoundaries(c.path)
	t := claudeTree{ix: c.ix, rows: r.rows(c.ix), parents: r.parents(c.ix)}
	rowOf := make(map[sym]int32, len(t.rows))
	for _, i := range t.rows {
		rowOf[c.ix.at(i).id] = i
	}
	since, held := 0, []int32(nil) // held are the rows before that are still in the context
	for at, i := range c.path {
		if e := c.ix.at(i); r.isBoundary(e) {
			before := slices.Concat(held, c.path[since:at])
			kept := t.keptSince(e, rowOf, before)
			b.add(i, t.summaryAfter(c.path[at:]))
			held = held[:0:0]
			for _, row := range before {
				if kept[row] {
					held = append(held, row)
				} else {
					b.leave(row)
				}
			}
			since = at + 1
		}
	}
	return b
}

// summaryAfter returns the summary that follows a boundary, or -1.
func (t *claudeTree) summaryAfter(path []int32) int32 {
	for _, i := range path[1:] {
		switch e := t.ix.at(i); {
		case e.kind == kindCompaction:
			return i
		case (claudeRules{}).isBoundary(e):
			return -1
		}
	}
	return -1
}

// keptSince returns those of some rows that a boundary keeps, with the other rows of their answers. Only these rows are
// walked through, so that all boundaries together take linear time.
func (t *claudeTree) keptSince(boundary *entry, rowOf map[sym]int32, rows []int32) map[int32]bool {
	walkable, kept := make(map[int32]bool, len(rows)), map[int32]bool{}
	for _, i := range rows {
		walkable[i] = true
	}
	tail, known := rowOf[boundary.ref2]
	if !known || !boundary.ref2.isName() {
		return nil
	}
	answers := map[sym]bool{}
	for i := tail; i >= 0 && walkable[i] && !kept[i]; i = t.parents[i] {
		kept[i] = true
		if answer, ok := t.ix.answers[i]; ok {
			answers[answer] = true
		}
		if t.ix.at(i).id == boundary.ref {
			break
		}
	}
	for _, i := range rows {
		kept[i] = kept[i] || t.belongsTo(i, answers)
	}
	return kept
}

// withAnswers adds the rows beside the path that belong to its answers: their other blocks, and the results of their
// calls. Each stands behind the last row of the path that is before it in the file.
func (t *claudeTree) withAnswers(path []int32) []int32 {
	on, answers := map[int32]bool{}, map[sym]bool{}
	for _, i := range path {
		on[i] = true
		if answer, ok := t.ix.answers[i]; ok {
			answers[answer] = true
		}
	}
	least := slices.Clone(path) // of the rows from here to the end
	for at := len(least) - 2; at >= 0; at-- {
		least[at] = min(least[at], least[at+1])
	}
	more := map[int][]int32{} // rows to be added behind each of the path
	for _, i := range t.rows {
		if !on[i] && t.belongsTo(i, answers) {
			at := sort.Search(len(least), func(at int) bool { return least[at] > i }) - 1
			more[at] = append(more[at], i)
		}
	}
	all := slices.Clone(more[-1])
	for at, i := range path {
		all = append(append(all, i), more[at]...)
	}
	return all
}

// belongsTo reports whether a row is a part of one of some answers, or the result of a call in one. A result continues
// the row of its call.
func (t *claudeTree) belongsTo(i int32, answers map[sym]bool) bool {
	e := t.ix.at(i)
	switch {
	case e.kind != kindMessage:
		return false
	case e.role == roleAssistant:
		answer, ok := t.ix.answers[i]
		return ok && answers[answer]
	case e.role != roleToolResult && e.role != roleUser || t.parents[i] < 0:
		return false
	}
	answer, ok := t.ix.answers[t.parents[i]]
	return ok && answers[answer] && (e.role == roleToolResult || t.hasInnerResult(i))
}

// hasInnerResult reports whether a row of the user has the result of a call among other blocks.
func (t *claudeTree) hasInnerResult(i int32) bool {
	return slices.ContainsFunc(t.ix.blocksOf(i), func(b block) bool { return b.kind == jsonl.BlockToolResult })
}

// inOrder puts the rows of an answer together. Results of early calls may stand between them.
func (t *claudeTree) inOrder(rows []int32) []int32 {
	ordered := make([]int32, 0, len(rows))
	answer, end := missing, 0
	for _, i := range rows {
		if e := t.ix.at(i); e.kind != kindMessage || e.role != roleAssistant || e.isMirror() {
			ordered = append(ordered, i)
			continue
		}
		if id, ok := t.ix.answers[i]; !ok || id != answer {
			answer, end = id, len(ordered)
		}
		ordered = slices.Insert(ordered, end, i)
		end++
	}
	return ordered
}
