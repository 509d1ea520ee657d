package rebuild

import (
	"iter"
	"slices"
)

// A row is an entry that is being added to a branch. Its effective parent may differ from the one it states.
type row struct {
	entry  int32
	id     sym
	parent sym
}

// A branch reproduces OpenClaw's session manager. It takes rows in order, distinguishes entries from opaque rows, and
// walks from the leaf to the root. OpenClaw uses the manager in two ways: a turn of the gateway passes it the path
// through the tree, and everything else passes it all rows.
type branch struct {
	ix      *Index
	stated  func(entry int32) sym // the parent of a row, as the manager sees it
	rows    *ancestry             // entries are solid, opaque rows are links
	byID    []int32               // entries by name
	logical map[sym]sym           // effective parents that differ from the stated ones
	leaf    sym
	append  sym

	void map[sym]bool
	resets
}

func (ix *Index) newBranch(stated func(entry int32) sym) *branch {
	names := ix.names.len()
	return &branch{
		ix: ix, stated: stated, rows: newAncestry(names), byID: make([]int32, names),
		logical: map[sym]sym{}, leaf: null, append: null, void: map[sym]bool{},
	}
}

// rowOf returns a row as the manager sees it.
func (b *branch) rowOf(i int32) row { return row{i, b.ix.at(i).id, b.stated(i)} }

// wholeBranch returns the branch that the manager finds in all rows.
func (ix *Index) wholeBranch() (path []int32, kept sym) {
	b := ix.newBranch(func(i int32) sym { return ix.at(i).parent })
	for i, e := range ix.all() {
		switch {
		case e.kind == kindSession:
		case e.isIndexed():
			b.enter(b.rowOf(i), e)
		case ix.header < 0 && e.isReadable():
			// OpenClaw treats the row as an entry while it chains the rows, and rejects it afterwards.
		default:
			b.pass(b.rowOf(i), e)
		}
	}
	path = b.walk(b.leaf, ix.len())
	return path, b.firstKept(path, unset, func(yield func(row) bool) {
		for i, e := range ix.all() {
			if e.isIndexed() && !yield(b.rowOf(i)) {
				return
			}
		}
	})
}

// pathBranch returns the branch that the manager finds in a path through the tree.
func (ix *Index) pathBranch(t *tree, through []int32) (path []int32, kept sym) {
	b := ix.newBranch(func(i int32) sym { return t.parent[i] })
	for _, i := range through {
		if e := ix.at(i); e.isIndexed() {
			b.enter(b.rowOf(i), e)
		} else {
			b.pass(b.rowOf(i), e)
		}
	}
	clear(b.logical) // only the path counts
	leaf := b.append
	if !b.rows.isSolid(leaf) {
		leaf = b.nearestEntry(leaf)
	}
	path = b.walk(leaf, len(through))
	return path, b.firstKept(path, t.firstKept(through), func(yield func(row) bool) {
		for _, i := range through {
			if ix.at(i).isIndexed() && !yield(b.rowOf(i)) {
				return
			}
		}
	})
}

// nearestEntry returns the nearest entry at or above a name, or null if there is none.
func (b *branch) nearestEntry(s sym) sym {
	at, ok := b.rows.climb(s)
	if !ok {
		return null
	}
	return at
}

func (b *branch) enter(r row, e *entry) {
	if e.kind == kindLabel && !b.rows.isSolid(e.ref) {
		b.rows.setLink(r.id, b.nearestEntry(r.parent))
		return
	}
	onward := !e.has(side)
	if b.count > 0 && onward && !b.follows(r.parent) || r.parent == missing ||
		onward && r.parent == b.append && b.leaf != b.append {
		b.logical[r.id] = b.leaf
	}
	b.rows.setSolid(r.id, true)
	b.byID[r.id] = r.entry
	parent := r.parent
	if logical, ok := b.logical[r.id]; ok {
		parent = logical
	}
	if e.kind == kindReset {
		b.begin(r.id, b.ix.names.len())
	} else {
		b.inherit(r.id, parent)
	}
	b.append = r.id
	if onward {
		b.leaf = r.id
	}
}

// pass adds an opaque row. It moves the leaf only if it is a leaf record, and otherwise passes the chain on.
func (b *branch) pass(r row, e *entry) {
	linked := r.id.isName() && (r.parent == null || r.parent >= emptyName)
	switch {
	case !linked || e.kind == kindSession:
	case e.kind == kindLeaf:
		if isStringOrNull(e.ref) && (e.ref2 == missing || isStringOrNull(e.ref2)) && !e.has(oddAppendMode) {
			b.control(r, e)
		}
	default:
		b.rows.setLink(r.id, r.parent)
		b.inherit(r.id, r.parent)
		b.append = r.id
	}
}

func isStringOrNull(s sym) bool { return s == null || s >= emptyName }

// control applies a leaf record.
func (b *branch) control(r row, e *entry) {
	known := func(s sym) bool {
		return s == null || b.rows.isSolid(s) || b.rows.isLink(s) && !b.void[s]
	}
	if !known(e.ref) || e.ref2 != missing && !known(e.ref2) {
		b.void[r.id] = true
		b.rows.setLink(r.id, b.anchor(r.parent))
		return
	}
	leaf := e.ref
	if !b.rows.isSolid(leaf) {
		leaf = b.nearestEntry(leaf)
	}
	appendAt := leaf
	if e.ref2 != missing {
		appendAt = b.anchor(e.ref2)
	}
	if b.count > 0 && !b.follows(leaf) {
		leaf, appendAt = b.leaf, b.leaf
	}
	b.rows.setLink(r.id, leaf)
	b.inherit(r.id, leaf)
	b.leaf, b.append = leaf, appendAt
}

// anchor returns a name if it is known, and otherwise its nearest entry.
func (b *branch) anchor(s sym) sym {
	if s == null || b.rows.has(s) {
		return s
	}
	return b.nearestEntry(s)
}

// walk returns the entries from the root to a leaf, of which there usually are almost as many as rows.
func (b *branch) walk(leaf sym, rows int) []int32 {
	path := make([]int32, 0, rows)
	seen := make([]bool, b.ix.names.len())
	for at := leaf; at.isName() && !seen[at]; {
		seen[at] = true
		if !b.rows.isSolid(at) {
			if at = b.rows.above(at); at == unset {
				at = null
			}
			continue
		}
		i := b.byID[at]
		path = append(path, i)
		at = b.parentOf(b.rowOf(i))
	}
	slices.Reverse(path)
	return path
}

// firstKept returns the first entry that the last boundary of a path keeps: the one it states, or the one the tree
// resolved it to. If that is an opaque row, the rows of the branch decide which entry is meant. indexed yields the
// entries of the branch.
func (b *branch) firstKept(path []int32, stated sym, indexed iter.Seq[row]) sym {
	for i := len(path) - 1; i >= 0; i-- {
		e := b.ix.at(path[i])
		if !e.isBoundary() {
			continue
		}
		if stated == unset {
			stated = e.ref
		}
		if !b.rows.isSolid(stated) && b.rows.isLink(stated) {
			r := b.rowOf(path[i])
			k := keeper{rows: b.rows, parentOf: func(s sym) sym { return b.stated(b.byID[s]) }}
			if kept := k.firstKept(stated, b.parentOf(r), b.resolvedParent(r), indexed); kept.isName() {
				return kept
			}
		}
		return stated
	}
	return missing
}

// parentOf returns the effective parent of an entry.
func (b *branch) parentOf(r row) sym {
	parent := b.resolvedParent(r)
	if parent == r.id {
		return null
	}
	return parent
}

func (b *branch) resolvedParent(r row) sym {
	if logical, ok := b.logical[r.id]; ok {
		return logical
	}
	return b.nearestEntry(r.parent)
}

// A keeper finds the first entry that a compaction or reset keeps if it names an opaque row: the nearest entry above
// that row, otherwise the first below it on the way to the boundary, otherwise the first below it anywhere.
type keeper struct {
	rows     *ancestry
	parentOf func(sym) sym // as the entry states it
}

func (k *keeper) firstKept(kept, parent, fallback sym, entries iter.Seq[row]) sym {
	if at, ok := k.rows.climb(kept); ok && at >= emptyName {
		return at
	}
	seen := map[sym]bool{}
	first := unset
	for at := parent; at.isName() && !seen[at]; {
		if at == kept {
			if first != unset {
				return first
			}
			break
		}
		seen[at] = true
		if k.rows.isSolid(at) {
			first, at = at, k.parentOf(at)
		} else if at = k.rows.above(at); at == unset {
			at = null
		}
	}
	above := map[sym]bool{kept: true} // whether the way up from an opaque row passes the kept one
	for r := range entries {
		if k.passes(r.parent, kept, above) {
			return r.id
		}
	}
	return fallback
}

// passes reports whether the opaque rows above a name include the kept one.
func (k *keeper) passes(from, kept sym, known map[sym]bool) bool {
	var way []sym
	found := false
	for at := from; at.isName() && k.rows.isLink(at); at = k.rows.above(at) {
		answer, ok := known[at]
		if ok {
			found = answer
			break
		}
		known[at] = false // assumed until known, which also ends a cycle
		way = append(way, at)
	}
	for _, at := range way {
		known[at] = found
	}
	return found
}
