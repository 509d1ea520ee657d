package rebuild

import (
	"slices"
	"sort"

	"clawctl/pkg/jsonl"
)

// claudeRules are the rules of Claude Code 2.1. Rows form a tree, and rows of one answer become one message.
var claudeRules = commonRules.with(func(r *rules) {
	r.hasTree, r.hasManyRoots, r.copiesKept, r.canExclude, r.recordsSent = true, true, true, true, true
	r.isChained = func(*entry) bool { return false }
	r.isEntry, r.isBoundary, r.isShown = (*entry).isClaudeRow, (*entry).isClaudeBoundary, claudeShows
	r.settle, r.parents, r.eachLeaf, r.find = settleClaude, claudeParents, eachClaudeLeaf, claudeContext
	r.corrects, r.groups, r.group, r.boundaries = claudeCorrects, claudeGroups, claudeMessage, claudeBoundaries
})

func (e *entry) isClaudeRow() bool { return e.id.isName() && e.kind.isCanonical() }

// isClaudeBoundary reports whether an entry is the boundary of a compaction.
func (e *entry) isClaudeBoundary() bool { return e.kind == kindCustom && e.role == roleSystem }

// claudeShows reports whether the model sees an entry.
func claudeShows(e *entry, _, _ bool) bool {
	switch e.kind {
	case kindMessage:
		return !e.isMirror() || e.has(sentMirror)
	case kindCustomMessage, kindCompaction:
		return true
	}
	return false
}

// settleClaude makes a boundary the beginning of the conversation if what it continues is not before it. In a fork,
// that is in another file, or a copy of it follows the boundary.
func settleClaude(ix *Index) {
	seen := make([]bool, ix.names.len())
	for _, e := range ix.all() {
		if e.isClaudeBoundary() && e.parent.isName() && !seen[e.parent] {
			e.parent = null
		}
		if e.id.isName() {
			seen[e.id] = true
		}
	}
	replaceResults(ix)
}

// replaceResults notes the results that are sent with another content. Claude Code does so with the first request that
// has a result, so a result is either always replaced or never. In a subagent's transcript, all rows are beside the
// conversation.
func replaceResults(ix *Index) {
	if len(ix.inner) == 0 { // nearly always
		return
	}
	rows := claudeRows(ix)
	isSubagent := len(rows) > 0 && ix.at(rows[0]).has(side)
	replacements := map[sym]int32{}
	for i := range ix.inner {
		row := ix.at(ix.inner[i].row)
		if e := &ix.inner[i].entry; row.has(side) == isSubagent && e.role == roleToolResult && e.ref.isName() {
			replacements[e.ref] = int32(ix.len() + i)
		}
	}
	ix.edits = map[int32]int32{}
	for _, i := range rows {
		e := ix.at(i)
		if by, ok := replacements[e.ref]; ok && e.is(roleToolResult) && !e.has(final) {
			ix.edits[i] = by
		}
	}
}

// claudeRows are the entries that form the tree, in the order of the file.
func claudeRows(ix *Index) []int32 {
	var rows []int32
	var beside []int32
	for i, e := range ix.all() {
		switch {
		case !e.isClaudeRow():
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

// claudeParents returns the row that each row continues.
func claudeParents(ix *Index) []int32 { return newClaudeTree(ix).parents }

// eachClaudeLeaf calls note with every row and the one before it.
func eachClaudeLeaf(ix *Index, note func(row int32, leaf sym)) {
	leaf := missing
	for _, i := range claudeRows(ix) {
		note(i, leaf)
		leaf = ix.at(i).id
	}
}

// claudeContext returns the context of Claude Code.
func claudeContext(ix *Index, leaf string) (*Context, error) {
	t := newClaudeTree(ix)
	from := t.leaf()
	if leaf != "" {
		id, known := ix.names.find([]byte(leaf))
		at, isRow := t.at[id]
		if !known || !isRow {
			return nil, &LeafError{ID: leaf}
		}
		from = at
	}
	path, ok := t.path(from)
	if !ok {
		return nil, &LeafError{ID: ix.idText(ix.at(from).id), InCycle: true}
	}
	c := &Context{ix: ix, path: t.withAnswers(path), boundary: -1, kept: -1}
	c.readState()
	for at, i := range c.path {
		if ix.at(i).isClaudeBoundary() {
			c.boundary, c.kept = at, at
		}
	}
	c.items = t.items(path)
	return c, nil
}

func isCall(b block) bool { return b.kind == jsonl.BlockToolCall }

// A claudeTree is the tree of a transcript of Claude Code.
type claudeTree struct {
	ix            *Index
	rows, parents []int32
	at            map[sym]int32   // the rows by their ids
	parts         map[sym][]int32 // the rows of each answer and the results of its calls, in the order of the file
	children      map[int32][]int32
}

// newClaudeTree finds the row that each row continues. One whose parent is not there continues the row before it.
func newClaudeTree(ix *Index) *claudeTree {
	t := &claudeTree{ix: ix, rows: claudeRows(ix), parents: slices.Repeat([]int32{-1}, ix.len())}
	t.at, t.parts = make(map[sym]int32, len(t.rows)), map[sym][]int32{}
	t.rows = slices.DeleteFunc(t.rows, func(i int32) bool {
		_, isRepeated := t.at[ix.at(i).id]
		if !isRepeated {
			t.at[ix.at(i).id] = i
		}
		return isRepeated
	})
	before := int32(-1)
	for _, i := range t.rows {
		parent, known := t.at[ix.at(i).parent]
		switch {
		case known:
			t.parents[i] = parent
		case ix.at(i).parent != null:
			t.parents[i] = before
		}
		before = i
	}
	for _, i := range t.rows {
		if answer, ok := t.answerOf(i); ok {
			t.parts[answer] = append(t.parts[answer], i)
		}
	}
	return t
}

// items returns what the model sees of a path.
func (t *claudeTree) items(path []int32) []item {
	var items []item
	isParted := false
	for _, i := range t.inOrder(t.withAnswers(t.window(path))) {
		e := t.ix.at(i)
		if claudeShows(e, false, false) {
			items = append(items, item{entry: i, parted: isParted})
			isParted = false
		} else {
			isParted = isParted || e.is(roleAssistant)
		}
	}
	return items
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
			if row, ok := t.at[e.ref]; ok {
				return row
			}
			return -1
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
	for ; at >= 0 && !t.ix.at(path[at]).isClaudeBoundary(); at-- {
	}
	if at < 0 {
		return path
	}
	kept, path := t.keptBy(t.ix.at(path[at])), path[at:]
	summary := slices.IndexFunc(path, func(i int32) bool { return t.ix.at(i).kind == kindCompaction })
	if summary < 0 || overlap(kept, path) {
		return path // a fork has written the rows again
	}
	return slices.Insert(slices.Clone(path), summary+1, kept...)
}

// overlap reports whether two lists of rows have one in common.
func overlap(a, b []int32) bool {
	in := map[int32]bool{}
	for _, i := range a {
		in[i] = true
	}
	return slices.ContainsFunc(b, func(i int32) bool { return in[i] })
}

// keptBy returns the rows that a boundary keeps: those from the first to the last that it names, without the summary of
// an earlier compaction between them.
func (t *claudeTree) keptBy(boundary *entry) []int32 {
	kept, isWhole := t.keptAmong(boundary, func(int32) bool { return true }, len(t.rows))
	if !isWhole {
		return nil
	}
	slices.Reverse(kept)
	return kept
}

// keptAmong is keptBy for at most so many rows that can be walked through, with the last one first. isWhole reports
// whether the first row that the boundary names was reached.
func (t *claudeTree) keptAmong(boundary *entry, isWalkable func(int32) bool, most int) (kept []int32, isWhole bool) {
	i, ok := t.at[boundary.ref2]
	if !ok || !boundary.ref2.isName() {
		return nil, false
	}
	isOfSummary := false
	for ; i >= 0 && isWalkable(i) && most > 0; i, most = t.parents[i], most-1 {
		e := t.ix.at(i)
		if isOfSummary = isOfSummary || e.kind == kindCompaction; !isOfSummary {
			kept = append(kept, i)
		}
		if e.id == boundary.ref {
			return kept, true
		}
		isOfSummary = isOfSummary && !e.isClaudeBoundary()
	}
	return kept, false
}

// claudeBoundaries are the boundaries of the path. A summary follows each of them.
func claudeBoundaries(c *Context) *Boundaries {
	b := c.newBoundaries(c.path)
	t := newClaudeTree(c.ix)
	since, held := 0, []int32(nil) // held are the rows before that are still in the context
	for at, i := range c.path {
		if e := c.ix.at(i); e.isClaudeBoundary() {
			before := slices.Concat(held, c.path[since:at])
			kept := t.keptSince(e, before)
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
		case e.isClaudeBoundary():
			return -1
		}
	}
	return -1
}

// keptSince returns those of some rows that a boundary keeps, with the other rows of their answers. Only these rows are
// walked through, so that all boundaries together take linear time.
func (t *claudeTree) keptSince(boundary *entry, rows []int32) map[int32]bool {
	walkable := make(map[int32]bool, len(rows))
	for _, i := range rows {
		walkable[i] = true
	}
	named, _ := t.keptAmong(boundary, func(i int32) bool { return walkable[i] }, len(rows))
	kept, answers := map[int32]bool{}, map[sym]bool{}
	for _, i := range named {
		kept[i] = true
		if answer, ok := t.ix.answers[i]; ok {
			answers[answer] = true
		}
	}
	for _, i := range rows {
		answer, ok := t.answerOf(i)
		kept[i] = kept[i] || ok && answers[answer]
	}
	return kept
}

// withAnswers adds the rows beside the path that belong to its answers: their other blocks, and the results of their
// calls. Each stands behind the last row of the path that is before it in the file.
func (t *claudeTree) withAnswers(path []int32) []int32 {
	least := slices.Clone(path) // of the rows from here to the end
	for at := len(least) - 2; at >= 0; at-- {
		least[at] = min(least[at], least[at+1])
	}
	more := map[int][]int32{} // rows to be added behind each of the path
	for _, i := range t.beside(path) {
		at := sort.Search(len(least), func(at int) bool { return least[at] > i }) - 1
		more[at] = append(more[at], i)
	}
	all := slices.Clone(more[-1])
	for at, i := range path {
		all = append(append(all, i), more[at]...)
	}
	return all
}

// beside returns the rows of the answers of a path that are not on it, in the order of the file, and what was added to
// their results.
func (t *claudeTree) beside(path []int32) []int32 {
	var rows []int32
	seen, answers := map[int32]bool{}, map[sym]bool{}
	for _, i := range path {
		seen[i] = true
	}
	for _, i := range path {
		answer, ok := t.ix.answers[i]
		if !ok || answers[answer] {
			continue
		}
		answers[answer] = true
		for _, part := range t.parts[answer] {
			if !seen[part] {
				rows = append(rows, part)
			}
		}
	}
	for _, i := range rows {
		seen[i] = true
	}
	for answer := range answers {
		if !slices.ContainsFunc(t.parts[answer], t.hasCall) {
			continue
		}
		for _, part := range t.parts[answer] {
			for _, child := range t.childrenOf(part) {
				if !seen[child] {
					rows = append(rows, t.addedFrom(child, seen)...)
				}
			}
		}
	}
	slices.Sort(rows)
	return rows
}

func (t *claudeTree) hasCall(i int32) bool { return slices.ContainsFunc(t.ix.blocksOf(i), isCall) }

// addedFrom returns a row and those that continue it, if nobody says anything there: they were added, and nothing else
// follows but what is sent anyway.
func (t *claudeTree) addedFrom(row int32, sent map[int32]bool) (rows []int32) {
	for {
		if !t.ix.at(row).isAside() {
			return nil
		}
		rows = append(rows, row)
		children := slices.DeleteFunc(slices.Clone(t.childrenOf(row)), func(i int32) bool { return sent[i] })
		switch {
		case len(children) == 0:
			return rows
		case len(children) > 1 || len(rows) > len(t.rows):
			return nil
		default:
			row = children[0]
		}
	}
}

// isAside reports whether nobody says an entry: it was added, or is only for the reader.
func (e *entry) isAside() bool {
	if e.isClaudeBoundary() || e.kind == kindCustomMessage && e.role == roleUser {
		return false
	}
	return e.has(added) || e.kind == kindCustom || e.kind == kindCustomMessage
}

// childrenOf returns the rows that continue one.
func (t *claudeTree) childrenOf(row int32) []int32 {
	if t.children == nil {
		t.children = map[int32][]int32{}
		for _, i := range t.rows {
			t.children[t.parents[i]] = append(t.children[t.parents[i]], i)
		}
	}
	return t.children[row]
}

// answerOf returns the answer that a row is a part of, or has the result of a call of. A result continues the row of
// its call.
func (t *claudeTree) answerOf(i int32) (answer sym, ok bool) {
	e := t.ix.at(i)
	switch {
	case e.kind != kindMessage:
		return missing, false
	case e.role == roleAssistant:
		answer, ok = t.ix.answers[i]
	case t.parents[i] >= 0 && (e.role == roleToolResult || e.role == roleUser && t.hasInnerResult(i)):
		answer, ok = t.ix.answers[t.parents[i]]
	}
	return answer, ok
}

// hasInnerResult reports whether a row of the user has the result of a call among other blocks.
func (t *claudeTree) hasInnerResult(i int32) bool {
	return slices.ContainsFunc(t.ix.blocksOf(i), func(b block) bool { return b.kind == jsonl.BlockToolResult })
}

// inOrder puts the rows of an answer together. Results of early calls may stand between them.
func (t *claudeTree) inOrder(rows []int32) []int32 {
	ordered := make([]int32, 0, len(rows))
	var late []int32 // what follows the rows of the answer
	answer := missing
	for _, i := range rows {
		if e := t.ix.at(i); e.kind != kindMessage || e.role != roleAssistant || e.isMirror() && !e.has(sentMirror) {
			late = append(late, i)
			continue
		}
		if id, ok := t.ix.answers[i]; !ok || id != answer {
			ordered, late, answer = append(ordered, late...), late[:0], id
		}
		ordered = append(ordered, i)
	}
	return append(ordered, late...)
}
