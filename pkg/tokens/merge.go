package tokens

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
	var ranks [shortPiece + 1]int32 // of the pair that begins at each part
	n := len(piece)
	for i := range n + 1 {
		starts[i] = uint8(i)
	}
	rank := func(i int) int32 { // of the pair of parts i and i+1
		if i+2 > n {
			return noRank
		}
		return t.rank(piece[starts[i]:starts[i+2]])
	}
	for i := range n {
		ranks[i] = rank(i)
	}
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

// A pair is two neighbours in a long piece that may merge: the rank of what they make, and where they begin.
type pair struct {
	rank  int32
	start int32
}

func (p pair) before(q pair) bool { return p.rank < q.rank || p.rank == q.rank && p.start < q.start }

// mergeLong keeps the pairs in a heap. Parts are a list of their starts; a pair whose parts have merged with others since
// it was pushed has another rank now, and is passed over.
func (t *table) mergeLong(piece []byte) int {
	n := int32(len(piece))
	next, before, ranks := make([]int32, n+1), make([]int32, n+1), make([]int32, n+1)
	heap := make(pairs, 0, n)
	for i := range n {
		next[i], before[i] = i+1, i-1
		ranks[i] = noRank
		if i+2 <= n {
			ranks[i] = t.rank(piece[i : i+2])
		}
		if ranks[i] != noRank {
			heap = append(heap, pair{ranks[i], i})
		}
	}
	next[n], ranks[n] = n, noRank
	heap.order()
	parts := int(n)
	update := func(i int32) {
		ranks[i] = noRank
		if second := next[i]; second < n {
			ranks[i] = t.rank(piece[i:next[second]])
		}
		if ranks[i] != noRank {
			heap.push(pair{ranks[i], i})
		}
	}
	for len(heap) > 0 {
		p := heap.pop()
		if ranks[p.start] != p.rank {
			continue
		}
		second := next[p.start]
		ranks[second] = noRank
		next[p.start] = next[second]
		if after := next[second]; after < n {
			before[after] = p.start
		}
		parts--
		update(p.start)
		if left := before[p.start]; left >= 0 {
			update(left)
		}
	}
	return parts
}

// pairs is a heap, the first to merge on top.
type pairs []pair

func (h pairs) order() {
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.sink(i)
	}
}

func (h *pairs) push(p pair) {
	*h = append(*h, p)
	list := *h
	for i := len(list) - 1; i > 0; {
		parent := (i - 1) / 2
		if !list[i].before(list[parent]) {
			return
		}
		list[i], list[parent] = list[parent], list[i]
		i = parent
	}
}

func (h *pairs) pop() pair {
	list := *h
	top := list[0]
	list[0] = list[len(list)-1]
	*h = list[:len(list)-1]
	(*h).sink(0)
	return top
}

func (h pairs) sink(i int) {
	for {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if child+1 < len(h) && h[child+1].before(h[child]) {
			child++
		}
		if !h[child].before(h[i]) {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}
