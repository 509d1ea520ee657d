package tokens

import "slices"

// merge merges the bytes of a piece, the pair of the lowest rank first, and returns how many tokens are left.
func (t *table) merge(piece []byte) int {
	if len(piece) <= shortPiece {
		return t.mergeShort(piece)
	}
	return t.mergeLong(piece)
}

// shortPiece is up to which length a search of all pairs is faster than a heap of them.
const shortPiece = 96

// mergeShort looks for the best pair again after every merge.
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

// mergeLong keeps the pairs of a long piece by their rank. The pairs of the lowest rank merge one after the other from
// the left; a merge makes longer words, of other ranks, and where one of those is lower the rest waits. A pair whose
// spans have merged with others since it was noted has another rank now, and is passed over. Long pieces repeat
// themselves: there are few ranks, and hardly anything is sorted that is not in order already.
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

// A merger is the state of one merge.
type merger struct {
	table   *table
	piece   []byte
	spans   []span            // by where they begin
	waiting map[int32][]int32 // where the pairs of a rank begin
	ranks   rankHeap          // those that wait
}

// A span is a stretch of a long piece: where the next begins and the one before it, and the rank of the pair that it
// begins.
type span struct{ next, before, rank int32 }

// note lets the pair that begins at a span wait for its rank.
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

// mergeAll merges the pairs of a rank, as long as it is the lowest, and returns how many there were.
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

// look finds the rank of the pair that a span begins now.
func (m *merger) look(start int32) {
	rank, second := int32(noRank), m.spans[start].next
	if int(second) < len(m.piece) {
		rank = m.table.rank(m.piece[start:m.spans[second].next])
	}
	m.note(start, rank)
}

// rankHeap is a heap of ranks, the lowest on top.
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
