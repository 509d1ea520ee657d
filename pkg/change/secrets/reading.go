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

// carry finds the keywords of the plain form: those of the text that no step is in, and those around the steps, as far
// as they have one of some pairs of bytes there.
func (p *reading) carry(x *index, sights sightList, pairs *pairSet) {
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
	kept := len(p.sights)
	searched := 0
	for _, s := range p.steps {
		if s.to+s.size+x.longest <= searched || !pairs.isAround(p.plain, s.to, s.to+s.size) {
			continue
		}
		from := max(searched-x.longest, s.to-x.longest, 0)
		searched = min(s.to+s.size+x.longest, len(p.plain))
		p.sights = x.appendSights(p.sights, p.plain[from:searched], from)
	}
	if len(p.sights) > kept {
		p.sights.sort()
		p.sights = slices.Compact(p.sights)
	}
}

// A pairSet has the pairs of bytes that follow each other in keywords. Case does not count.
type pairSet [256 * 256 / 64]uint64

func pairOf(first, second byte) (word, bit int) {
	pair := int(first|0x20)<<8 | int(second|0x20)
	return pair / 64, pair % 64
}

func (s *pairSet) add(text string) {
	for i := 1; i < len(text); i++ {
		word, bit := pairOf(text[i-1], text[i])
		s[word] |= 1 << bit
	}
}

// isAround reports whether a keyword may have bytes from start to end, or go on over a place between two bytes. Then
// one of the pairs there is in it.
func (s *pairSet) isAround(text []byte, start, end int) bool {
	for i := max(start, 1); i <= end && i < len(text); i++ {
		if word, bit := pairOf(text[i-1], text[i]); s[word]>>bit&1 != 0 {
			return true
		}
	}
	return false
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
