package search

import (
	"bytes"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"clawctl/internal/pairs"
)

// A filter is what the raw bytes of a line must contain to match a term: one of the needles, or an escape that may hide
// one. A filter without needles lets every line pass.
type filter struct{ needles []needle }

// A needle is a text as it stands in JSON.
type needle struct {
	pairs.Word
	// hidden are the characters of the text in both cases. An escape like \u00e9 of one of them may hide it.
	hidden []rune
	also   []*sieve // what the line must have besides
}

// maxNeedles is how many alternatives are searched one by one. More of them take longer than decoding.
const maxNeedles = 12

// filterOf returns the filter of a regular expression.
func filterOf(re *syntax.Regexp) filter {
	var f filter
	alternatives, ok := required(re)
	if !ok || len(alternatives) > maxNeedles {
		return filter{}
	}
	for _, a := range alternatives {
		one := filterOfLiteral(a.literal)
		if len(one.needles) == 0 {
			return filter{}
		}
		for i := range one.needles {
			one.needles[i].also = sievesOf(a.also)
		}
		f.needles = append(f.needles, one.needles...)
	}
	if len(f.needles) > maxNeedles {
		return filter{}
	}
	return f
}

// filterOfLiteral returns the filter of a term that requires a literal.
func filterOfLiteral(l literal) filter {
	needles, ok := needlesOf(l)
	if !ok || len(needles) > maxNeedles {
		return filter{}
	}
	return filter{needles}
}

// sievesOf returns a sieve for each of some literals, unless it would let everything pass.
func sievesOf(list []literal) (sieves []*sieve) {
	for _, l := range list {
		if f := filterOfLiteral(l); len(f.needles) > 0 {
			sieves = append(sieves, newSieve(f.needles))
		}
	}
	return sieves
}

// A literal is a text that a regular expression requires.
type literal struct {
	runes []rune
	fold  bool
}

// An alternative is a literal, and others that a match has too.
type alternative struct {
	literal
	also []literal
}

// required returns literals of which every match contains one. ok is false if there are none.
func required(re *syntax.Regexp) (list []alternative, ok bool) {
	switch re.Op {
	case syntax.OpLiteral:
		return []alternative{{literal: literal{re.Rune, re.Flags&syntax.FoldCase != 0}}}, true
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			more, ok := required(sub)
			if !ok {
				return nil, false
			}
			list = append(list, more...)
		}
		return list, true
	case syntax.OpConcat:
		return requiredOfAll(re.Sub)
	}
	return nil, false
}

// requiredOfAll returns what a sequence of expressions requires: the longest literals of one of them, and those of the
// others that have no alternative.
func requiredOfAll(sequence []*syntax.Regexp) (best []alternative, ok bool) {
	var lists [][]alternative
	chosen := 0
	for _, sub := range sequence {
		if list, found := required(sub); found {
			if lists = append(lists, list); shortest(list) > shortest(lists[chosen]) {
				chosen = len(lists) - 1
			}
		}
	}
	if len(lists) == 0 {
		return nil, false
	}
	best = lists[chosen]
	for i, list := range lists {
		if i == chosen || len(list) != 1 {
			continue
		}
		for j := range best {
			best[j].also = append(best[j].also, list[0].literal)
		}
	}
	return best, true
}

// shortest returns the length of the shortest literal. Longer literals let fewer lines pass.
func shortest(list []alternative) int {
	n := len(list[0].runes)
	for _, l := range list[1:] {
		n = min(n, len(l.runes))
	}
	return n
}

// needlesOf returns the needles of a literal: its longest stretch that has one form in JSON, or, if there is none, the
// forms of its first characters.
func needlesOf(l literal) (needles []needle, ok bool) {
	var best []rune
	for start := 0; start < len(l.runes); start++ {
		end := start
		for end < len(l.runes) && hasOneForm(l.runes[end], l.fold) {
			end++
		}
		if end-start > len(best) {
			best = l.runes[start:end]
		}
		start = max(start, end)
	}
	if len(best) > 0 {
		return []needle{newNeedle(best, l.fold)}, true
	}
	return formsOf(l)
}

// hasOneForm reports whether a character has one form in the raw bytes, apart from \u escapes. ASCII letters of both
// cases count as one: needles compare them that way.
func hasOneForm(r rune, fold bool) bool {
	return isPlain(r) && (!fold || r < utf8.RuneSelf || unicode.SimpleFold(r) == r)
}

// isPlain reports whether a character stands for itself in JSON. A slash may be escaped, and U+FFFD may come from any
// damaged byte.
func isPlain(r rune) bool {
	return r >= ' ' && r != '"' && r != '\\' && r != '/' && r != utf8.RuneError && r <= unicode.MaxRune &&
		!(r >= 0xd800 && r < 0xe000)
}

// formsOf returns one needle for each form of the first characters of a literal, in all cases.
func formsOf(l literal) (needles []needle, ok bool) {
	forms := [][]rune{nil}
	for _, r := range l.runes {
		orbit := orbitOf(r)
		if !isPlain(r) || len(forms)*len(orbit) > maxNeedles {
			break
		}
		var longer [][]rune
		for _, form := range forms {
			for _, variant := range orbit {
				longer = append(longer, append(slices.Clone(form), variant))
			}
		}
		forms = longer
	}
	if len(forms[0]) == 0 {
		return nil, false
	}
	for _, form := range forms {
		needles = append(needles, newNeedle(form, false))
	}
	return needles, true
}

// orbitOf returns the characters that equal another one if case is ignored, itself included.
func orbitOf(r rune) []rune {
	orbit := []rune{r}
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		orbit = append(orbit, next)
	}
	return orbit
}

func newNeedle(runes []rune, fold bool) needle {
	n := needle{Word: pairs.NewWord(string(runes), fold)}
	for _, r := range runes {
		n.hidden = append(n.hidden, orbitOf(r)...)
	}
	slices.Sort(n.hidden)
	n.hidden = slices.Compact(n.hidden)
	return n
}

// asciiNeedle returns a needle that finds a literal in a decoded text, or nil if the literal has other letters than
// ASCII.
func asciiNeedle(l literal) *needle {
	if slices.ContainsFunc(l.runes, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return nil
	}
	n := newNeedle(l.runes, l.fold)
	return &n
}

// disguises are characters outside ASCII that equal an ASCII letter if case is ignored: the Kelvin sign and the long s.
var disguises = map[byte]string{'k': "\u212a", 's': "\u017f"}

// mayBeDisguised reports whether a text may match the needle although it has other bytes.
func (n *needle) mayBeDisguised(text string) bool {
	for letter, other := range disguises {
		if bytes.IndexByte(n.Text, letter) >= 0 && strings.Contains(text, other) {
			return true
		}
	}
	return false
}

// hides reports whether a character belongs to the needle, so that its escape may hide it.
func (n *needle) hides(r rune) bool {
	_, found := slices.BinarySearch(n.hidden, r)
	return found
}
