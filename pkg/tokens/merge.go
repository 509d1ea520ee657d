package tokens

import "slices"

// merge merges the bytes of a piece, the pair of the lowest rank first, and returns the number of tokens left.
func (t *table) merge(piece []byte) int {
	if len(piece) <= shortPiece {
		return t.mergeShort(piece)
	}
	return t.mergeLong(piece)
}

// shortPiece is the length up to which searching all pairs is faster than a heap.
const shortPiece = 96

// mergeShort searches for the best pair again after every merge.
func (t *table) mergeShort(piece []byte) int {
	var starts [shortPiece + 1]uint8
	var ranks [shortPiece + 1]int32 // of the pair that begins at each span
	n := len(piece)
	for i := range n + 1 {
		starts[i] = uint8(i)
	}
	rank := func(i int) int32 { // of the pair of spans i and i+1
		if i+2 > n {
			return noRank
		}
		return t.rank(piece[starts[i]:starts[i+2]])
	}
	for i := range n - 1 {
		ranks[i] = t.twoBytes(piece[i], piece[i+1])
	}
	ranks[n-1] = noRank
	for n > 1 {
		best := 0
		for i := 1; i < n-1; i++ {
			if ranks[i] < ranks[best] {
				best = i
			}
		}
		if ranks[best] == noRank {
			break
		}
		copy(starts[best+1:n], starts[best+2:n+1])
		copy(ranks[best+1:n-1], ranks[best+2:n])
		n--
		ranks[n-1] = noRank
		ranks[best] = rank(best)
		if best > 0 {
			ranks[best-1] = rank(best - 1)
		}
	}
	return n
}

// mergeLong keeps the pairs of a long piece by rank. The pairs of the lowest rank merge from left to right. A merge
// creates pairs of other ranks, and if one of those is lower, the remaining pairs wait. A pair whose spans have merged
// with others since has another rank now, and is skipped. Long pieces are repetitive: they have few ranks, and hardly
// anything needs sorting.
func (t *table) mergeLong(piece []byte) int {
	n := int32(len(piece))
	m := &merger{table: t, piece: piece, spans: make([]span, n+1), waiting: map[int32][]int32{}}
	for i := range n {
		m.spans[i] = span{next: i + 1, before: i - 1, rank: noRank}
		if i+2 <= n {
			m.note(i, t.twoBytes(piece[i], piece[i+1]))
		}
	}
	m.spans[n] = span{next: n, before: n - 1, rank: noRank}
	left := int(n)
	for len(m.ranks) > 0 {
		left -= m.mergeAll(m.ranks.pop())
	}
	return left
}

// A merger holds the state of one merge.
type merger struct {
	table   *table
	piece   []byte
	spans   []span            // by their start
	waiting map[int32][]int32 // the starts of the pairs of each rank
	ranks   rankHeap          // the waiting ranks
}

// A span is a part of a long piece: the starts of the next and the previous span, and the rank of the pair that it
// begins.
type span struct{ next, before, rank int32 }

// note queues the pair that begins at a span under its rank.
func (m *merger) note(start, rank int32) {
	m.spans[start].rank = rank
	if rank == noRank {
		return
	}
	list, waits := m.waiting[rank]
	if !waits {
		m.ranks.push(rank)
	}
	m.waiting[rank] = append(list, start)
}

// mergeAll merges the pairs of a rank while it is the lowest, and returns how many it merged.
func (m *merger) mergeAll(rank int32) (merged int) {
	starts := m.waiting[rank]
	delete(m.waiting, rank)
	if !slices.IsSorted(starts) {
		slices.Sort(starts)
	}
	for at, start := range starts {
		first := &m.spans[start]
		if first.rank != rank {
			continue
		}
		if len(m.ranks) > 0 && m.ranks[0] < rank {
			m.ranks.push(rank)
			m.waiting[rank] = starts[at:]
			return merged
		}
		second := &m.spans[first.next]
		second.rank = noRank
		first.next = second.next
		m.spans[second.next].before = start
		merged++
		m.look(start)
		if first.before >= 0 {
			m.look(first.before)
		}
	}
	return merged
}

// look updates the rank of the pair that begins at a span.
func (m *merger) look(start int32) {
	rank, second := int32(noRank), m.spans[start].next
	if int(second) < len(m.piece) {
		rank = m.table.rank(m.piece[start:m.spans[second].next])
	}
	m.note(start, rank)
}

// A rankHeap is a heap of ranks, the lowest on top.
type rankHeap []int32

func (h *rankHeap) push(rank int32) {
	list := append(*h, rank)
	for i := len(list) - 1; i > 0 && list[i] < list[(i-1)/2]; i = (i - 1) / 2 {
		list[i], list[(i-1)/2] = list[(i-1)/2], list[i]
	}
	*h = list
}

func (h *rankHeap) pop() int32 {
	list := *h
	top, last := list[0], len(list)-1
	list[0] = list[last]
	list = list[:last]
	for i := 0; ; {
		child := 2*i + 1
		if child+1 < last && list[child+1] < list[child] {
			child++
		}
		if child >= last || list[i] <= list[child] {
			break
		}
		list[i], list[child] = list[child], list[i]
		i = child
	}
	*h = list
	return top
}
