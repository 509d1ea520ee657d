package diff

// checkNumbers decides which pairs differ in nothing but ids and links. A record is renumbered if it says the same, and
// every link leads to the record that matches the one it led to before. Links of records that had no id, as in the
// first version of the format, have nothing to be compared with. A record with another link is changed.
func (m *matcher) checkNumbers(a, b []meaning) {
	inB := make(map[int32]*meaning, len(b))
	for i := range b {
		inB[b[i].row] = &b[i]
	}
	newID := map[digest]digest{}
	for i := range a {
		if row := a[i].row; m.toB[row] != unmatched && m.kinds[row] == Renumbered {
			newID[m.a.rows[row].id] = m.b.rows[m.toB[row]].id
		}
	}
	for i := range a {
		x := &a[i]
		if m.toB[x.row] == unmatched || m.kinds[x.row] == respelled {
			continue
		}
		y := inB[m.toB[x.row]]
		m.kinds[x.row] = Changed
		if x.body == y.body && m.hasSameLinks(x, y, newID) {
			m.kinds[x.row] = Renumbered
		}
	}
}

// hasSameLinks reports whether the links of two records lead to records that match.
func (m *matcher) hasSameLinks(x, y *meaning, newID map[digest]digest) bool {
	var none digest
	isNew := m.a.rows[x.row].id == none || m.b.rows[y.row].id == none
	for k := range x.links {
		before, after := x.links[k], y.links[k]
		added := isNew && (before == none || after == none)
		if id, renumbered := newID[before]; before != after && !added && !(renumbered && before != none && id == after) {
			return false
		}
	}
	return true
}
