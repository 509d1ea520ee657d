package diff

import (
	"context"
	"slices"

	"clawctl/internal/parallel"
)

// unmatched is the partner of a record that has none.
const unmatched int32 = -1

// A matcher pairs the records of two sides.
type matcher struct {
	a, b     *side
	toB, toA []int32 // the partner of each record
	kinds    []Kind  // of the records of A that have a partner
}

func newMatcher(a, b *side) *matcher {
	m := &matcher{a: a, b: b, toB: make([]int32, len(a.rows)), toA: make([]int32, len(b.rows)),
		kinds: make([]Kind, len(a.rows))}
	for i := range m.toB {
		m.toB[i] = unmatched
	}
	for j := range m.toA {
		m.toA[j] = unmatched
	}
	return m
}

func (m *matcher) pair(i, j int32, kind Kind) { m.toB[i], m.toA[j], m.kinds[i] = j, i, kind }

// run pairs all records that belong together.
func (m *matcher) run(ctx context.Context) error {
	m.matchEnds()
	m.match(unpaired(m.a, m.toB), unpaired(m.b, m.toA), Same, m.extend)
	if countUnmatched(m.toA) == 0 || countUnmatched(m.toB) == 0 {
		return nil
	}
	a, b, err := m.meanings(ctx)
	if err != nil {
		return err
	}
	m.matchBy(a, b, respelled, func(_ *side, x *meaning) digest { return x.content })
	m.matchBy(a, b, Changed, func(s *side, x *meaning) digest { return s.rows[x.row].id })
	m.matchBy(a, b, Renumbered, func(_ *side, x *meaning) digest { return x.body })
	m.checkNumbers(a, b)
	return nil
}

// countUnmatched counts the records without a partner. Lists of them are made as long as they need to be, because one
// that grows leaves shorter ones behind.
func countUnmatched(partners []int32) (n int) {
	for _, p := range partners {
		if p == unmatched {
			n++
		}
	}
	return n
}

// matchEnds pairs what both sides begin and end with. Most comparisons need nothing else.
func (m *matcher) matchEnds() {
	a, b := m.a.rows, m.b.rows
	start := 0
	for start < min(len(a), len(b)) && a[start].text == b[start].text {
		m.pair(int32(start), int32(start), Same)
		start++
	}
	for i, j := len(a)-1, len(b)-1; i >= start && j >= start && a[i].text == b[j].text; i, j = i-1, j-1 {
		m.pair(int32(i), int32(j), Same)
	}
}

// extend pairs equal records beside a pair, so that of several equal records those match that have the same neighbours.
func (m *matcher) extend(i, j int32) {
	for _, step := range []int32{-1, 1} {
		for i, j := i+step, j+step; m.isEqual(i, j); i, j = i+step, j+step {
			m.pair(i, j, Same)
		}
	}
}

// isEqual reports whether two unmatched records have the same bytes.
func (m *matcher) isEqual(i, j int32) bool {
	return i >= 0 && j >= 0 && int(i) < len(m.toB) && int(j) < len(m.toA) && m.toB[i] == unmatched &&
		m.toA[j] == unmatched && m.a.rows[i].text == m.b.rows[j].text
}

// meanings reads both sides again for the records that are not matched.
func (m *matcher) meanings(ctx context.Context) (a, b []meaning, err error) {
	lists, sides, partners := [2][]meaning{}, [2]*side{m.a, m.b}, [2][]int32{m.toB, m.toA}
	err = parallel.Run(ctx, 2, 2, noState, func(ctx context.Context, _ struct{}, i int) (err error) {
		lists[i], err = sides[i].meanings(ctx, partners[i])
		return sides[i].named(err)
	})
	return lists[0], lists[1], err
}

func noState() struct{} { return struct{}{} }

// A keyedRecord is a record with the key that it is matched by.
type keyedRecord struct {
	key digest
	row int32
}

// unpaired returns the records without a partner by their bytes.
func unpaired(s *side, partners []int32) []keyedRecord {
	list := make([]keyedRecord, 0, countUnmatched(partners))
	for i, p := range partners {
		if p == unmatched {
			list = append(list, keyedRecord{s.rows[i].text, int32(i)})
		}
	}
	return list
}

// matchBy pairs records that have the same key. The zero key is none.
func (m *matcher) matchBy(a, b []meaning, kind Kind, key func(*side, *meaning) digest) {
	keys := func(s *side, list []meaning, partners []int32) []keyedRecord {
		keys := make([]keyedRecord, 0, len(list))
		for i := range list {
			if k := key(s, &list[i]); k != (digest{}) && partners[list[i].row] == unmatched {
				keys = append(keys, keyedRecord{k, list[i].row})
			}
		}
		return keys
	}
	m.match(keys(m.a, a, m.toB), keys(m.b, b, m.toA), kind, func(i, j int32) {})
}

// A group is the records with the same key.
type group struct {
	inA, inB    int32 // how many there are
	first, last int32 // of B's, as positions in its list
}

// match pairs records with equal keys: first those whose key is unique on both sides, then the others in order. paired
// is called for each of the first.
func (m *matcher) match(a, b []keyedRecord, kind Kind, paired func(i, j int32)) {
	if len(a) == 0 || len(b) == 0 {
		return
	}
	number := make(map[digest]int32, len(b))
	groups := make([]group, 0, len(b))
	next := make([]int32, len(b))
	for j, k := range b {
		next[j] = unmatched
		n, known := number[k.key]
		if !known {
			number[k.key] = int32(len(groups))
			groups = append(groups, group{inB: 1, first: int32(j), last: int32(j)})
			continue
		}
		g := &groups[n]
		next[g.last], g.last = int32(j), int32(j)
		g.inB++
	}
	m.pairUnique(a, b, kind, number, groups, paired)
	for _, k := range a {
		n, known := number[k.key]
		if !known || m.toB[k.row] != unmatched {
			continue
		}
		g := &groups[n]
		for g.first != unmatched && m.toA[b[g.first].row] != unmatched {
			g.first = next[g.first]
		}
		if g.first != unmatched {
			m.pair(k.row, b[g.first].row, kind)
		}
	}
}

// pairUnique pairs the records whose key is unique on both sides.
func (m *matcher) pairUnique(
	a, b []keyedRecord, kind Kind, number map[digest]int32, groups []group, paired func(i, j int32),
) {
	for _, k := range a {
		if n, known := number[k.key]; known {
			groups[n].inA++
		}
	}
	for _, k := range a {
		n, known := number[k.key]
		if known && groups[n].inA == 1 && groups[n].inB == 1 {
			j := b[groups[n].first].row
			m.pair(k.row, j, kind)
			paired(k.row, j)
		}
	}
}

// longestIncrease returns the positions of a longest increasing subsequence, in ascending order. It takes linear time
// for a list that is increasing, and n log n for any other.
func longestIncrease(list []int32) []int32 {
	if slices.IsSorted(list) {
		all := make([]int32, len(list))
		for i := range all {
			all[i] = int32(i)
		}
		return all
	}
	var ends []int32 // position of the smallest last value of an increase, by its length
	before := make([]int32, len(list))
	for i, value := range list {
		length, _ := slices.BinarySearchFunc(ends, value, func(at, value int32) int { return int(list[at]) - int(value) })
		before[i] = unmatched
		if length > 0 {
			before[i] = ends[length-1]
		}
		if length == len(ends) {
			ends = append(ends, int32(i))
		} else {
			ends[length] = int32(i)
		}
	}
	for k := len(ends) - 2; k >= 0; k-- {
		ends[k] = before[ends[k+1]]
	}
	return ends
}
