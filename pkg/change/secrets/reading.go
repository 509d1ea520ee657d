package secrets

import (
	"bytes"
	"cmp"
	"slices"
	"sync"
)

// A page is a text with what is known of it.
type page struct {
	text   []byte
	sights sightList

	isMeasured bool
	widest     int    // width of a line
	wide       []span // lines that may have been broken
}

var pages = sync.Pool{New: func() any { return new(page) }}

// open begins a page.
func (p *page) open(text []byte) {
	p.text, p.sights, p.isMeasured = text, p.sights[:0], false
}

// A reading is a page as one view reads it. What follows from the text stays true: its keywords are the keywords of the
// plain form too, apart from those at the steps, and only there the plain form is searched.
type reading struct {
	plain page
	steps []step
}

// A step is a place at which something is encoded.
type step struct {
	at, n    int // in the text
	to, size int // in the plain form
}

var readings = sync.Pool{New: func() any { return new(reading) }}

// release gives the buffers back, unless they are large.
func (r *reading) release() {
	if cap(r.plain.text) <= maxBuffer {
		readings.Put(r)
	}
}

// read reads a page. There are no steps if its text is its own plain form.
func (r *reading) read(v *view, p *page) {
	plain, from := r.plain.text[:0], 0
	r.steps = r.steps[:0]
	v.each(p, func(at, n int, decoded string) {
		if from == 0 {
			plain = slices.Grow(plain, len(p.text)) // nothing is longer when it is plain
		}
		plain = append(plain, p.text[from:at]...)
		r.steps = append(r.steps, step{at, n, len(plain), len(decoded)})
		plain = append(plain, decoded...)
		from = at + n
	})
	if len(r.steps) > 0 {
		plain = append(plain, p.text[from:]...)
	}
	r.plain.open(plain)
}

// mayMark is a look, before a page is read, whether a marked key may have a step in it: then its keyword has, or is in
// the word before the step, because marked keys have no spaces. The steps of the view stand for nothing.
func (v *view) mayMark(x *index, p *page) bool {
	may, next := false, 0
	v.each(p, func(at, n int, _ string) {
		if may = may || x.hasMarkOver(p.text[:at], p.text[at+n:]); may {
			return
		}
		for next < len(p.sights) && p.sights[next].at < at {
			next++
		}
		for i := next - 1; i >= 0 && isSolidWord(p.text[p.sights[i].at:at]); i-- {
			may = may || p.sights[i].keyword.isMarked
		}
	})
	return may
}

// isSolidWord reports whether a text is one word.
func isSolidWord(text []byte) bool {
	return bytes.IndexByte(text, ' ') < 0 && bytes.IndexByte(text, '\n') < 0
}

// hasMarkOver reports whether a keyword that marked keys begin with goes on from the end of a text to the beginning of
// another.
func (x *index) hasMarkOver(before, after []byte) (has bool) {
	var room [4]byte
	around := append(append(room[:0], before[max(0, len(before)-2):]...), after[:min(len(after), 2)]...)
	if !x.markedTriples.isAround(around, 0, len(around)) {
		return false
	}
	before, after = before[max(0, len(before)-x.longest):], after[:min(len(after), x.longest)]
	joined := append(append(make([]byte, 0, 2*x.longest), before...), after...)
	x.each(joined, func(k *keyword, at int) bool {
		has = k.isMarked && at < len(before) && at+len(k.text) > len(before)
		return !has
	})
	return has
}

// carry finds the keywords of the plain form: those of the text that no step is in, and those around the steps.
func (r *reading) carry(x *index, sights sightList) {
	carried := r.plain.sights[:0]
	next, shift := 0, 0
	for _, s := range sights {
		for next < len(r.steps) && r.steps[next].at < s.at {
			shift = r.steps[next].to + r.steps[next].size - r.steps[next].at - r.steps[next].n
			next++
		}
		isCut := next < len(r.steps) && r.steps[next].at < s.at+len(s.keyword.text) ||
			next > 0 && r.steps[next-1].at+r.steps[next-1].n > s.at
		if !isCut {
			carried = append(carried, sight{s.keyword, s.at + shift})
		}
	}
	kept, searched, plain := len(carried), 0, r.plain.text
	for _, s := range r.steps {
		if s.to+s.size+x.longest <= searched || !x.triples.isAround(plain, s.to, s.to+s.size) {
			continue
		}
		from := max(searched-x.longest, s.to-x.longest, 0)
		searched = min(s.to+s.size+x.longest, len(plain))
		carried = x.appendSights(carried, plain[from:searched], from)
	}
	if len(carried) > kept {
		carried.sort()
		carried = slices.Compact(carried)
	}
	r.plain.sights = carried
}

// A tripleSet has the bytes that follow each other in keywords, three at a time. Case does not count, and a few others
// may seem to be in it.
type tripleSet [1 << tripleBits / 64]uint64

const tripleBits = 16

func tripleOf(a, b, c byte) (word, bit uint32) {
	const multiplier = 0x9e3779b1
	slot := (uint32(a) | uint32(b)<<8 | uint32(c)<<16 | foldCase) * multiplier >> (32 - tripleBits)
	return slot / 64, slot % 64
}

func (s *tripleSet) add(text string) {
	for i := 2; i < len(text); i++ {
		word, bit := tripleOf(text[i-2], text[i-1], text[i])
		s[word] |= 1 << bit
	}
}

// isAround reports whether a keyword may have bytes from start to end, or go on over a place between two bytes. Then
// three bytes of it are in the set.
func (s *tripleSet) isAround(text []byte, start, end int) bool {
	for i := max(start, 2); i <= end+1 && i < len(text); i++ {
		if word, bit := tripleOf(text[i-2], text[i-1], text[i]); s[word]>>bit&1 != 0 {
			return true
		}
	}
	return false
}

// back returns where matches in the plain form are in the text itself.
func (r *reading) back(matches []Match) []Match {
	next, shift := 0, 0
	place := func(at int) int { // in order
		for next < len(r.steps) && r.steps[next].to < at {
			s := r.steps[next]
			if at < s.to+s.size { // inside of what is encoded
				return s.at + s.n
			}
			shift = s.at + s.n - s.to - s.size
			next++
		}
		return at + shift
	}
	for i := range matches {
		matches[i].Start = place(matches[i].Start)
		matches[i].End = place(matches[i].End)
	}
	return matches
}

// A sight is a keyword in a text that leads to rules.
type sight struct {
	keyword *keyword
	at      int
}

// A sightList has the keywords of a text in order.
type sightList []sight

func (l sightList) sort() {
	slices.SortFunc(l, func(a, b sight) int {
		if a.at != b.at {
			return cmp.Compare(a.at, b.at)
		}
		return cmp.Compare(a.keyword.text, b.keyword.text)
	})
}

// appendSights adds the keywords in a part of a text, in order.
func (x *index) appendSights(list sightList, part []byte, from int) sightList {
	first := len(list)
	x.each(part, func(k *keyword, at int) bool {
		if len(k.rules) > 0 {
			list = append(list, sight{k, from + at})
		}
		return true
	})
	list[first:].sort()
	return list
}
