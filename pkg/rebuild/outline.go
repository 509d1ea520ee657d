package rebuild

import "slices"

// A Node is the place of an entry in the tree of its transcript. Its id is not part of it (EntryID), because there may
// be millions.
type Node struct {
	Line int64
	// Parent is the number of the node that it continues, or -1. It is the parent that the program gives the entry, which
	// may differ from the one that the entry states.
	Parent int32
	OnPath bool // between the root and the leaf
	Shown  bool // the model sees it
}

// Outline returns the nodes of all entries in the order of their lines, as the context sees them. claw0's transcripts
// have no branches: all their entries form one path.
func (c *Context) Outline() []Node {
	parents := c.ix.parents()
	nodes := make([]Node, c.ix.len())
	for i := range nodes {
		nodes[i] = Node{Line: int64(c.ix.at(int32(i)).line), Parent: parents[i], OnPath: c.ix.Dialect.IsClaw0()}
	}
	for at, i := range c.path {
		nodes[i].OnPath, nodes[i].Parent = true, -1
		if at > 0 {
			nodes[i].Parent = c.path[at-1]
		}
	}
	for _, it := range c.items {
		nodes[it.entry].Shown = true
	}
	return nodes
}

// EntryID returns the id of the entry of a node, or "" if it has none.
func (c *Context) EntryID(node int32) string { return c.ix.idText(c.ix.at(node).id) }

// A Mark is a Node without its parent but with its offset, for readers of large transcripts.
type Mark struct {
	Line, Offset  int64
	OnPath, Shown bool
}

// Marks returns the marks of all entries in the order of their lines.
func (c *Context) Marks() []Mark {
	marks := make([]Mark, c.ix.len())
	for i := range marks {
		e := c.ix.at(int32(i))
		marks[i] = Mark{Line: int64(e.line), Offset: e.offset, OnPath: c.ix.Dialect.IsClaw0()}
	}
	for _, i := range c.path {
		marks[i].OnPath = true
	}
	for _, it := range c.items {
		marks[it.entry].Shown = true
	}
	return marks
}

// PathLines returns the lines of the path, from the root to the leaf. ok is false if they are not in ascending order.
func (c *Context) PathLines() (lines []int64, ok bool) {
	if c.ix.Dialect.IsClaw0() {
		for i := range c.ix.len() {
			lines = append(lines, int64(c.ix.at(int32(i)).line))
		}
		return lines, true
	}
	for _, i := range c.path {
		lines = append(lines, int64(c.ix.at(i).line))
	}
	return lines, slices.IsSorted(lines)
}

// IsSure reports whether the path, the outline and the marks are those that ScanBy leads to. After ScanPath they need
// not be: what a reset keeps depends on the blocks of messages. Then only ScanBy tells. It also reports false if the
// path is not in the order of the file, because PathRecords needs digests.
func (c *Context) IsSure() bool {
	if !c.ix.onlyPath {
		return true
	}
	_, ascending := c.PathLines()
	return ascending && !c.ix.Dialect.IsClaw0() && !c.ix.hasReset()
}

func (ix *Index) hasReset() bool {
	for i := range int32(ix.len()) {
		if ix.at(i).kind == kindReset {
			return true
		}
	}
	return false
}

// parents returns the number of the entry that each entry continues, or -1.
func (ix *Index) parents() []int32 {
	switch {
	case ix.Dialect.IsClaw0():
		return ix.lineParents()
	case ix.Program == Pi:
		return ix.piParents()
	}
	t := ix.tree()
	parents := make([]int32, ix.len())
	for i, parent := range t.parent {
		parents[i] = -1
		if parent != unset && t.has(parent) {
			parents[i] = t.byID[parent]
		}
	}
	return parents
}

// lineParents makes every entry continue the previous one.
func (ix *Index) lineParents() []int32 {
	parents := make([]int32, ix.len())
	for i := range parents {
		parents[i] = int32(i) - 1
	}
	return parents
}

// piParents are the last rows with the ids that the entries name.
func (ix *Index) piParents() []int32 {
	last := make([]int32, ix.names.len())
	for i := range int32(ix.len()) {
		if e := ix.at(i); e.kind != kindSession && e.id.isName() {
			last[e.id] = i + 1
		}
	}
	parents := make([]int32, ix.len())
	for i := range parents {
		parents[i] = -1
		if parent := ix.at(int32(i)).parent; parent.isName() {
			parents[i] = last[parent] - 1
		}
	}
	return parents
}
