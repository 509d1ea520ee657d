package search

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
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
	re     *regexp.Regexp // nil for a literal that distinguishes case
	word   bool
	filter filter
}

// Literal returns a term that matches a text.
func Literal(text string, o Options) (*Term, error) {
	if text == "" {
		return nil, fmt.Errorf("the pattern must not be empty")
	}
	if !utf8.ValidString(text) {
		return nil, fmt.Errorf("the pattern must be UTF-8")
	}
	ignore := o.ignoresCase(text)
	t := &Term{source: text, word: o.Word, filter: filterOfLiteral(literal{[]rune(text), ignore})}
	if ignore {
		t.re = regexp.MustCompile("(?i:" + regexp.QuoteMeta(text) + ")")
	}
	return t, nil
}

// Regex returns a term that matches a regular expression in RE2's syntax. ^ and $ match at line ends.
func Regex(pattern string, o Options) (*Term, error) {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("invalid regular expression: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	flags := "(?m:"
	if o.ignoresCase(literalsOf(tree)) {
		flags = "(?mi:"
	}
	re, err := regexp.Compile(flags + pattern + ")")
	if err != nil {
		return nil, fmt.Errorf("invalid regular expression: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	if tree, err = syntax.Parse(flags+pattern+")", syntax.Perl); err != nil {
		return nil, err
	}
	return &Term{re: re, word: o.Word, filter: filterOf(tree.Simplify())}, nil
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

// find returns the first match at or after an index, or false. A match is never empty.
func (t *Term) find(text string, from int) (s Span, ok bool) {
	for from <= len(text) {
		if t.re == nil {
			at := strings.Index(text[from:], t.source)
			if at < 0 {
				return s, false
			}
			s = Span{from + at, from + at + len(t.source)}
		} else {
			at := t.re.FindStringIndex(text[from:])
			if at == nil {
				return s, false
			}
			s = Span{from + at[0], from + at[1]}
		}
		if s.End > s.Start && (!t.word || isWord(text, s)) {
			return s, true
		}
		_, size := utf8.DecodeRuneInString(text[s.Start:])
		from = s.Start + max(size, 1)
	}
	return s, false
}

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

// Match reports whether a text matches, and where. At most limit ranges are returned, in order, without overlaps; an
// inverted query has none.
func (q *Query) Match(text string, limit int) (spans []Span, ok bool) {
	first, ok := q.first(text, 0)
	ok = ok && !matchesAny(q.Not, text)
	for _, t := range q.And {
		_, found := t.find(text, 0)
		ok = ok && found
	}
	if q.Invert {
		return nil, !ok
	}
	if !ok {
		return nil, false
	}
	for more := true; more && len(spans) < limit; first, more = q.first(text, first.End) {
		spans = append(spans, first)
	}
	return spans, true
}

// first returns the first match of any term at or after an index.
func (q *Query) first(text string, from int) (first Span, ok bool) {
	for _, t := range q.Any {
		if s, found := t.find(text, from); found && (!ok || s.Start < first.Start) {
			first, ok = s, true
		}
	}
	return first, ok
}

func matchesAny(terms []*Term, text string) bool {
	for _, t := range terms {
		if _, ok := t.find(text, 0); ok {
			return true
		}
	}
	return false
}
