package secrets

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// An opening says which bytes the text that a pattern matches begins with, as far as their number is the same in all
// such texts.
type opening struct {
	sets  []*[256]bool // for every byte
	isAll bool         // nothing follows, and there are no groups
}

// longestOpening is how many bytes of a text are looked at before a pattern runs.
const longestOpening = 32

// isAt reports whether a text begins with an opening.
func (o opening) isAt(text []byte) bool {
	if len(text) < len(o.sets) {
		return false
	}
	for i, set := range o.sets {
		if !set[text[i]] {
			return false
		}
	}
	return true
}

// mayMatch is a quick look whether the pattern of a rule may match at the beginning of a text, and whether the first
// line of it, up to a pipe, has what the rule needs.
func (r *Rule) mayMatch(text []byte) bool {
	if mayOpen := r.opening().isAt(text); !mayOpen || len(r.needs) == 0 {
		return mayOpen
	}
	line := text[:min(len(text), maxCommand)]
	if end := bytes.IndexAny(line, "|\n"); end >= 0 {
		line = line[:end]
	}
	return slices.ContainsFunc(r.needs, func(need string) bool { return bytes.Contains(line, []byte(need)) })
}

// openingOf returns the opening of a pattern.
func openingOf(pattern *regexp.Regexp) opening {
	parsed, err := syntax.Parse(pattern.String(), syntax.Perl)
	if err != nil {
		return opening{}
	}
	o := openingOfPart(parsed)
	o.isAll = o.isAll && pattern.NumSubexp() == 0
	return o
}

func openingOfPart(p *syntax.Regexp) (o opening) {
	switch p.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginText:
		return opening{isAll: true}
	case syntax.OpLiteral:
		for _, r := range p.Rune {
			if r >= utf8.RuneSelf {
				return o
			}
			set := setOf(string(r))
			if p.Flags&syntax.FoldCase != 0 {
				set = setOf(strings.ToLower(string(r)) + strings.ToUpper(string(r)))
			}
			o.sets = append(o.sets, &set)
		}
		o.isAll = true
	case syntax.OpCharClass:
		o.isAll = p.Rune[len(p.Rune)-1] < utf8.RuneSelf
		set := tableOf(func(c byte) bool { // a byte that is not ASCII may be of any character
			return isInRanges(p.Rune, rune(c)) || c >= utf8.RuneSelf && !o.isAll
		})
		o.sets = []*[256]bool{&set}
	case syntax.OpCapture:
		return openingOfPart(p.Sub[0])
	case syntax.OpConcat:
		return openingOfRow(p.Sub)
	case syntax.OpAlternate:
		return openingOfAny(p.Sub)
	case syntax.OpPlus:
		o = openingOfPart(p.Sub[0])
		o.isAll = false
	case syntax.OpRepeat:
		o = openingOfRow(slices.Repeat(p.Sub, p.Min))
		o.isAll = o.isAll && p.Min == p.Max
	}
	return o
}

func openingOfRow(parts []*syntax.Regexp) opening {
	row := opening{isAll: true}
	for _, p := range parts {
		if row.isAll && len(row.sets) < longestOpening {
			next := openingOfPart(p)
			row = opening{append(row.sets, next.sets...), next.isAll}
		} else {
			row.isAll = false
		}
	}
	return row
}

func openingOfAny(parts []*syntax.Regexp) opening {
	one := openingOfPart(parts[0])
	for _, p := range parts[1:] {
		other := openingOfPart(p)
		one.isAll = one.isAll && other.isAll && len(one.sets) == len(other.sets)
		one.sets = one.sets[:min(len(one.sets), len(other.sets))]
		for i, set := range one.sets {
			both := tableOf(func(c byte) bool { return set[c] || other.sets[i][c] })
			one.sets[i] = &both
		}
	}
	return one
}

// isInRanges reports whether a character is in one of some ranges.
func isInRanges(ranges []rune, r rune) bool {
	for i := 0; i < len(ranges); i += 2 {
		if r >= ranges[i] && r <= ranges[i+1] {
			return true
		}
	}
	return false
}
