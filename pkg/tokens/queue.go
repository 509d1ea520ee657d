package tokens

import (
	"math/bits"
	"slices"
)

// A pair is a rank and, below it, the start of a pair of this rank. The lowest pair is the next to merge.
type pair uint64

func pairAt(start int, rank int32) pair { return pair(rank)<<32 | pair(start) }
func (p pair) rank() int32              { return int32(p >> 32) }
func (p pair) start() int               { return int(uint32(p)) }

// A pairQueue returns pairs in order. It is quick because new pairs nearly always rank higher than the pair that has
// merged last: they wait in groups of similar rank, and a group is only sorted when its turn comes. Pairs of the
// current group that come later are in a heap.
type pairQueue struct {
	groups  [groups]int32 // the last pair of each group as an index of waiting, plus 1
	filled  [groups / 64]uint64
	waiting []waitingPair
	current int // the group in sorted and heap
	sorted  []pair
	next    int // the first pair of sorted that is left
	heap    pairHeap
}

// A waitingPair has the index of the one before it in its group, plus 1.
type waitingPair struct {
	pair
	before int32
}

// The groups of the first 256 ranks have one rank each. From there, every power of two has 128 groups.
const groups = (rankBits - 6) << 7

func groupOf(rank int32) int {
	shift := max(0, bits.Len32(uint32(rank))-8)
	return shift<<7 + int(rank)>>shift
}

// begin empties the queue.
func (q *pairQueue) begin() {
	q.waiting, q.sorted, q.heap = q.waiting[:0], q.sorted[:0], q.heap[:0]
	q.current, q.next = -1, 0
	q.groups, q.filled = [groups]int32{}, [groups / 64]uint64{}
}

// push adds a pair.
func (q *pairQueue) push(p pair) {
	group := groupOf(p.rank())
	if group <= q.current {
		q.heap.push(p)
		return
	}
	q.waiting = append(q.waiting, waitingPair{p, q.groups[group]})
	q.groups[group] = int32(len(q.waiting))
	q.filled[group/64] |= 1 << (group % 64)
}

// pop removes and returns the lowest pair. It returns false if there is none.
func (q *pairQueue) pop() (pair, bool) {
	if q.next == len(q.sorted) && len(q.heap) == 0 && !q.advance() {
		return 0, false
	}
	if len(q.heap) > 0 && !(q.next < len(q.sorted) && q.sorted[q.next] < q.heap[0]) {
		return q.heap.pop(), true
	}
	q.next++
	return q.sorted[q.next-1], true
}

// advance makes the next group current. It returns false if no pairs wait.
func (q *pairQueue) advance() bool {
	for i := max(q.current, 0) / 64; i < len(q.filled); i++ {
		if q.filled[i] != 0 {
			q.current = 64*i + bits.TrailingZeros64(q.filled[i])
			q.filled[i] &= q.filled[i] - 1
			q.sort()
			return true
		}
	}
	return false
}

// sort sorts the current group.
func (q *pairQueue) sort() {
	q.sorted, q.next = q.sorted[:0], 0
	for i := q.groups[q.current]; i > 0; i = q.waiting[i-1].before {
		q.sorted = append(q.sorted, q.waiting[i-1].pair)
	}
	slices.Reverse(q.sorted) // into the order in which they came, which is often sorted
	slices.Sort(q.sorted)
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
