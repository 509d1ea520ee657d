package search

import (
	"bytes"
	"slices"
	"strconv"

	"clawctl/internal/pairs"
	"clawctl/pkg/jsonl"
)

// A sieve finds the lines that may match a query by their raw bytes.
type sieve struct {
	everything bool // every line may match
	any        []needle
	hasMore    bool     // a needle requires more of its line
	and        []*sieve // what else every line must have
	disguises  []needle // characters outside ASCII that equal an ASCII letter of a needle
}

// sieve returns the sieve of the query.
func (q *Query) sieve() *sieve {
	var needles []needle
	everything := q.Invert
	for _, t := range q.Any {
		everything = everything || len(t.filter.needles) == 0
		needles = append(needles, t.filter.needles...)
	}
	s := newSieve(needles)
	s.everything = everything || len(needles) == 0
	if q.Invert {
		return s
	}
	for _, t := range q.And {
		if len(t.filter.needles) > 0 {
			s.and = append(s.and, newSieve(t.filter.needles))
		}
	}
	return s
}

// newSieve returns a sieve that finds the lines with one of the needles.
func newSieve(needles []needle) *sieve {
	s := &sieve{any: needles, disguises: disguisesOf(needles)}
	for _, n := range needles {
		s.hasMore = s.hasMore || len(n.also) > 0
	}
	return s
}

// disguisesOf returns the characters that a needle in ASCII letters equals although none of its bytes is there.
func disguisesOf(needles []needle) (list []needle) {
	for letter, other := range disguises {
		if slices.ContainsFunc(needles, func(n needle) bool { return n.Fold && bytes.IndexByte(n.Text, letter) >= 0 }) {
			list = append(list, newNeedle([]rune(other), false))
		}
	}
	return list
}

// each calls yield with the start and the end of every line of a chunk that may match, without its line end. A chunk
// consists of whole lines.
func (s *sieve) each(chunk []byte, yield func(start, end int) bool) {
	if s.everything {
		s.eachLine(chunk, yield)
		return
	}
	c := s.cursor(chunk)
	for from := 0; from < len(chunk); {
		at := c.next(from)
		if at < 0 {
			return
		}
		start := jsonl.LastNewline(chunk[:at]) + 1
		end := lineEnd(chunk, at)
		if s.passes(chunk[start:end]) && !yield(start, end) {
			return
		}
		from = end + 1
	}
}

func (s *sieve) eachLine(chunk []byte, yield func(start, end int) bool) {
	for start := 0; start < len(chunk); {
		end := lineEnd(chunk, start)
		if s.passes(chunk[start:end]) && !yield(start, end) {
			return
		}
		start = end + 1
	}
}

func lineEnd(chunk []byte, from int) int {
	if end := bytes.IndexByte(chunk[from:], '\n'); end >= 0 {
		return from + end
	}
	return len(chunk)
}

// mayMatch reports whether a text without line ends may match.
func (s *sieve) mayMatch(text []byte) bool {
	return (s.everything || s.cursor(text).next(0) >= 0) && s.passes(text)
}

// passes reports whether a line has everything else that the query requires.
func (s *sieve) passes(line []byte) bool {
	for _, other := range s.and {
		if !other.mayMatch(line) {
			return false
		}
	}
	return s.everything || !s.hasMore || slices.ContainsFunc(s.any, func(n needle) bool { return n.passes(line) })
}

// passes reports whether a line has a needle and what it requires besides, or may hide them.
func (n *needle) passes(line []byte) bool {
	alone := *n
	alone.also = nil
	return newSieve([]needle{alone}).mayMatch(line) &&
		!slices.ContainsFunc(n.also, func(other *sieve) bool { return !other.mayMatch(line) })
}

// A cursor finds what a sieve looks for in a chunk, in order. It searches the chunk once for everything.
type cursor struct {
	sieve *sieve
	chunk []byte
	found []int // the next place of every needle and every disguise; an escape counts as the first needle
}

func (s *sieve) cursor(chunk []byte) *cursor {
	c := &cursor{sieve: s, chunk: chunk, found: make([]int, len(s.any)+len(s.disguises))}
	for i := range c.found {
		c.found[i] = -1
	}
	return c
}

// next returns the first place at or after an index, or -1.
func (c *cursor) next(from int) int {
	first := len(c.chunk)
	for i, at := range c.found {
		if at < from {
			at = c.search(i, from)
			c.found[i] = at
		}
		first = min(first, at)
	}
	if first == len(c.chunk) {
		return -1
	}
	return first
}

// search looks for one thing. It returns the length of the chunk if there is no more.
func (c *cursor) search(i, from int) int {
	at := -1
	switch {
	case i == 0:
		at = c.nextOrEscape(from)
	case i < len(c.sieve.any):
		at = c.sieve.any[i].Next(c.chunk, from)
	default:
		at = c.sieve.disguises[i-len(c.sieve.any)].Next(c.chunk, from)
	}
	if at < 0 {
		return len(c.chunk)
	}
	return at
}

// escapeStart begins the escape of a character by its number.
var escapeStart = pairs.Pair{'\\', 'u'}

// mayHaveSurrogate reports whether a string in JSON has an escape that may be half of a character.
func mayHaveSurrogate(text []byte) bool {
	for {
		at := escapeStart.Index(text)
		if at < 0 || at+2 == len(text) {
			return false
		}
		if pairs.Lower(text[at+2]) == 'd' {
			return true
		}
		text = text[at+2:]
	}
}

// nextOrEscape returns the next place of the first needle, or of a \u escape that may hide a character of any needle.
// It returns -1 if there is none.
func (c *cursor) nextOrEscape(from int) int {
	first := &c.sieve.any[0]
	for from < len(c.chunk) {
		at := first.MayBeAt(c.chunk[from:], escapeStart)
		if at < 0 {
			break
		}
		from += at
		if first.IsAt(c.chunk[from:]) || c.mayHideAt(from) {
			return from
		}
		from++
	}
	for from = max(from, len(c.chunk)-len(first.Text)); from < len(c.chunk); from++ { // where the needle does not fit
		if c.mayHideAt(from) {
			return from
		}
	}
	return -1
}

// mayHideAt reports whether a \u escape at an index may hide a character of a needle. Half of a surrogate pair may hide
// any character that takes two of them.
func (c *cursor) mayHideAt(at int) bool {
	if at+6 > len(c.chunk) || pairs.Pair(c.chunk[at:]) != escapeStart {
		return false
	}
	code, err := strconv.ParseUint(string(c.chunk[at+2:at+6]), 16, 32)
	return err == nil && c.sieve.mayHide(rune(code))
}

func (s *sieve) mayHide(r rune) bool {
	for i := range s.any {
		n := &s.any[i]
		if n.hides(r) || r >= 0xd800 && r < 0xe000 && n.hidden[len(n.hidden)-1] > 0xffff {
			return true
		}
	}
	return false
}
