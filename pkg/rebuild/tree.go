package rebuild

import (
	"slices"

	"clawctl/pkg/jsontext/javascript"
)

// A tree is the transcript as a turn of OpenClaw's gateway sees it: every row that has an id and a parent, with the
// parent that OpenClaw gives it, and the leaf that the next row would follow.
//
//   - A row without a parentId key becomes a child of the leaf, and so does one whose parent is unknown.
//   - A side row, and one of a type that OpenClaw does not know, moves the place where rows are appended but not the
//     leaf. A row that names that place as its parent still becomes a child of the leaf.
//   - A leaf record moves both. Rows that name it as their parent continue from its target. It is void if its target is
//     unknown.
//   - After a reset, no row becomes a child of an earlier one.
//   - A repeated id names its last row.
type tree struct {
	ix     *Index
	parent []sym   // of each entry; unset if it is not part of the tree
	byID   []int32 // entry by name, or -1
	leaf   sym

	append   sym
	controls *ancestry    // leaf records are its links
	void     map[sym]bool // leaf records without a known target
	resets
}

// resets know what descends from the last reset of a transcript.
type resets struct {
	count int32   // of resets so far
	last  []int32 // the number of the reset that a name descends from; nil before the first reset
}

// follows reports whether a name descends from the last reset.
func (r *resets) follows(s sym) bool { return s >= 0 && r.count > 0 && r.last[s] == r.count }

// begin notes a reset. names is the number of all names.
func (r *resets) begin(s sym, names int) {
	if r.count++; r.last == nil {
		r.last = make([]int32, names)
	}
	r.last[s] = r.count
}

// inherit notes that a name descends from what its parent does.
func (r *resets) inherit(s, parent sym) {
	if r.follows(parent) {
		r.last[s] = r.count
	}
}

// A move is the effect of one row on the tree.
type move struct {
	id, parent, leaf, append sym
	explicit                 bool // the row names its parent
}

func (ix *Index) tree() *tree { return ix.growTree(func(int32, sym) {}) }

// growTree makes the tree, and calls before with every row and the leaf that it finds.
func (ix *Index) growTree(before func(row int32, leaf sym)) *tree {
	names := ix.names.len()
	t := &tree{
		ix: ix, parent: make([]sym, ix.len()), byID: make([]int32, names), leaf: null, append: null,
		controls: newAncestry(names), void: map[sym]bool{},
	}
	for i := range t.byID {
		t.byID[i] = -1
	}
	for i, e := range ix.all() {
		t.parent[i] = unset
		before(i, t.leaf)
		if e.kind != kindSession {
			t.grow(i, e)
		}
	}
	return t
}

func (t *tree) has(s sym) bool { return s >= 0 && t.byID[s] >= 0 }

// isLink reports whether a name can be a parent or target: null, or a non-blank string.
func (ix *Index) isLink(s sym) bool { return s == null || ix.isName(s) }

// isName reports whether a name is a non-blank string.
func (ix *Index) isName(s sym) bool {
	if !s.isName() {
		return false
	}
	first := ix.names.bytes(s)[0]
	return first > ' ' && first < 0x7f || !javascript.IsBlank(ix.names.text(s))
}

// explicitMove reads a row that names its parent.
func (t *tree) explicitMove(e *entry) (m move, ok bool) {
	if !t.ix.isName(e.id) || !t.ix.isLink(e.parent) {
		return m, false
	}
	m = move{id: e.id, parent: e.parent, leaf: unset, append: e.id, explicit: true}
	if e.kind != kindLeaf {
		if e.kind.isCanonical() && !e.has(side) {
			m.leaf = e.id
		}
		return m, true
	}
	m.parent, m.leaf, m.append = e.ref, e.ref, e.ref2
	if m.append == missing {
		m.append = e.ref
	}
	return m, t.ix.isLink(m.leaf) && t.ix.isLink(m.append) && !e.has(oddAppendMode)
}

// grow adds a row.
func (t *tree) grow(i int32, e *entry) {
	m, ok := t.explicitMove(e)
	control := ok && e.kind == kindLeaf
	if control {
		if t.count > 0 && t.leaf != null && !t.follows(m.leaf) {
			m.parent, m.leaf, m.append = t.leaf, t.leaf, t.leaf
		}
		if !t.isTarget(m.leaf) || !t.isTarget(m.append) {
			t.void[m.id] = true
			t.set(i, move{id: m.id, parent: e.parent}, true)
			return
		}
	}
	if !ok {
		if !e.kind.isCanonical() || e.parent != missing || !t.ix.isName(e.id) {
			return
		}
		m = move{id: e.id, parent: t.leaf, leaf: e.id, append: e.id}
		if e.has(side) {
			m.leaf = unset
		}
	}
	if e.kind.isCanonical() {
		m.parent, _ = t.controls.climb(t.hang(e, m))
	}
	t.set(i, m, control)
	if e.kind == kindReset {
		t.begin(m.id, t.ix.names.len())
	} else {
		t.inherit(m.id, m.parent)
	}
	t.append = m.append
	if m.leaf != unset {
		t.leaf = m.leaf
	}
}

// isTarget reports whether a leaf record may name something as its target.
func (t *tree) isTarget(s sym) bool { return s == null || t.has(s) && !t.void[s] }

// hang returns the effective parent of a row of a known type.
func (t *tree) hang(e *entry, m move) sym {
	switch {
	case e.has(side):
	case t.count > 0 && !t.follows(m.parent):
		return t.leaf
	case m.explicit && m.parent != null && !t.has(m.parent) && t.leaf != null:
		return t.leaf
	case m.explicit && m.parent == t.append && t.leaf != t.append:
		return t.leaf
	}
	return m.parent
}

// set adds a row to the tree.
func (t *tree) set(i int32, m move, control bool) {
	t.parent[i], t.byID[m.id] = m.parent, i
	if control {
		t.controls.setLink(m.id, m.parent)
	} else if t.controls.isLink(m.id) {
		t.controls.setLink(m.id, unset)
	}
	t.controls.setSolid(m.id, !control)
}

// path returns the rows from the root to a name, without leaf records. If an ancestor is missing, the path begins after
// the gap. ok is false if the rows form a cycle, in which case OpenClaw sees nothing.
func (t *tree) path(leaf sym) (path []int32, ok bool) {
	seen := make([]bool, t.ix.names.len())
	path = make([]int32, 0, t.ix.len()) // most rows are on it
	for at := leaf; at.isName() && t.has(at); {
		if seen[at] {
			return nil, false
		}
		seen[at] = true
		i := t.byID[at]
		if t.ix.at(i).kind != kindLeaf {
			path = append(path, i)
		}
		at = t.parent[i]
	}
	slices.Reverse(path)
	return path, true
}
