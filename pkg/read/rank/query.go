package rank

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// maxTerms is how many different words of a query count. Each has a bit in a mask.
const maxTerms = 32

// A Query is what a text should be about.
type Query struct {
	terms  []string // stems, each once
	bits   map[string]uint32
	starts map[string]bool // the first bytes of the terms
}

// NewQuery reads the words of a query, in any order and form. Words such as "the" count only if there are no others.
func NewQuery(text string) *Query {
	q := &Query{bits: map[string]uint32{}, starts: map[string]bool{}}
	q.add(text, func(w word) bool { return !common()[strings.ToLower(w.text)] })
	if len(q.terms) == 0 {
		q.add(text, func(word) bool { return true })
	}
	return q
}

// add takes over the words that count.
func (q *Query) add(text string, counts func(word) bool) {
	eachWord(text, func(w word) {
		stem := w.stem()
		if _, ok := q.bits[stem]; ok || len(q.terms) == maxTerms || !counts(w) {
			return
		}
		q.bits[stem] = 1 << len(q.terms)
		q.terms = append(q.terms, stem)
		q.starts[startOf(stem)] = true
	})
}

// startOf returns the beginning of a word that all its forms share.
func startOf(text string) string { return text[:min(len(text), 2)] }

// IsEmpty reports whether the query has no words.
func (q *Query) IsEmpty() bool { return len(q.terms) == 0 }

// Needles returns texts of which every text with a word of the query contains one, in either case.
func (q *Query) Needles() []string {
	var list []string
	for _, t := range q.terms {
		t = needleOf(t)
		covers := func(other string) bool { return strings.HasPrefix(t, other) }
		if !slices.ContainsFunc(list, covers) {
			list = append(slices.DeleteFunc(list, func(other string) bool { return strings.HasPrefix(other, t) }), t)
		}
	}
	return list
}

// needleOf returns the beginning of a stem that all words with this stem have. The stem of "happy" is "happi", and that
// of "news" is no beginning of itself either, so the last letter may differ.
func needleOf(stem string) string {
	if r, size := utf8.DecodeLastRuneInString(stem); r < utf8.RuneSelf && len(stem) > 3 {
		return stem[:len(stem)-size]
	}
	return stem
}

// A Weight is what is kept of a text.
type Weight struct {
	Mask      uint32 // the words of the query that it has
	Length    int    // in words
	sentences []sentence
}

// A sentence is what is kept of a sentence.
type sentence struct {
	mask       uint32
	length     int
	start, end int // where it is
}

// maxSentences is how many sentences of a text are kept.
const maxSentences = 8
