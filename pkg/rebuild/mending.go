package rebuild

import "clawctl/internal/failure"

// This file has what a repair of a transcript needs to know: what a fix would change, where OpenClaw attaches records,
// and the path of the context.

// reportPair reports a fix of a call and its result. What the fix changes is in alter.
func (cm *composer) reportPair(code failure.Code, m int32, c call, alter alteration) {
	r := Remedy{Block: c.block, Call: cm.ix.placeOf(m).Line, ID: alter.id, Name: alter.name}
	if r.ID == "" {
		r.ID = cm.ix.names.text(c.id)
	}
	if r.Name == "" {
		r.Name = cm.ix.names.text(c.name)
	}
	if c.answer >= 0 {
		if a := cm.pairs.answers[c.answer]; a.block < 0 {
			r.Result = cm.ix.placeOf(cm.entries[a.message]).Line
		}
	}
	cm.reportFix(Fix{Code: code, Remedy: r}, m)
}

// reportOrphan reports a result without a call before it. If the call comes later and has no result, the remedy has it.
func (cm *composer) reportOrphan(at int, a answer) {
	f := Fix{Code: cm.pairs.orphanCode(at), Remedy: Remedy{Block: a.block}}
	if f.Code == ResultFirst {
		f.Call = cm.openLater(a)
		f.ID = cm.ix.names.text(a.id)
	}
	cm.reportFix(f, cm.entries[a.message])
}

// openLater returns the line of the first call after a result that it would answer, or 0.
func (cm *composer) openLater(a answer) int64 {
	if cm.later == nil {
		cm.later = map[sym][]int{}
		for f, c := range cm.pairs.calls() {
			if c.answer < 0 {
				cm.later[c.id] = append(cm.later[c.id], f.message)
			}
		}
	}
	for _, message := range cm.later[a.id] {
		if message > a.message {
			return cm.ix.placeOf(cm.entries[message]).Line
		}
	}
	return 0
}

// PathPlaces returns the places of the entries from the root to the leaf, with their whole ids. Without a tree, these
// are all messages.
func (c *Context) PathPlaces() []Place {
	path := c.pathEntries()
	places := make([]Place, len(path))
	for i, entry := range path {
		e := c.ix.at(entry)
		places[i] = Place{int64(e.line), e.offset, c.ix.names.text(e.id)}
	}
	return places
}

// pathEntries returns the entries of the path. Without a tree, these are all messages.
func (c *Context) pathEntries() []int32 {
	if c.ix.HasTree() {
		return c.path
	}
	var entries []int32
	for _, it := range c.items {
		if row := c.ix.rowOf(it.entry); !it.prompt && (len(entries) == 0 || entries[len(entries)-1] != row) {
			entries = append(entries, row)
		}
	}
	return entries
}

// Boundary returns the index in the path of the compaction or reset that decides where the context begins, or -1.
func (c *Context) Boundary() int { return c.boundary }

// HasEdits reports whether context edits change what the model sees.
func (c *Context) HasEdits() bool { return len(c.ix.edits) > 0 || len(c.omitted) > 0 }

// An Anchor is where a record belongs whose own link leads nowhere.
type Anchor struct {
	Leaf   string // the entry that was current before the record, or "" if there was none
	Cyclic bool   // the record is part of a cycle of parents
}

// Anchors returns the anchors of the records in some lines.
func (ix *Index) Anchors(lines map[int64]bool) map[int64]Anchor {
	anchors := make(map[int64]Anchor, len(lines))
	cyclic := ix.cyclicRows()
	ix.rules.eachLeaf(ix, func(i int32, leaf sym) {
		if line := int64(ix.at(i).line); lines[line] {
			anchors[line] = Anchor{ix.names.text(leaf), cyclic[i]}
		}
	})
	return anchors
}

// cyclicRows marks the rows whose parents lead back to themselves.
func (ix *Index) cyclicRows() []bool {
	cyclic, last := make([]bool, ix.len()), ix.rowsByID()
	ix.eachCycle(last, func(row int32) {
		for ; !cyclic[row]; row = last[ix.at(row).parent] - 1 {
			cyclic[row] = true
		}
	})
	return cyclic
}

// eachCycle follows the parents of every row, each row once, and reports a row of every cycle. last are the rows by id.
func (ix *Index) eachCycle(last []int32, report func(row int32)) {
	visited := make([]int32, len(last))
	for walk, e := range ix.all() {
		for at := e.id; at.isName() && last[at] > 0; at = ix.at(last[at] - 1).parent {
			if visited[at] == walk+1 {
				report(last[at] - 1)
			}
			if visited[at] != 0 {
				break
			}
			visited[at] = walk + 1
		}
	}
}
