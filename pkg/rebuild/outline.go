package rebuild

import "slices"

// A Node is the place of an entry in the tree of its transcript. Its id is not part of it (EntryID), because there may
// be millions.
type Node struct {
	Line, Offset int64
	// Parent is the number of the node that it continues, or -1. It is the parent that the program gives the entry, which
	// may differ from the one that the entry states. Marks leaves it out.
	Parent int32
	OnPath bool // between the root and the leaf
	Shown  bool // the model sees it
	Loose  bool // it has no id, so it is in no branch of the tree
}

// Outline returns the nodes of all entries in the order of their lines, as the context sees them.
func (c *Context) Outline() []Node {
	nodes := c.Marks()
	for i, parent := range c.ix.rules.parents(c.ix) {
		nodes[i].Parent = parent
	}
	before := int32(-1)
	for _, i := range c.path {
		nodes[i].Parent, before = before, i
	}
	return nodes
}

// HasTree reports whether the entries form a tree. Without one, all of them are on the path.
func (c *Context) HasTree() bool { return c.ix.HasTree() }

// EntryID returns the id of the entry of a node, or "" if it has none.
func (c *Context) EntryID(node int32) string { return c.ix.idText(c.ix.at(node).id) }

// Marks is Outline without the parents, which takes less time.
func (c *Context) Marks() []Node {
	marks, hasTree := make([]Node, c.ix.len()), c.ix.HasTree()
	for i, e := range c.ix.all() {
		marks[i] = Node{Line: int64(e.line), Offset: e.offset, OnPath: !hasTree, Loose: hasTree && !e.id.isName()}
	}
	for _, i := range c.path {
		marks[i].OnPath = true
	}
	for _, it := range c.items {
		marks[c.ix.rowOf(it.entry)].Shown = true
	}
	return marks
}

// PathLines returns the lines of the path, from the root to the leaf. ok is false if they are not in ascending order.
func (c *Context) PathLines() (lines []int64, ok bool) {
	if !c.ix.HasTree() {
		for _, e := range c.ix.all() {
			lines = append(lines, int64(e.line))
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
	return ascending && c.ix.HasTree() && !c.ix.hasReset()
}

func (ix *Index) hasReset() bool {
	for _, e := range ix.all() {
		if e.kind == kindReset {
			return true
		}
	}
	return false
}
