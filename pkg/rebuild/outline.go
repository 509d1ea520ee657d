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

// Outline returns the nodes of all entries in the order of their lines, as the context sees them.
func (c *Context) Outline() []Node {
	parents := c.ix.rules.parents(c.ix)
	nodes := make([]Node, c.ix.len())
	for i := range nodes {
		nodes[i] = Node{Line: int64(c.ix.at(int32(i)).line), Parent: parents[i], OnPath: !c.ix.HasTree()}
	}
	for at, i := range c.path {
		nodes[i].OnPath, nodes[i].Parent = true, -1
		if at > 0 {
			nodes[i].Parent = c.path[at-1]
		}
	}
	for _, it := range c.items {
		nodes[c.ix.rowOf(it.entry)].Shown = true
	}
	return nodes
}

// HasTree reports whether the entries form a tree. Without one, all of them are on the path.
func (c *Context) HasTree() bool { return c.ix.HasTree() }

// EntryID returns the id of the entry of a node, or "" if it has none.
func (c *Context) EntryID(node int32) string { return c.ix.idText(c.ix.at(node).id) }

// A Mark is a Node without its parent but with its offset, for readers of large transcripts.
type Mark struct {
	Line, Offset  int64
	OnPath, Shown bool
	Loose         bool // it has no id, so it is in no branch of the tree
}

// Marks returns the marks of all entries in the order of their lines.
func (c *Context) Marks() []Mark {
	marks := make([]Mark, c.ix.len())
	for i := range marks {
		e := c.ix.at(int32(i))
		hasTree := c.ix.HasTree()
		marks[i] = Mark{Line: int64(e.line), Offset: e.offset, OnPath: !hasTree, Loose: hasTree && !e.id.isName()}
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
