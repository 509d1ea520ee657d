package search

import (
	"cmp"
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
	"unsafe"
)

// A Case says whether upper and lower case are different.
type Case uint8

// The ways to compare letters. SmartCase distinguishes case if the pattern has an upper-case letter.
const (
	SmartCase Case = iota
	IgnoreCase
	MatchCase
)

// Options apply to all patterns of a query.
type Options struct {
	Case Case
	Word bool // matches must begin and end at the edge of a word
}

// A Span is a range of bytes in a text.
type Span struct{ Start, End int }

// A Term is one pattern: a literal text or a regular expression.
type Term struct {
	source string         // the text of a literal
	fold   *needle        // finds a literal in ASCII letters of either case, nil for others
	re     *regexp.Regexp // nil for a literal that distinguishes case
	word   bool
	filter filter
	lines  *sieve // finds the lines of a decoded text that may match, nil if a match may have several lines
}

// Literal returns a term that matches a text.
func Literal(text string, o Options) (*Term, error) {
	if err := checkPattern(text); err != nil {
		return nil, err
	}
	l := literal{[]rune(text), o.ignoresCase(text)}
	t := &Term{source: text, word: o.Word, filter: filterOfLiteral(l)}
	if l.fold {
		t.re = regexp.MustCompile("(?i:" + regexp.QuoteMeta(text) + ")")
		t.fold = asciiNeedle(l)
	}
	return t, nil
}

func checkPattern(text string) error {
	switch {
	case text == "":
		return errors.New("the pattern must not be empty")
	case !utf8.ValidString(text):
		return errors.New("the pattern must be UTF-8")
	}
	return nil
}

// Regex returns a term that matches a regular expression in RE2's syntax. ^ and $ match at line ends.
func Regex(pattern string, o Options) (*Term, error) {
	if err := checkPattern(pattern); err != nil {
		return nil, err
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, newSyntaxError(pattern, err)
	}
	flags := "(?m:"
	if o.ignoresCase(literalsOf(tree)) {
		flags = "(?mi:"
	}
	if tree, err = syntax.Parse(flags+pattern+")", syntax.Perl); err != nil {
		return nil, newSyntaxError(pattern, err)
	}
	pattern = flags + pattern + ")"
	if o.Word {
		pattern = wordStart + pattern + wordEnd
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, newSyntaxError(pattern, err)
	}
	t := &Term{re: re, word: o.Word, filter: filterOf(tree.Simplify())}
	if !mayCrossLines(tree) && !o.Word {
		t.lines = (&Query{Any: []*Term{t}}).sieve()
	}
	return t, nil
}

// wordStart and wordEnd match the edges of a word. The word itself is the first group.
const (
	wordStart = `(?:^|[^\pL\pN\pM_])(`
	wordEnd   = `)(?:[^\pL\pN\pM_]|$)`
)

// mayCrossLines reports whether a match may contain a line feed, or depends on more than its line.
func mayCrossLines(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral:
		return slices.Contains(re.Rune, '\n')
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			if re.Rune[i] <= '\n' && re.Rune[i+1] >= '\n' {
				return true
			}
		}
	case syntax.OpAnyChar, syntax.OpBeginText, syntax.OpEndText:
		return true
	}
	return slices.ContainsFunc(re.Sub, mayCrossLines)
}

// ignoresCase reports whether a pattern with these letters matches both cases.
func (o Options) ignoresCase(letters string) bool {
	return o.Case == IgnoreCase || o.Case == SmartCase && !strings.ContainsFunc(letters, unicode.IsUpper)
}

// literalsOf returns the letters that a regular expression names, so that \D or \pL do not count as upper case.
func literalsOf(re *syntax.Regexp) string {
	var b strings.Builder
	var walk func(*syntax.Regexp)
	walk = func(re *syntax.Regexp) {
		if re.Op == syntax.OpLiteral {
			b.WriteString(string(re.Rune))
		}
		if re.Op == syntax.OpCharClass && len(re.Rune) <= 8 {
			b.WriteString(string(re.Rune))
		}
		for _, sub := range re.Sub {
			walk(sub)
		}
	}
	walk(re)
	return b.String()
}

// spans returns the first matches in a text, in order and without overlaps. A match is never empty.
func (t *Term) spans(text string, limit int) []Span {
	var list []Span
	switch {
	case t.re == nil || t.source != "" || t.word:
		return t.search(text, limit)
	case t.lines == nil || t.lines.everything:
		return t.appendMatches(nil, text, 0, limit)
	}
	t.lines.each(bytesOf(text), func(start, end int) bool {
		list = t.appendMatches(list, text[start:end], start, limit)
		return len(list) < limit
	})
	return list
}

// appendMatches adds the matches of a regular expression in a text that begins at an offset.
func (t *Term) appendMatches(list []Span, text string, offset, limit int) []Span {
	if limit == 1 { // the most frequent question
		if at := t.re.FindStringIndex(text); at == nil || at[1] > at[0] {
			return appendSpan(list, at, offset)
		}
	}
	for n := limit + 1; ; n *= 8 {
		found := t.re.FindAllStringIndex(text, n)
		made := list
		for _, at := range found {
			if at[1] > at[0] && len(made) < limit {
				made = appendSpan(made, at, offset)
			}
		}
		if len(made) == limit || len(found) < n {
			return made
		}
	}
}

func appendSpan(list []Span, at []int, offset int) []Span {
	if at == nil {
		return list
	}
	return append(list, Span{offset + at[0], offset + at[1]})
}

// search finds one match after another.
func (t *Term) search(text string, limit int) []Span {
	var list []Span
	for from := 0; from < len(text) && len(list) < limit; {
		s, ok := t.next(text, from)
		if !ok {
			break
		}
		if s.End > s.Start && (!t.word || isWord(text, s)) {
			list = append(list, s)
			from = s.End
			continue
		}
		_, size := utf8.DecodeRuneInString(text[s.Start:])
		from = s.Start + max(size, 1)
	}
	return list
}

// next returns the next match at or after an index.
func (t *Term) next(text string, from int) (s Span, ok bool) {
	var at []int
	switch {
	case t.re == nil:
		if i := strings.Index(text[from:], t.source); i >= 0 {
			at = []int{i, i + len(t.source)}
		}
	case t.fold != nil && !t.fold.mayBeDisguised(text):
		if i := t.fold.Next(bytesOf(text), from) - from; i >= 0 {
			at = []int{i, i + len(t.source)}
		}
	case t.source != "":
		at = t.re.FindStringIndex(text[from:])
	default:
		if at = t.re.FindStringSubmatchIndex(text[from:]); at != nil {
			at = at[2:]
		}
	}
	if at == nil {
		return s, false
	}
	return Span{from + at[0], from + at[1]}, true
}

// bytesOf returns a text as bytes, which must not be changed.
func bytesOf(text string) []byte { return unsafe.Slice(unsafe.StringData(text), len(text)) }

// isWord reports whether a range begins and ends at the edge of a word.
func isWord(text string, s Span) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:s.Start])
	after, _ := utf8.DecodeRuneInString(text[s.End:])
	first, _ := utf8.DecodeRuneInString(text[s.Start:])
	last, _ := utf8.DecodeLastRuneInString(text[:s.End])
	return !(isWordRune(before) && isWordRune(first)) && !(isWordRune(last) && isWordRune(after))
}

func isWordRune(r rune) bool {
	return r != utf8.RuneError && (r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r))
}

// A Query is a condition on the text of a part.
type Query struct {
	Any    []*Term // one of these must match
	And    []*Term // and all of these
	Not    []*Term // and none of these
	Invert bool    // the opposite of all that
}

// match reports whether a text matches, and where. At most limit ranges are returned, in order, without overlaps; an
// inverted query has none.
func (q *Query) match(text string, limit int) (spans []Span, ok bool) {
	return q.matchNamed(text, len(text), limit)
}

// matchNamed is Match for a text with the names of arguments from an index on. Names lead to hits. They exclude none,
// because whoever excludes a word means what was said.
func (q *Query) matchNamed(text string, names, limit int) (spans []Span, ok bool) {
	if q.Invert {
		limit = 1
	}
	for _, t := range q.Any {
		spans = append(spans, t.spans(text, limit)...)
	}
	isSaid := func(t *Term) bool { return len(t.spans(text[:names], 1)) > 0 }
	isMissing := func(t *Term) bool { return len(t.spans(text, 1)) == 0 }
	ok = len(spans) > 0 && !slices.ContainsFunc(q.Not, isSaid) && !slices.ContainsFunc(q.And, isMissing)
	if ok && !q.Invert {
		return withoutOverlaps(spans, limit), true
	}
	return nil, ok != q.Invert
}

// withoutOverlaps sorts ranges and returns the first ones that do not overlap.
func withoutOverlaps(spans []Span, limit int) []Span {
	slices.SortStableFunc(spans, func(a, b Span) int { return cmp.Compare(a.Start, b.Start) })
	kept, end := spans[:0], 0
	for _, s := range spans {
		if s.Start >= end && len(kept) < limit {
			kept, end = append(kept, s), s.End
		}
	}
	return kept
}

// stringOf returns bytes as a text, which is valid until they change.
func stringOf(text []byte) string { return unsafe.String(unsafe.SliceData(text), len(text)) }
