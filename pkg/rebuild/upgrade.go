package rebuild

// upgrade converts the rows of older versions, as OpenClaw does before anything else. In version 1, rows get ids and a
// chain of parents, and compactions get an id instead of the number of the row they keep. In version 2, hook messages
// become custom ones. Rows that OpenClaw cannot read are left as they are. upgrade changes the index.
//
// A transcript without a header counts as version 1 and remains so. Each time OpenClaw opens it, it generates new
// ids, and the ids in its compactions no longer refer to anything.
func (ix *Index) upgrade() {
	if ix.version < 2 {
		ix.chain()
	}
	for _, e := range ix.all() {
		switch {
		case !e.has(hookFits):
		case e.role == roleCustom:
			if ix.version >= 2 || ix.header < 0 { // with the header of version 1, OpenClaw does not show it
				e.flags |= bodyFits
			}
		case ix.version < 3:
			e.role = roleCustom
			e.flags = e.flags&^hookFits | bodyFits
		}
	}
}

// chain makes every readable row of version 1 a child of the one before it.
func (ix *Index) chain() {
	fresh := make([]sym, ix.len()) // the new id of each row
	previous := null
	for i, e := range ix.all() {
		fresh[i] = missing
		if int(i) == ix.header || !ix.rules.isChained(e) {
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

// keptRow returns the id of the first row that a compaction of version 1 keeps: the new id of an earlier row, or the
// old id of a later one, which soon refers to nothing.
func (ix *Index) keptRow(index sym, fresh []sym) sym {
	switch {
	case index < 0 || int(index) >= ix.len() || int(index) == ix.header || !ix.rules.isChained(ix.at(int32(index))):
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

// isReadable reports whether OpenClaw accepts a row of a version before 3 as an entry.
func (e *entry) isReadable() bool {
	return e.kind.isCanonical() && (e.kind != kindMessage || e.has(bodyFits|hookFits) && e.role != roleSystem)
}

// isIndexedAsWritten is isIndexed for a row before a custom message without a type was given one.
func (e *entry) isIndexedAsWritten() bool { return e.isIndexed() && !e.has(hookFits) }

// isIndexed reports whether a row has the shape that OpenClaw requires of an entry. Every other row is opaque: it is
// kept and may pass the chain on, but is never shown.
func (e *entry) isIndexed() bool {
	return e.kind.isCanonical() && e.id.isName() && e.parent != odd && e.has(timeFits) && e.has(bodyFits) &&
		(e.kind != kindCompaction || e.ref.isName()) && !e.isSystem()
}

// HasMadeUpIDs reports whether the transcript has no ids of its own. The ids of its path are generated and mean
// nothing.
func (ix *Index) HasMadeUpIDs() bool { return !(ix.version >= 2) && ix.rules.hasHeader }
