package tokens

import (
	"runtime"
	"slices"
	"sync"
)

// A long text is cut into segments that are counted at the same time. Most end with a piece, so that their pieces are
// the same without the text around them. A piece that is longer than two segments is cut too: there, a segment goes
// beyond the beginning of the next one, and both are joined there.
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
func (e *Encoding) countParallel(text string) int {
	var tokens int
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

// eachSegment cuts a text into segments. It splits only the text of those for which it finds no cut.
func (e *Encoding) eachSegment(text string, yield func(*segmentJob)) {
	for start := 0; start < len(text); {
		at := cutAfter(text, start+segment)
		if at < 0 {
			at = e.splitSegment(text, start, yield)
		} else {
			yield(&segmentJob{start: start, end: at, count: 1})
		}
		start = at
	}
}

// cutAfter returns the first place at or near an index where every splitter ends a piece, or -1 if there is none: after
// a letter or a number, and before white space or a sign that begins no contraction.
func cutAfter(text string, from int) int {
	if from >= len(text) {
		return len(text)
	}
	for i := from; i < min(from+join, len(text)); i++ {
		if asciiClasses[text[i-1]]&(letter|number) != 0 && text[i] != '\'' {
			if c, _ := at(text, i); c&(white|other) != 0 {
				return i
			}
		}
	}
	return -1
}

// splitSegment yields a segment that ends with a piece, or the segments of a piece that is too long, and returns where
// they end.
func (e *Encoding) splitSegment(text string, start int, yield func(*segmentJob)) int {
	at, end := start, start
	for end-start < segment && end < len(text) {
		at, end = end, e.split(text, end)
	}
	if end-at < 2*segment {
		yield(&segmentJob{start: start, end: end, count: 1})
		return end
	}
	if start < at {
		yield(&segmentJob{start: start, end: at, count: 1})
	}
	for _, j := range segmentsOf(bytesOf(validText(text[at:end]))) {
		yield(j)
	}
	return end
}

// runSegments counts segments as they come.
func (e *Encoding) runSegments(text string, queue <-chan *segmentJob) {
	w := e.worker()
	defer e.workers.Put(w)
	for j := range queue {
		if j.piece == nil {
			j.tokens = e.countPieces(w, text[j.start:j.end])
		} else {
			j.run(w)
		}
	}
}

// segmentsOf cuts a piece.
func segmentsOf(piece []byte) []*segmentJob {
	var jobs []*segmentJob
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
	j.tokens = w.merger.tokenize(j.piece[j.start:j.end], func(end int) {
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

// joinSegments returns the number of tokens of a piece. If two segments do not fit together, it counts the second one
// again from a place where the first one ends a token. If that does not help, it counts the piece as a whole.
func (w *worker) joinSegments(jobs []*segmentJob) int {
	tokens, left := 0, jobs[0]
	for _, right := range jobs[1:] {
		before, after, ok := w.fit(left, right)
		if !ok {
			right = left.continued(right.end)
			right.run(w)
			before, after, ok = w.fit(left, right)
		}
		if !ok {
			return w.merger.count(left.piece)
		}
		tokens += before - after // what the segments have up to the place where they are joined
		left = right
	}
	return tokens + left.tokens
}

// continued returns a segment that begins where one of the last tokens of another one ends.
func (j *segmentJob) continued(end int) *segmentJob {
	last, _ := slices.BinarySearch(j.ends, j.end-join)
	return &segmentJob{piece: j.piece, start: j.ends[last], end: end, count: j.count}
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
	if len(a)+len(b) > 2*w.merger.table.longest {
		return false // what is between two ends that do not follow each other
	}
	both := append(append(make([]byte, 0, len(a)+len(b)), a...), b...)
	return w.merger.merge(both) == 2 && int(w.merger.spans[0].size) == len(a)
}
