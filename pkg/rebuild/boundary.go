package rebuild

import "iter"

// firstKept returns the first entry that the last boundary of a path keeps. If the boundary names an opaque row, the
// rows of the complete tree decide which entry is meant. OpenClaw does that before it extracts the path from the tree.
func (t *tree) firstKept(path []int32) sym {
	at := len(path) - 1
	for at >= 0 && !t.ix.at(path[at]).isBoundary() {
		at--
	}
	if at < 0 || !t.ix.at(path[at]).ref.isName() {
		return missing
	}
	e := t.ix.at(path[at])
	k, entries := t.keeper()
	if k.rows.isSolid(e.ref) || !k.rows.isLink(e.ref) {
		return e.ref
	}
	parent, ok := k.rows.climb(t.parent[path[at]])
	if !ok {
		parent = null
	}
	if kept := k.firstKept(e.ref, parent, parent, entries); kept.isName() {
		return kept
	}
	return e.ref
}

// isBoundary reports whether an entry separates, in OpenClaw, what the model sees from what it no longer sees.
func (e *entry) isBoundary() bool {
	return (e.kind == kindCompaction || e.kind == kindReset) && e.isIndexed()
}

// keeper sorts the rows of the tree into entries and opaque rows. The entries are in the order of their first rows,
// with the content of their last rows.
func (t *tree) keeper() (*keeper, iter.Seq[row]) {
	names := t.ix.names.len()
	rows := newAncestry(names)
	parents := make([]sym, names)
	var order []sym
	for i, parent := range t.parent {
		e := t.ix.at(int32(i))
		switch {
		case parent == unset:
		case e.isIndexedAsWritten():
			if !rows.isSolid(e.id) {
				order = append(order, e.id)
			}
			rows.setSolid(e.id, true)
			parents[e.id] = parent
		default:
			rows.setLink(e.id, parent)
		}
	}
	entries := func(yield func(row) bool) {
		for _, id := range order {
			if !yield(row{id: id, parent: parents[id]}) {
				return
			}
		}
	}
	return &keeper{rows, func(s sym) sym { return parents[s] }}, entries
}
