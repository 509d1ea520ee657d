package tokens

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// A long piece is cut into segments that are counted at the same time. A segment goes beyond the beginning of the next
// one, and both are joined there.
const (
	segment = 64 << 10
	join    = 2 << 10
)

// minParallel is the size of long pieces from which on several cores count them.
const minParallel = 2 * segment

// countLong counts long pieces, on several cores if there is enough to do.
func (e *Encoding) countLong(w *worker, pieces [][]byte) (tokens int) {
	size := 0
	for _, p := range pieces {
		size += len(p)
	}
	if size < minParallel || runtime.GOMAXPROCS(0) == 1 {
		for _, p := range pieces {
			tokens += w.unknown(p)
		}
		return tokens
	}
	jobs := jobsFor(pieces)
	e.runSegments(jobs)
	for len(jobs) > 0 {
		n := jobs[0].count
		tokens += w.joinSegments(jobs[:n])
		jobs = jobs[n:]
	}
	return tokens
}

// jobsFor cuts very long pieces into segments, and puts others together.
func jobsFor(pieces [][]byte) (jobs []*segmentJob) {
	var shared *segmentJob
	for _, p := range pieces {
		if len(p) >= 2*segment {
			jobs = append(jobs, segmentsOf(p)...)
			continue
		}
		if shared == nil || shared.end >= segment {
			shared = &segmentJob{count: 1}
			jobs = append(jobs, shared)
		}
		shared.pieces = append(shared.pieces, p)
		shared.end += len(p)
	}
	return jobs
}

// A segmentJob is a segment of a piece, or pieces of the size of a segment together, and the result of counting.
type segmentJob struct {
	pieces     [][]byte // whole ones, or none
	piece      []byte
	start, end int // of the segment in the piece; end is the size of whole pieces
	count      int // of the segments of the piece
	tokens     int
	// ends are the ends of tokens near the start and the end of the segment, as indexes of the piece, and seen says how
	// many tokens of the segment end there or before.
	ends, seen []int
}

// segmentsOf cuts a piece.
func segmentsOf(piece []byte) (jobs []*segmentJob) {
	count := len(piece) / segment
	for i := range count {
		j := &segmentJob{piece: piece, start: i * segment, end: (i+1)*segment + join, count: count}
		if i == count-1 {
			j.end = len(piece)
		}
		jobs = append(jobs, j)
	}
	return jobs
}

// runSegments counts the segments on all cores.
func (e *Encoding) runSegments(jobs []*segmentJob) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(jobs)) {
		group.Go(func() {
			w := e.worker()
			defer e.workers.Put(w)
			for i := int(next.Add(1)) - 1; i < len(jobs); i = int(next.Add(1)) - 1 {
				jobs[i].run(w)
			}
		})
	}
	group.Wait()
}

// run counts a segment. Whole pieces need no ends.
func (j *segmentJob) run(w *worker) {
	if j.count == 1 {
		for _, p := range j.pieces {
			j.tokens += w.unknown(p)
		}
		return
	}
	seen := 0
	j.tokens = w.tokenize(j.piece[j.start:j.end], func(end int) {
		if end == 0 {
			seen, j.ends, j.seen = 0, nil, nil
			return
		}
		seen++
		if at := j.start + end; end <= join || at >= j.end-join {
			j.ends, j.seen = append(j.ends, at), append(j.seen, seen)
		}
	})
}

// joinSegments returns the number of tokens of a piece. It counts the piece as a whole if two segments do not fit
// together.
func (w *worker) joinSegments(jobs []*segmentJob) int {
	tokens := 0
	for i := range len(jobs) - 1 {
		left, right, ok := w.fit(jobs[i], jobs[i+1])
		if !ok {
			return w.count(jobs[0].piece)
		}
		tokens += left - right // what the segments have up to the place where they are joined
	}
	return tokens + jobs[len(jobs)-1].tokens
}

// fit finds a place where both segments end a token, and where the tokens beside it stay apart when they are merged
// alone. Cutting there is exact: see merger.count. It returns how many tokens both have before it.
func (w *worker) fit(left, right *segmentJob) (before, after int, ok bool) {
	for l, r := 0, 0; l+1 < len(left.ends) && r+1 < len(right.ends); {
		switch at, other := left.ends[l], right.ends[r]; {
		case at < other:
			l++
		case at > other:
			r++
		default:
			if l > 0 && w.staysApart(left.piece[left.ends[l-1]:at], right.piece[at:right.ends[r+1]]) {
				return left.seen[l], right.seen[r], true
			}
			l++
		}
	}
	return 0, 0, false
}

// staysApart reports whether two tokens do not merge with each other.
func (w *worker) staysApart(a, b []byte) bool {
	if len(a)+len(b) > 2*w.longest {
		return false // what is between two ends that do not follow each other
	}
	both := append(append(make([]byte, 0, len(a)+len(b)), a...), b...)
	return w.merge(both) == 2 && int(w.sizes[0]) == len(a)
}
