package secrets

import (
	"cmp"
	"slices"
	"sync"
)

// A reading is the plain form of a text as one view reads it. What follows from the text stays true: its keywords are
// the keywords of the plain form too, apart from those at the steps, and only there the plain form is searched.
type reading struct {
	plain  []byte
	steps  []step
	sights sightList // of the plain form
}

// A step is a place at which something is encoded.
type step struct {
	at, n    int // in the text
	to, size int // in the plain form
}

var readings = sync.Pool{New: func() any { return new(reading) }}

// release gives the buffers back, unless they are large.
func (p *reading) release() {
	if cap(p.plain) <= maxBuffer {
		readings.Put(p)
	}
}

// open reads a text. There are no steps if it is its own plain form.
func (p *reading) open(v *view, text []byte) {
	p.plain, p.steps = slices.Grow(p.plain[:0], len(text)), p.steps[:0] // nothing is longer when it is plain
	from := 0
	v.each(text, func(at, n int, decoded string) {
		p.plain = append(p.plain, text[from:at]...)
		p.steps = append(p.steps, step{at, n, len(p.plain), len(decoded)})
		p.plain = append(p.plain, decoded...)
		from = at + n
	})
	if len(p.steps) > 0 {
		p.plain = append(p.plain, text[from:]...)
	}
}

// carry finds the keywords of the plain form: those of the text that no step is in, and those around the steps.
func (p *reading) carry(x *index, sights sightList) {
	p.sights = p.sights[:0]
	next, shift := 0, 0
	for _, s := range sights {
		for next < len(p.steps) && p.steps[next].at < s.at {
			shift = p.steps[next].to + p.steps[next].size - p.steps[next].at - p.steps[next].n
			next++
		}
		isCut := next < len(p.steps) && p.steps[next].at < s.at+len(s.keyword.text) ||
			next > 0 && p.steps[next-1].at+p.steps[next-1].n > s.at
		if !isCut {
			p.sights = append(p.sights, sight{s.keyword, s.at + shift})
		}
	}
	for i := 0; i < len(p.steps); {
		from, end := p.steps[i].to-x.longest, 0
		for i < len(p.steps) && (end == 0 || p.steps[i].to-x.longest < end) {
			end = p.steps[i].to + p.steps[i].size + x.longest
			i++
		}
		from, end = max(0, from), min(len(p.plain), end)
		p.sights = x.appendSights(p.sights, p.plain[from:end], from)
	}
	p.sights.sort()
	p.sights = slices.Compact(p.sights)
}

// back returns where matches in the plain form are in the text itself.
func (p *reading) back(matches []Match) []Match {
	next, shift := 0, 0
	place := func(at int) int { // in order
		for next < len(p.steps) && p.steps[next].to < at {
			s := p.steps[next]
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

var sightLists = sync.Pool{New: func() any { return new(sightList) }}

func (l sightList) sort() {
	slices.SortFunc(l, func(a, b sight) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.keyword.text, b.keyword.text))
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
