package diff

import (
	"cmp"
	"slices"
)

// checkNumbers decides which pairs differ in nothing but ids and links. A record is renumbered if it says the same, and
// every link leads to the record that matches the one it led to before. Links of records that had no id, as in the
// first version of the format, have nothing to be compared with. A record with another link is changed.
func (m *matcher) checkNumbers(a, b []meaning) {
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
		y := meaningOf(b, m.toB[x.row])
		m.kinds[x.row] = Changed
		if x.body == y.body && m.hasSameLinks(x, y, newID) {
			m.kinds[x.row] = Renumbered
		}
	}
}

// meaningOf returns what is known about a row, which is in the list. The list is in the order of the rows.
func meaningOf(list []meaning, row int32) *meaning {
	at, _ := slices.BinarySearchFunc(list, row, func(m meaning, row int32) int { return cmp.Compare(m.row, row) })
	return &list[at]
}

// hasSameLinks reports whether the links of two records lead to records that match.
func (m *matcher) hasSameLinks(x, y *meaning, newID map[digest]digest) bool {
	var none digest
	isNew := m.a.rows[x.row].id == none || m.b.rows[y.row].id == none
	for key := range linkKeys {
		before, after := x.link(key), y.link(key)
		added := isNew && (before == none || after == none)
		if id, renumbered := newID[before]; before != after && !added && !(renumbered && before != none && id == after) {
			return false
		}
	}
	return true
}
