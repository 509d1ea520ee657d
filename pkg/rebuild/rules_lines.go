package rebuild

import "slices"

// This file has the rules that programs share whose records have no ids and no parents: the messages are the path, in
// the order of their lines.

// lineRules are the rules of these programs.
var lineRules = commonRules.with(func(r *rules) {
	r.hasHeader, r.canExclude, r.needsDates = true, true, true
	r.parents, r.find, r.boundaries = lineParents, lineContext, lineBoundaries
})

// lineContext returns the prompt, and what is left of the transcript after its compactions and rollbacks.
func lineContext(ix *Index, leaf string) (*Context, error) {
	if leaf != "" {
		return nil, errNoTree
	}
	c := &Context{ix: ix, boundary: -1, ThinkingLevel: "off"}
	var prompt []item
	for i, e := range ix.all() {
		switch e.kind {
		case kindSession:
			if prompt == nil && e.role == roleSystem {
				prompt = []item{{entry: i, prompt: true}}
			}
		case kindMessage, kindCustomMessage:
			if !e.has(excluded) {
				c.items = append(c.items, item{entry: i})
			}
		case kindModelChange:
			c.Model = ix.modelOf(e)
		case kindCompaction:
			c.cuts = append(c.cuts, cut{i, c.items})
			c.items = c.compacted(i)
		case kindRollback:
			c.items = c.rolledBack(int(e.ref2))
		}
	}
	c.items, c.Answering = append(prompt, c.items...), c.Model
	return c, nil
}

// compacted returns what a compaction leaves: the messages inside it, or what the user said and the summary.
func (c *Context) compacted(row int32) []item {
	var items []item
	for _, message := range c.ix.innerOf(row) {
		items = append(items, item{entry: message})
	}
	if items == nil { // of an old version, which wrote no messages
		items = append(c.prompts(), item{entry: row})
	}
	return items
}

// prompts returns the items in which the user says something.
func (c *Context) prompts() (items []item) {
	for _, it := range c.items {
		if c.beginsTurn(it.entry) {
			items = append(items, it)
		}
	}
	return items
}

// A cut is what a compaction without a tree replaces.
type cut struct {
	row   int32
	items []item
}

// lineBoundaries are the compactions. All messages before one leave the context there.
func lineBoundaries(c *Context) *Boundaries {
	b := c.newBoundaries(nil)
	for _, cut := range c.cuts {
		b.add(cut.row, cut.row)
		for _, it := range cut.items {
			if c.ix.innerAt(it.entry) == nil {
				b.leave(it.entry)
			}
		}
	}
	for i, e := range c.ix.all() {
		switch e.kind {
		case kindMessage, kindCustomMessage, kindCompaction:
			b.entries = append(b.entries, i)
		}
	}
	return b
}

// rolledBack returns the items without the last turns.
func (c *Context) rolledBack(turns int) []item {
	items := c.items
	for range turns {
		at := len(items) - 1
		for at >= 0 && !c.beginsTurn(items[at].entry) {
			at--
		}
		if at < 0 {
			break // there is no such turn
		}
		items = items[:at]
	}
	return slices.Clip(items)
}

// beginsTurn reports whether an entry is a message in which the user says something.
func (c *Context) beginsTurn(i int32) bool {
	e := c.ix.at(i)
	return e.is(roleUser) && !c.startsWithResult(i)
}

// lineParents makes every entry continue the previous one.
func lineParents(ix *Index) []int32 {
	parents := make([]int32, ix.len())
	for i := range parents {
		parents[i] = int32(i) - 1
	}
	return parents
}
