package rebuild

// unset marks a name for which a table has nothing.
const unset sym = -4

// An ancestry leads from a name to its nearest solid ancestor: some rows of a transcript only pass the chain on to
// their own parent. Climbs are remembered until a row is written over or one that was missed turns up, so that a
// million rows above a long run of such rows take no more than a climb each. Most transcripts have no such rows: their
// tables are made when the first one comes.
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
func (a *ancestry) above(s sym) sym {
	if a.up == nil {
		return unset
	}
	return a.up[s]
}

// has reports whether a name is known.
func (a *ancestry) has(s sym) bool { return s >= 0 && (a.solid[s] || a.above(s) != unset) }

func (a *ancestry) isSolid(s sym) bool { return s >= 0 && a.solid[s] }

func (a *ancestry) isLink(s sym) bool { return s >= 0 && a.above(s) != unset }

func (a *ancestry) setSolid(s sym, solid bool) {
	a.forget(s)
	a.solid[s] = solid
}

func (a *ancestry) setLink(s, parent sym) {
	if a.up == nil {
		names := len(a.solid)
		a.up, a.short, a.since, a.seen = newTable(names), make([]sym, names), make([]int32, names), make([]int32, names)
		a.passed = make([]bool, names)
	}
	a.forget(s)
	a.up[s] = parent
}

// forget drops what earlier climbs found where the name played a part in them.
func (a *ancestry) forget(s sym) {
	if a.up != nil && a.passed[s] || a.missed[s] {
		a.epoch++
		delete(a.missed, s)
	}
}

// climb returns where the way up from a name ends. ok is true for a solid name and for the top; it is false, and the
// name that where the way breaks, for one that is not known or was passed before.
func (a *ancestry) climb(from sym) (at sym, ok bool) {
	a.climbs++
	for at = from; at.isName() && !a.solid[at]; at = a.up[at] {
		switch {
		case a.above(at) == unset:
			a.missed[at] = true
			return at, false
		case a.seen[at] == a.climbs:
			return at, false
		case a.since[at] == a.epoch:
			at = a.short[at]
			a.remember(from, at)
			return at, true
		}
		a.seen[at] = a.climbs
	}
	a.remember(from, at)
	return at, true
}

// remember notes where the links of a climb led.
func (a *ancestry) remember(from, to sym) {
	if a.up == nil {
		return
	}
	for at := from; at != to && at.isName() && !a.solid[at] && a.since[at] != a.epoch; at = a.up[at] {
		a.short[at], a.since[at] = to, a.epoch
		a.passed[at] = true
	}
	if to.isName() {
		a.passed[to] = true
	}
}
