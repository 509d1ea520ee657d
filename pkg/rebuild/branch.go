package rebuild

import "slices"

// A row is an entry on its way into a branch: where it hangs may differ from what it says.
type row struct {
	entry  int32
	id     sym
	parent sym
}

// A branch follows OpenClaw's session manager: it takes rows in their order, tells entries from opaque rows, and walks
// from the leaf to the root. The manager is asked twice over: a turn of the gateway shows it the path through the tree,
// everything else in OpenClaw shows it all rows.
type branch struct {
	ix      *Index
	rows    *ladder // entries are solid, opaque rows are rungs
	byID    []row   // entries by name
	logical []sym   // where an entry hangs instead of under its parent, by name
	leaf    sym
	append  sym

	void      []bool
	reset     bool
	resets    int32
	afterward []int32
}

func (ix *Index) newBranch() *branch {
	names := ix.names.len()
	return &branch{
		ix: ix, rows: newLadder(names), byID: make([]row, names), logical: filled(names), leaf: null, append: null,
		void: make([]bool, names), afterward: make([]int32, names),
	}
}

// wholeBranch is the branch that the manager finds in all rows.
func (ix *Index) wholeBranch() (path []row, kept sym) {
	b := ix.newBranch()
	for i := range ix.entries {
		e := &ix.entries[i]
		r := row{int32(i), e.id, e.parent}
		switch {
		case e.kind == kindSession:
		case e.isIndexed():
			b.enter(r, e)
		case ix.header < 0 && ix.isReadable(e):
			// OpenClaw takes it for an entry while it chains the rows, and then finds that it is none.
		default:
			b.pass(r, e)
		}
	}
	path = b.walk(b.leaf)
	return path, b.keptOf(path, unset, ix.indexedRows)
}

// pathBranch is the branch that the manager finds in a path through the tree.
func (ix *Index) pathBranch(t *tree, through []int32) (path []row, kept sym) {
	b := ix.newBranch()
	rows := make([]row, 0, len(through))
	for _, i := range through {
		e := &ix.entries[i]
		r := row{i, e.id, t.parent[i]}
		rows = append(rows, r)
		if e.isIndexed() {
			b.enter(r, e)
		} else {
			b.pass(r, e)
		}
	}
	for _, r := range rows {
		b.logical[r.id] = unset
	}
	leaf := b.append
	if !b.rows.isSolid(leaf) {
		leaf = b.canonical(leaf)
	}
	path = b.walk(leaf)
	return path, b.keptOf(path, t.keptOf(through), func() []row {
		return slices.DeleteFunc(rows, func(r row) bool { return !ix.entries[r.entry].isIndexed() })
	})
}

func (ix *Index) indexedRows() (rows []row) {
	for i := range ix.entries {
		if e := &ix.entries[i]; e.isIndexed() {
			rows = append(rows, row{int32(i), e.id, e.parent})
		}
	}
	return rows
}

// canonical returns the nearest entry at or above a name, null where there is none.
func (b *branch) canonical(s sym) sym {
	at, ok := b.rows.climb(s)
	if !ok {
		return null
	}
	return at
}

func (b *branch) follows(s sym) bool { return s >= 0 && b.afterward[s] == b.resets }

// enter takes an entry.
func (b *branch) enter(r row, e *entry) {
	if e.kind == kindLabel && !b.rows.isSolid(e.ref) {
		b.rows.setRung(r.id, b.canonical(r.parent))
		return
	}
	onward := !e.has(side)
	if b.reset && onward && !b.follows(r.parent) || r.parent == missing || onward && r.parent == b.append && b.leaf != b.append {
		b.logical[r.id] = b.leaf
	}
	b.rows.setSolid(r.id, true)
	b.byID[r.id] = r
	parent := r.parent
	if b.logical[r.id] != unset {
		parent = b.logical[r.id]
	}
	if e.kind == kindReset {
		b.reset = true
		b.resets++
		b.afterward[r.id] = b.resets
	} else if b.reset && b.follows(parent) {
		b.afterward[r.id] = b.resets
	}
	b.append = r.id
	if onward {
		b.leaf = r.id
	}
}

// pass takes an opaque row: it can only move the leaf as a leaf record, and otherwise carries the chain on.
func (b *branch) pass(r row, e *entry) {
	linked := r.id.isName() && (r.parent == null || r.parent >= emptyName)
	switch {
	case !linked || e.kind == kindSession:
	case e.kind == kindLeaf:
		if isStringOrNull(e.ref) && (e.ref2 == missing || isStringOrNull(e.ref2)) && !e.has(oddAppendMode) {
			b.control(r, e)
		}
	default:
		b.rows.setRung(r.id, r.parent)
		if b.reset && b.follows(r.parent) {
			b.afterward[r.id] = b.resets
		}
		b.append = r.id
	}
}

func isStringOrNull(s sym) bool { return s == null || s >= emptyName }

// control follows a leaf record.
func (b *branch) control(r row, e *entry) {
	known := func(s sym) bool {
		return s == null || b.rows.isSolid(s) || b.rows.isRung(s) && !b.void[s]
	}
	if !known(e.ref) || e.ref2 != missing && !known(e.ref2) {
		b.void[r.id] = true
		b.rows.setRung(r.id, b.anchor(r.parent))
		return
	}
	leaf := e.ref
	if !b.rows.isSolid(leaf) {
		leaf = b.canonical(leaf)
	}
	appendAt := leaf
	if e.ref2 != missing {
		appendAt = b.anchor(e.ref2)
	}
	if b.reset && !b.follows(leaf) {
		leaf, appendAt = b.leaf, b.leaf
	}
	b.rows.setRung(r.id, leaf)
	if b.reset && b.follows(leaf) {
		b.afterward[r.id] = b.resets
	}
	b.leaf, b.append = leaf, appendAt
}

// anchor returns a name if it is known, else its nearest entry.
func (b *branch) anchor(s sym) sym {
	if s == null || b.rows.has(s) {
		return s
	}
	return b.canonical(s)
}

// walk returns the entries from the root to a leaf.
func (b *branch) walk(leaf sym) (path []row) {
	seen := make([]bool, b.ix.names.len())
	for at := leaf; at.isName() && !seen[at]; {
		seen[at] = true
		if !b.rows.isSolid(at) {
			if at = b.rows.up[at]; at == unset {
				at = null
			}
			continue
		}
		r := b.byID[at]
		r.parent = b.parentOf(r)
		path = append(path, r)
		at = r.parent
	}
	slices.Reverse(path)
	return path
}

// keptOf returns what the last boundary of a path keeps first: what it states, or what the tree made of that. Where that
// is an opaque row, the rows of the branch tell which entry is meant; indexed lists its entries.
func (b *branch) keptOf(path []row, stated sym, indexed func() []row) sym {
	for i := len(path) - 1; i >= 0; i-- {
		e := &b.ix.entries[path[i].entry]
		if !e.isBoundary() {
			continue
		}
		if stated == unset {
			stated = e.ref
		}
		if !b.rows.isSolid(stated) && b.rows.isRung(stated) {
			k := keeper{rows: b.rows, parentOf: func(s sym) sym { return b.byID[s].parent }}
			if kept := k.firstKept(stated, path[i].parent, b.resolvedParent(b.byID[path[i].id]), indexed()); kept.isName() {
				return kept
			}
		}
		return stated
	}
	return missing
}

// parentOf is where an entry hangs.
func (b *branch) parentOf(r row) sym {
	parent := b.resolvedParent(r)
	if parent == r.id {
		return null
	}
	return parent
}

func (b *branch) resolvedParent(r row) sym {
	if logical := b.logical[r.id]; logical != unset {
		return logical
	}
	return b.canonical(r.parent)
}

// A keeper finds the entry that a compaction or reset keeps first where it names an opaque row: the nearest entry above
// that row, else the first below it on the way to the boundary, else the first below it anywhere.
type keeper struct {
	rows     *ladder
	parentOf func(sym) sym // as an entry states it
}

func (k *keeper) firstKept(kept, parent, fallback sym, entries []row) sym {
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
		} else if at = k.rows.up[at]; at == unset {
			at = null
		}
	}
	above := map[sym]bool{kept: true} // whether the way up from an opaque row passes the kept one
	for _, r := range entries {
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
	for at := from; at.isName() && k.rows.isRung(at); at = k.rows.up[at] {
		answer, ok := known[at]
		if ok {
			found = answer
			break
		}
		known[at] = false // until it is known better; a circle ends here
		way = append(way, at)
	}
	for _, at := range way {
		known[at] = found
	}
	return found
}
