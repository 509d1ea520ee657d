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
	marks  marks

	isMeasured bool
	widest     int    // width of a line
	wide       []span // lines that may have been broken
}

var pages = sync.Pool{New: func() any { return new(page) }}

// open begins a page.
func (p *page) open(text []byte) {
	p.text, p.sights, p.isMeasured = text, p.sights[:0], false
	p.marks = marks{
		backslash: bytes.IndexByte(text, '\\') >= 0, percent: bytes.IndexByte(text, '%') >= 0,
		plus: bytes.IndexByte(text, '+') >= 0, ampersand: bytes.IndexByte(text, '&') >= 0,
	}
}

// marks say which characters a text has that something encoded begins with.
type marks struct{ backslash, percent, plus, ampersand bool }

// A reading is a page as one view reads it. What follows from the text stays true: its keywords are the keywords of the
// plain form too, apart from those at the steps, and only there the plain form is searched.
type reading struct {
	plain page
	steps []step
}

// A step is a place at which something is encoded.
type step struct {
	at, n int    // in the text
	plain string // what it stands for
	to    int    // in the plain form
}

var readings = sync.Pool{New: func() any { return new(reading) }}

// release gives the buffers back, unless they are large.
func (r *reading) release() {
	if cap(r.plain.text) <= maxBuffer {
		readings.Put(r)
	}
}

// read makes the plain form of a page from its steps.
func (r *reading) read(p *page) {
	plain, from := slices.Grow(r.plain.text[:0], len(p.text)), 0 // nothing is longer when it is plain
	for i := range r.steps {
		s := &r.steps[i]
		plain = append(plain, p.text[from:s.at]...)
		s.to = len(plain)
		plain = append(plain, s.plain...)
		from = s.at + s.n
	}
	r.plain.open(append(plain, p.text[from:]...))
}

// mayLead is a look, before a page with broken lines is read, whether anything leads to a secret that one of its lines
// breaks: a keyword that goes on in the next line, or one that is near. A marked key has no spaces, so the keyword of a
// broken one is in the word before the line end.
func (r *reading) mayLead(x *index, p *page, onlyMarked bool) bool {
	grams, next := &x.all, 0
	if onlyMarked {
		grams = &x.marked
	}
	for _, s := range r.steps {
		if x.hasOver(grams, p.text[:s.at], p.text[s.at+s.n:]) {
			return true
		}
		for next < len(p.sights) && p.sights[next].at < s.at {
			next++
		}
		if !onlyMarked {
			if next > 0 && s.at-p.sights[next-1].at < maxLength || next < len(p.sights) && p.sights[next].at-s.at < leftWindow {
				return true
			}
			continue
		}
		for i := next - 1; i >= 0 && isSolidWord(p.text[p.sights[i].at:s.at]); i-- {
			if p.sights[i].keyword.isMarked {
				return true
			}
		}
	}
	return false
}

// isSolidWord reports whether a text is one word.
func isSolidWord(text []byte) bool {
	return bytes.IndexByte(text, ' ') < 0 && bytes.IndexByte(text, '\n') < 0
}

// hasOver reports whether a keyword with some grams goes on from the end of a text to the beginning of another.
func (x *index) hasOver(grams *gramSet, before, after []byte) (has bool) {
	var room [4]byte
	around := append(append(room[:0], before[max(0, len(before)-2):]...), after[:min(len(after), 2)]...)
	if !grams.isAround(around, 0, len(around)) {
		return false
	}
	before, after = before[max(0, len(before)-x.longest):], after[:min(len(after), x.longest)]
	joined := append(append(make([]byte, 0, 2*x.longest), before...), after...)
	x.each(joined, func(k *keyword, at int) bool {
		has = (k.isMarked || grams == &x.all) && at < len(before) && at+len(k.text) > len(before)
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
			shift = r.steps[next].to + len(r.steps[next].plain) - r.steps[next].at - r.steps[next].n
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
		if s.to+len(s.plain)+x.longest <= searched || !x.all.isAround(plain, s.to, s.to+len(s.plain)) {
			continue
		}
		from := max(searched-x.longest, s.to-x.longest, 0)
		searched = min(s.to+len(s.plain)+x.longest, len(plain))
		carried = x.appendSights(carried, plain[from:searched], from)
	}
	if len(carried) > kept {
		carried.sort()
		carried = slices.Compact(carried)
	}
	r.plain.sights = carried
}

// isAround reports whether a keyword may have bytes from start to end, or go on over a place between two bytes. Then
// three bytes of it are in the set.
func (s *gramSet) isAround(text []byte, start, end int) bool {
	for i := max(start, 2); i <= end+1 && i < len(text); i++ {
		if s.has(gramAt(text, i-2)) {
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
			if at < s.to+len(s.plain) { // inside of what is encoded
				return s.at + s.n
			}
			shift = s.at + s.n - s.to - len(s.plain)
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
		list = append(list, sight{k, from + at})
		return true
	})
	list[first:].sort()
	return list
}
