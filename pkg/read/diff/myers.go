package diff

// A script says which elements of two lists differ. It is found with Myers' algorithm in linear space: the middle of a
// shortest script splits the lists, and both halves are compared in turn.
type script struct {
	a, b     []int32
	deleted  []bool
	inserted []bool
	forward  []int32 // how far a path reaches in a, by its diagonal
	backward []int32
	steps    int // that are left
}

// Limits of the search. Lists that need more steps are replaced as a whole where the search ended.
const (
	leastSteps      = 1 << 17
	mostSteps       = 1 << 22
	stepsPerElement = 16
)

func newScript(a, b []int32) *script {
	size := 2*(len(a)+len(b)) + 3
	s := &script{a: a, b: b, deleted: make([]bool, len(a)), inserted: make([]bool, len(b)),
		steps: min(max(leastSteps, stepsPerElement*(len(a)+len(b))), mostSteps)}
	s.forward, s.backward = make([]int32, size), make([]int32, size)
	s.compare(box{0, len(a), 0, len(b)})
	return s
}

// A box is a part of both lists: a[left:right] and b[top:bottom].
type box struct{ left, right, top, bottom int }

func (s *script) compare(x box) {
	for x.left < x.right && x.top < x.bottom && s.a[x.left] == s.b[x.top] {
		x.left, x.top = x.left+1, x.top+1
	}
	for x.left < x.right && x.top < x.bottom && s.a[x.right-1] == s.b[x.bottom-1] {
		x.right, x.bottom = x.right-1, x.bottom-1
	}
	if x.left == x.right || x.top == x.bottom {
		s.replace(x)
		return
	}
	i, j, ok := s.middle(x)
	if !ok {
		s.replace(x)
		return
	}
	s.compare(box{x.left, i, x.top, j})
	s.compare(box{i, x.right, j, x.bottom})
}

// replace marks everything in a box.
func (s *script) replace(x box) {
	for i := x.left; i < x.right; i++ {
		s.deleted[i] = true
	}
	for j := x.top; j < x.bottom; j++ {
		s.inserted[j] = true
	}
}

// middle returns a point on a shortest path through a box, about half of its edits away from both ends. ok is false if
// the steps do not suffice.
func (s *script) middle(x box) (i, j int, ok bool) {
	width, height := x.right-x.left, x.bottom-x.top
	delta := width - height
	center := width + height + 1 // the index of the diagonal 0
	s.forward[center+1], s.backward[center+1] = 0, 0
	for d := 0; d <= (width+height+1)/2; d++ {
		if s.steps -= 2 * (d + 1); s.steps < 0 {
			return 0, 0, false
		}
		for k := -d; k <= d; k += 2 {
			at := s.reach(s.forward, center, k, d, func(u, v int) bool { return s.a[x.left+u] == s.b[x.top+v] }, x)
			other := delta - k
			if delta%2 != 0 && other >= -(d-1) && other <= d-1 && at+int(s.backward[center+other]) >= width {
				return x.left + at, x.top + at - k, true
			}
		}
		for k := -d; k <= d; k += 2 {
			same := func(u, v int) bool { return s.a[x.right-1-u] == s.b[x.bottom-1-v] }
			at := s.reach(s.backward, center, k, d, same, x)
			other := delta - k
			if delta%2 == 0 && other >= -d && other <= d && at+int(s.forward[center+other]) >= width {
				return x.right - at, x.bottom - (at - k), true
			}
		}
	}
	return 0, 0, false
}

// reach extends the path with d edits on the diagonal k, and returns how far it reaches.
func (s *script) reach(ends []int32, center, k, d int, same func(u, v int) bool, x box) int {
	var u int
	if k == -d || k != d && ends[center+k-1] < ends[center+k+1] {
		u = int(ends[center+k+1])
	} else {
		u = int(ends[center+k-1]) + 1
	}
	start := u
	for v := u - k; u < x.right-x.left && v < x.bottom-x.top && v >= 0 && same(u, v); v++ {
		u++
	}
	s.steps -= u - start
	ends[center+k] = int32(u)
	return u
}
