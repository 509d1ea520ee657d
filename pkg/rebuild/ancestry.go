package rebuild

// unset marks a name for which a table has no value.
const unset sym = -4

// An ancestry finds the nearest solid ancestor of a name. Some rows of a transcript are only links: they pass the chain
// on to their own parent. Climbs are remembered until one of their rows is overwritten or a missing row appears. A
// million rows above a long run of links therefore take one climb each. Most transcripts have no links, and the tables
// are only made for the first one.
type ancestry struct {
	solid []bool
	up    []sym // the parent of a link

	short  []sym // where a climb from here ended
	since  []int32
	epoch  int32
	missed map[sym]bool
	seen   []int32
	climbs int32
	passed []bool // a remembered climb passed or ended here
}

func newAncestry(names int) *ancestry {
	return &ancestry{solid: make([]bool, names), epoch: 1, missed: map[sym]bool{}}
}

// newTable returns a table without values.
func newTable(names int) []sym {
	table := make([]sym, names)
	for i := range table {
		table[i] = unset
	}
	return table
}

// above returns the parent of a link, or unset if the row is not a link.
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

// forget drops the remembered climbs that involve a name.
func (a *ancestry) forget(s sym) {
	if a.up != nil && a.passed[s] || a.missed[s] {
		a.epoch++
		delete(a.missed, s)
	}
}

// climb returns where the way up from a name ends. ok is true if it ends at a solid name or at the top. If a name is
// unknown or was already passed, ok is false and the climb ends at that name.
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

// remember records the result of a climb for every link it passed.
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
