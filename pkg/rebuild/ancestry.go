package rebuild

// unset marks a name for which a table has nothing.
const unset sym = -4

// A ancestry leads from a name to its nearest solid ancestor: some rows of a transcript only pass the chain on to their own
// parent. Climbs are remembered until a row is written over or one that was missed turns up, so that a million rows
// above a long run of such rows take no more than a climb each. Most transcripts have no such rows: their tables are
// made when the first one comes.
type ancestry struct {
	solid []bool
	up    []sym // of a row that passes the chain on

	short  []sym // where a climb from here ended
	since  []int32
	epoch  int32
	missed map[sym]bool
	seen   []int32
	climbs int32
	passed []bool // a climb that is remembered passed here, or ended here
}

func newAncestry(names int) *ancestry {
	return &ancestry{solid: make([]bool, names), epoch: 1, missed: map[sym]bool{}}
}

// newTable returns a table that has nothing for any name.
func newTable(names int) []sym {
	table := make([]sym, names)
	for i := range table {
		table[i] = unset
	}
	return table
}

// above returns what a row passes the chain on to, unset where it is no such row.
func (l *ancestry) above(s sym) sym {
	if l.up == nil {
		return unset
	}
	return l.up[s]
}

// has reports whether a name is known.
func (l *ancestry) has(s sym) bool { return s >= 0 && (l.solid[s] || l.above(s) != unset) }

func (l *ancestry) isSolid(s sym) bool { return s >= 0 && l.solid[s] }

func (l *ancestry) isLink(s sym) bool { return s >= 0 && l.above(s) != unset }

func (l *ancestry) setSolid(s sym, solid bool) {
	l.forget(s)
	l.solid[s] = solid
}

func (l *ancestry) setLink(s, parent sym) {
	if l.up == nil {
		names := len(l.solid)
		l.up, l.short, l.since, l.seen = newTable(names), make([]sym, names), make([]int32, names), make([]int32, names)
		l.passed = make([]bool, names)
	}
	l.forget(s)
	l.up[s] = parent
}

// forget drops what earlier climbs found where the name played a part in them.
func (l *ancestry) forget(s sym) {
	if l.up != nil && l.passed[s] || l.missed[s] {
		l.epoch++
		delete(l.missed, s)
	}
}

// climb returns where the way up from a name ends. ok is true for a solid name and for the top; it is false, and the
// name that where the way breaks, for one that is not known or was passed before.
func (l *ancestry) climb(from sym) (at sym, ok bool) {
	l.climbs++
	for at = from; at.isName() && !l.solid[at]; at = l.up[at] {
		switch {
		case l.above(at) == unset:
			l.missed[at] = true
			return at, false
		case l.seen[at] == l.climbs:
			return at, false
		case l.since[at] == l.epoch:
			at = l.short[at]
			l.remember(from, at)
			return at, true
		}
		l.seen[at] = l.climbs
	}
	l.remember(from, at)
	return at, true
}

// remember notes where the links of a climb led.
func (l *ancestry) remember(from, to sym) {
	if l.up == nil {
		return
	}
	for at := from; at != to && at.isName() && !l.solid[at] && l.since[at] != l.epoch; at = l.up[at] {
		l.short[at], l.since[at] = to, l.epoch
		l.passed[at] = true
	}
	if to.isName() {
		l.passed[to] = true
	}
}
