package tokens

import (
	"runtime"
	"sync"
	"unsafe"
)

// A long text is cut into segments that are counted at the same time. Most end with a piece. A piece that is longer
// than two segments is cut too: there, a segment goes beyond the beginning of the next one, and both are joined there.
const (
	segment = 64 << 10
	join    = 2 << 10
)

// minParallel is the size of a text from which on several cores count it.
const minParallel = 2 * segment

// A segmentJob is a segment, and the result of counting.
type segmentJob struct {
	start, end int
	tokens     int
	piece      []byte // that the segment is a part of; nil for whole pieces. start and end are indexes of it.
	count      int    // of the segments of the piece
	// ends are the ends of tokens near the start and the end of the segment, as indexes of the piece, and seen says how
	// many tokens of the segment end there or before.
	ends, seen []int
}

// countParallel counts a long text on all cores. While it finds the segments, others count those before.
func (e *Encoding) countParallel(text string) (tokens int) {
	var jobs []*segmentJob
	queue := make(chan *segmentJob, len(text)/segment+1)
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() { e.runSegments(text, queue) })
	}
	e.eachSegment(text, func(j *segmentJob) {
		jobs = append(jobs, j)
		queue <- j
	})
	close(queue)
	group.Wait()
	w := e.worker()
	defer e.workers.Put(w)
	for len(jobs) > 0 {
		n := jobs[0].count
		tokens += w.joinSegments(jobs[:n])
		jobs = jobs[n:]
	}
	return tokens
}

// eachSegment cuts a text into segments.
func (e *Encoding) eachSegment(text string, yield func(*segmentJob)) {
	bytes := unsafe.Slice(unsafe.StringData(text), len(text))
	start := 0
	for at := 0; at < len(text); {
		end := e.split(text, at)
		if end-at >= 2*segment {
			if start < at {
				yield(&segmentJob{start: start, end: at, count: 1})
			}
			for _, j := range segmentsOf(bytes[at:end]) {
				yield(j)
			}
			start = end
		} else if end-start >= segment || end == len(text) {
			yield(&segmentJob{start: start, end: end, count: 1})
			start = end
		}
		at = end
	}
}

// runSegments counts segments as they come.
func (e *Encoding) runSegments(text string, queue <-chan *segmentJob) {
	w := e.worker()
	defer e.workers.Put(w)
	for j := range queue {
		if j.piece == nil {
			j.tokens = e.countPieces(w, text, j.start, j.end)
		} else {
			j.run(w)
		}
	}
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

// run counts a segment of a piece.
func (j *segmentJob) run(w *worker) {
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
	return w.merge(both) == 2 && int(w.spans[0].size) == len(a)
}
