package rebuild

// upgrade makes of the rows of older versions what OpenClaw makes of them before it looks at anything else: version 1
// gets ids and a chain of parents, and its compactions an id for the number of the row they keep; version 2's hook
// messages become custom ones. Rows that OpenClaw cannot read are left as they are. It changes the index.
//
// A transcript without a header counts as version 1 and stays so: each time OpenClaw opens it the ids are made anew,
// and a compaction's id of the first time names nothing the next time.
func (ix *Index) upgrade() {
	if ix.version < 2 {
		ix.chain()
	}
	for i := range ix.len() {
		e := ix.at(int32(i))
		switch {
		case !e.has(hookFits):
		case e.role == roleCustom:
			e.flags |= bodyFits
		case ix.version < 3:
			e.role = roleCustom
			e.flags = e.flags&^hookFits | bodyFits
		}
	}
}

// chain hangs every readable row of version 1 under the one before it.
func (ix *Index) chain() {
	fresh := make([]sym, ix.len()) // the new id of each row
	previous := null
	for i := range ix.len() {
		fresh[i] = missing
		e := ix.at(int32(i))
		if i == ix.header || !ix.isReadable(e) {
			continue
		}
		fresh[i] = ix.names.makeUnique()
		e.parent, previous = previous, fresh[i]
		if e.kind == kindCompaction && e.ref2 != missing {
			if kept := ix.keptRow(e.ref2, fresh[:i+1]); kept != missing {
				e.ref = kept
			}
			e.ref2 = missing
		}
	}
	for i, id := range fresh {
		if id != missing {
			ix.at(int32(i)).id = id
		}
	}
}

// keptRow is the id of the row that a compaction of version 1 keeps first: the new one of a row before it, the old one
// of a row behind it, which soon names nothing.
func (ix *Index) keptRow(index sym, fresh []sym) sym {
	switch {
	case index < 0 || int(index) >= ix.len() || int(index) == ix.header || !ix.isReadable(ix.at(int32(index))):
		return missing
	case int(index) < len(fresh) && ix.header < 0:
		return ix.names.makeUnique()
	case int(index) < len(fresh):
		return fresh[index]
	}
	if id := ix.at(int32(index)).id; id != null && id != emptyName {
		return id
	}
	return missing
}

// isReadable reports whether OpenClaw takes a row of a version before 3 for an entry.
func (ix *Index) isReadable(e *entry) bool {
	return e.kind.isCanonical() && (e.kind != kindMessage || e.has(bodyFits|hookFits))
}

// isIndexedAsWritten is isIndexed for a row before a custom message without a type was given one.
func (e *entry) isIndexedAsWritten() bool { return e.isIndexed() && !e.has(hookFits) }

// isIndexed reports whether a row has the shape that OpenClaw asks of an entry. Every other row is opaque: it is kept,
// and may carry the chain on, but is never shown.
func (e *entry) isIndexed() bool {
	return e.kind.isCanonical() && e.id.isName() && e.parent != odd && e.has(timeFits) && e.has(bodyFits) &&
		(e.kind != kindCompaction || e.ref.isName())
}

// HasMadeUpIDs reports whether the transcript has no ids of its own, so that those of a path mean nothing.
func (ix *Index) HasMadeUpIDs() bool { return !(ix.version >= 2) }
