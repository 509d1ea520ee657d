package rank

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"
)

// Weigh looks for the words of the query in a text.
func (q *Query) Weigh(text string) Weight {
	var w Weight
	for start, end := range Sentences(text) {
		s := q.weighSentence(text, start, end)
		w.Length += s.length
		if s.mask != 0 {
			w.Mask |= s.mask
			w.keep(s)
		}
	}
	return w
}

// weighSentence looks for the words of the query in a sentence.
func (q *Query) weighSentence(text string, start, end int) sentence {
	s := sentence{start: start, end: end}
	eachWord(text[start:end], func(w word) {
		s.length++
		s.mask |= q.bitOf(w)
	})
	return s
}

// bitOf returns the bit of a word of the query, or 0. Few words begin like one of them, and only those are stemmed.
func (q *Query) bitOf(w word) uint32 {
	var lower [2]byte
	n := copy(lower[:], w.text)
	for i := range n {
		if isUpper(lower[i]) {
			lower[i] |= 0x20
		}
	}
	if !q.starts[string(lower[:n])] && isASCII(w.text) {
		return 0
	}
	return q.bits[w.stem()]
}

// keep adds a sentence, unless there are better ones: with more words of the query, or as many and shorter.
func (w *Weight) keep(s sentence) {
	byWorth := func(a, b sentence) int {
		return cmp.Or(bits.OnesCount32(b.mask)-bits.OnesCount32(a.mask), a.length-b.length, a.start-b.start)
	}
	for i, other := range w.sentences {
		if other.mask == s.mask {
			if byWorth(s, other) < 0 {
				w.sentences[i] = s
			}
			return
		}
	}
	at, _ := slices.BinarySearchFunc(w.sentences, s, byWorth)
	if w.sentences = slices.Insert(w.sentences, at, s); len(w.sentences) > maxSentences {
		w.sentences = w.sentences[:maxSentences]
	}
}

// longSentence is how many bytes of a text count as a sentence if nothing ends it.
const longSentence = 600

// Sentences returns the ranges of the sentences of a text. They cover all of it.
func Sentences(text string) func(yield func(start, end int) bool) {
	return func(yield func(start, end int) bool) {
		for start := 0; start < len(text); {
			end := endOfSentence(text, start)
			if !yield(start, end) {
				return
			}
			start = end
		}
	}
}

// endOfSentence returns where a sentence ends that begins at an index: behind a mark and a blank, or a line feed.
func endOfSentence(text string, start int) int {
	for i := start; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch {
		case r == '\n' || strings.ContainsRune("。！？", r):
			return i
		case strings.ContainsRune(".!?", r) && i < len(text) && (text[i] == ' ' || text[i] == '\n'):
			return i
		case i-start >= longSentence && r == ' ':
			return i
		}
	}
	return len(text)
}

// EachMatch calls yield with the ranges of the words of a text that the query has.
func (q *Query) EachMatch(text string, yield func(start, end int)) {
	eachWord(text, func(w word) {
		if q.bitOf(w) != 0 {
			yield(w.start, w.end)
		}
	})
}
