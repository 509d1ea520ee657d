package tokens

import "slices"

// A pair is a rank and, below it, the start of a pair of this rank. The lowest pair is the next to merge.
type pair uint64

func pairAt(start int, rank int32) pair { return pair(rank)<<32 | pair(start) }
func (p pair) rank() int32              { return int32(p >> 32) }
func (p pair) start() int               { return int(uint32(p)) }

// A pairQueue returns pairs in order. Those of the beginning are sorted, and those that merges create come into a heap.
type pairQueue struct {
	sorted []pair
	next   int // the first pair of sorted that is left
	heap   pairHeap
}

// begin sorts the first pairs, which are in sorted.
func (q *pairQueue) begin() {
	slices.Sort(q.sorted)
	q.next = 0
}

// pop removes and returns the lowest pair. It returns false if there is none.
func (q *pairQueue) pop() (pair, bool) {
	left := q.next < len(q.sorted)
	switch {
	case len(q.heap) > 0 && !(left && q.sorted[q.next] < q.heap[0]):
		return q.heap.pop(), true
	case left:
		q.next++
		return q.sorted[q.next-1], true
	}
	return 0, false
}

// A pairHeap is a heap of pairs, the lowest on top.
type pairHeap []pair

func (h *pairHeap) push(p pair) {
	list := append(*h, p)
	i := len(list) - 1
	for ; i > 0 && p < list[(i-1)/2]; i = (i - 1) / 2 {
		list[i] = list[(i-1)/2]
	}
	list[i] = p
	*h = list
}

func (h *pairHeap) pop() pair {
	list, last := *h, len(*h)-1
	top, moved := list[0], list[last]
	*h = list[:last]
	if last > 0 {
		h.sink(0, moved)
	}
	return top
}

// sink puts a pair at i, or below if lower pairs are there.
func (h pairHeap) sink(i int, p pair) {
	for child := 2*i + 1; child < len(h); child = 2*i + 1 {
		if child+1 < len(h) && h[child+1] < h[child] {
			child++
		}
		if p <= h[child] {
			break
		}
		h[i], i = h[child], child
	}
	h[i] = p
}
