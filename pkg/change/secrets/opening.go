package secrets

import (
	"bytes"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// longestOpening is how many bytes of a text are looked at before a pattern runs.
const longestOpening = 32

// opens is a quick look whether a pattern may match at the beginning of a text.
func (r *Rule) opens(text []byte) bool {
	sets := r.opening()
	if len(text) < len(sets) {
		return false
	}
	for i, set := range sets {
		if !set[text[i]] {
			return false
		}
	}
	return len(r.needs) == 0 || r.hasNeeds(text)
}

// hasNeeds reports whether the first line of a text, up to a pipe, has what the rule needs.
func (r *Rule) hasNeeds(text []byte) bool {
	line := text[:min(len(text), maxCommand)]
	if end := bytes.IndexAny(line, "|\n"); end >= 0 {
		line = line[:end]
	}
	return slices.ContainsFunc(r.needs, func(need string) bool { return bytes.Contains(line, []byte(need)) })
}

// openingOf returns what the first bytes of a text must be that a pattern matches.
func openingOf(pattern string) []*[256]bool {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	sets, _ := opening(parsed)
	return sets
}

// opening returns what each of the first bytes must be that a part of a pattern matches, and whether it has no others.
func opening(p *syntax.Regexp) (sets []*[256]bool, isAll bool) {
	least := p.Min
	switch p.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginText:
		return nil, true
	case syntax.OpLiteral:
		for _, r := range p.Rune {
			if r >= utf8.RuneSelf {
				return sets, false
			}
			set := setOf(string(r))
			if p.Flags&syntax.FoldCase != 0 {
				set = setOf(strings.ToLower(string(r)) + strings.ToUpper(string(r)))
			}
			sets = append(sets, &set)
		}
		return sets, true
	case syntax.OpCharClass:
		return classOpening(p.Rune)
	case syntax.OpCapture:
		return opening(p.Sub[0])
	case syntax.OpConcat:
		return concatOpening(p.Sub)
	case syntax.OpAlternate:
		return eitherOpening(p.Sub)
	case syntax.OpPlus:
		least = 1
	case syntax.OpRepeat:
	default:
		return nil, false
	}
	sets, isAll = concatOpening(slices.Repeat(p.Sub, least))
	return sets, isAll && p.Min == p.Max && p.Op == syntax.OpRepeat
}

func classOpening(ranges []rune) ([]*[256]bool, bool) {
	var set [256]bool
	for i := 0; i < len(ranges); i += 2 {
		for c := ranges[i]; c <= min(ranges[i+1], 255); c++ {
			set[c] = true
		}
	}
	isASCII := ranges[len(ranges)-1] < utf8.RuneSelf
	for c := utf8.RuneSelf; c < 256 && !isASCII; c++ { // they may be of any character
		set[c] = true
	}
	return []*[256]bool{&set}, isASCII
}

func concatOpening(parts []*syntax.Regexp) (sets []*[256]bool, isAll bool) {
	for _, p := range parts {
		more, isWhole := opening(p)
		if sets = append(sets, more...); !isWhole || len(sets) >= longestOpening {
			return sets, false
		}
	}
	return sets, true
}

func eitherOpening(parts []*syntax.Regexp) (sets []*[256]bool, isAll bool) {
	sets, isAll = opening(parts[0])
	for _, p := range parts[1:] {
		others, isOther := opening(p)
		isAll = isAll && isOther && len(sets) == len(others)
		sets = sets[:min(len(sets), len(others))]
		for i, other := range others[:len(sets)] {
			set := *sets[i]
			for c := range set {
				set[c] = set[c] || other[c]
			}
			sets[i] = &set
		}
	}
	return sets, isAll
}
