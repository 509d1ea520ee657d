package search

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestMatch(t *testing.T) {
	for _, test := range []struct {
		name          string
		opts          Options
		pattern, text string
		want          []Span
	}{
		{"plain", Options{}, "bc", "abcbc", []Span{{1, 3}, {3, 5}}},
		{"smart case ignores", Options{}, "straße", "STRAßE", []Span{{0, 7}}},
		{"smart case matches", Options{}, "Foo", "foo Foo", []Span{{4, 7}}},
		{"exact", Options{Case: MatchCase}, "foo", "Foo foo", []Span{{4, 7}}},
		{"ignore", Options{Case: IgnoreCase}, "FOO", "foo", []Span{{0, 3}}},
		{"kelvin", Options{}, "k", "\u212a", []Span{{0, 3}}},
		{"word", Options{Word: true}, "cat", "concat cat cats", []Span{{7, 10}}},
		{"word in CJK", Options{Word: true}, "東京", "(東京)", []Span{{1, 7}}},
		{"CJK", Options{}, "東京", "私は東京に", []Span{{6, 12}}},
		{"nothing", Options{}, "x", "abc", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			term, err := Literal(test.pattern, test.opts)
			if err != nil {
				t.Fatal(err)
			}
			q := Query{Any: []*Term{term}}
			spans, ok := q.match(test.text, 10)
			if fmt.Sprint(spans) != fmt.Sprint(test.want) || ok != (test.want != nil) {
				t.Errorf("got %v, want %v", spans, test.want)
			}
		})
	}
}

func TestQuery(t *testing.T) {
	term := func(text string) *Term {
		term, err := Literal(text, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return term
	}
	for _, test := range []struct {
		name string
		q    Query
		text string
		want bool
	}{
		{"any", Query{Any: []*Term{term("a"), term("b")}}, "xb", true},
		{"and", Query{Any: []*Term{term("a")}, And: []*Term{term("b")}}, "a", false},
		{"and both", Query{Any: []*Term{term("a")}, And: []*Term{term("b")}}, "ba", true},
		{"not", Query{Any: []*Term{term("a")}, Not: []*Term{term("b")}}, "ab", false},
		{"inverted", Query{Any: []*Term{term("a")}, Invert: true}, "b", true},
	} {
		if _, got := test.q.match(test.text, 1); got != test.want {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

func TestRegexErrors(t *testing.T) {
	if _, err := Regex("a(", Options{}); err == nil || !strings.Contains(err.Error(), "missing closing )") {
		t.Errorf("got %v", err)
	}
	for _, text := range []string{"", "\xff"} {
		if _, err := Literal(text, Options{}); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

// alphabet has what is hard to find: letters with several cases, characters that JSON escapes, characters outside the
// basic plane, and halves of them.
var alphabet = []rune("aAbkKsSzéÉßſ\u212aΣσς東京😀\"\\/\n\t\u2028\u0001 -01ıİǅ\ufffd")

// TestSieveFindsWhatTheReferenceFinds compares the sieve with decoding every line. CLAWCTL_PATTERNS sets how many
// patterns are tried.
func TestSieveFindsWhatTheReferenceFinds(t *testing.T) {
	count := 3000
	if n, err := strconv.Atoi(os.Getenv("CLAWCTL_PATTERNS")); err == nil {
		count = n
	}
	passed, matched := 0, 0
	for seed := range count {
		r := rand.New(rand.NewPCG(uint64(seed), 1))
		lines, texts := randomLines(r)
		q, what := randomQuery(r, texts)
		p, m := compareWithReference(t, q, what, lines, texts)
		passed, matched = passed+p, matched+m
	}
	t.Logf("%d patterns: %d lines passed the sieve, %d of them match", count, passed, matched)
	if matched == 0 || passed > 20*matched {
		t.Errorf("the sieve lets %d lines pass for %d matches", passed, matched)
	}
}

// compareWithReference checks that every line that matches passes the sieve.
func compareWithReference(t *testing.T, q *Query, what string, lines, texts []string) (passed, matched int) {
	t.Helper()
	chunk := []byte(strings.Join(lines, "\n") + "\n")
	candidates := map[string]bool{}
	q.sieve().each(chunk, func(start, end int) bool {
		candidates[string(chunk[start:end])] = true
		passed++
		return true
	})
	for i, text := range texts {
		want := slowMatch(q, text)
		if _, got := q.match(text, 1); got != want {
			t.Fatalf("%s: Match(%q) is %v, the reference says %v", what, text, got, want)
		}
		if want {
			matched++
		}
		if want && !candidates[lines[i]] {
			t.Fatalf("%s: the sieve misses %s", what, lines[i])
		}
	}
	return passed, matched
}

// slowMatch is the reference: it compares character by character, with the orbits of unicode.SimpleFold.
func slowMatch(q *Query, text string) bool {
	has := func(terms []*Term, n int) bool {
		for _, t := range terms {
			if slowFind(t, text) {
				n--
			}
		}
		return n <= 0
	}
	ok := has(q.Any, 1) && has(q.And, len(q.And)) && (len(q.Not) == 0 || !has(q.Not, 1))
	return ok != q.Invert
}

func slowFind(t *Term, text string) bool {
	if t.re != nil && t.source == "" {
		return t.re.MatchString(text)
	}
	pattern, runes := []rune(t.source), []rune(text)
	for at := range runes {
		if at+len(pattern) <= len(runes) && slowEqual(pattern, runes[at:at+len(pattern)], t.re != nil) &&
			(!t.word || slowWord(runes, at, at+len(pattern))) {
			return true
		}
	}
	return false
}

func slowEqual(pattern, text []rune, fold bool) bool {
	for i, r := range pattern {
		equal := r == text[i]
		for f := unicode.SimpleFold(r); fold && f != r; f = unicode.SimpleFold(f) {
			equal = equal || f == text[i]
		}
		if !equal {
			return false
		}
	}
	return true
}

func slowWord(runes []rune, start, end int) bool {
	inside := func(i int) bool { return i > 0 && i < len(runes) && isWordRune(runes[i-1]) && isWordRune(runes[i]) }
	return !inside(start) && !inside(end)
}

// randomLines returns lines of JSON and the texts in them.
func randomLines(r *rand.Rand) (lines, texts []string) {
	for range 1 + r.IntN(20) {
		text := randomText(r, r.IntN(12))
		lines = append(lines, `{"text":"`+randomlyEscaped(r, text)+`"}`)
		var decoded struct{ Text string }
		if err := json.Unmarshal([]byte(lines[len(lines)-1]), &decoded); err != nil {
			panic(err)
		}
		texts = append(texts, decoded.Text)
	}
	return lines, texts
}

func randomText(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		b.WriteRune(alphabet[r.IntN(len(alphabet))])
	}
	return b.String()
}

// randomlyEscaped writes a text as the inside of a JSON string, each character in one of its forms.
func randomlyEscaped(r *rand.Rand, text string) string {
	var b strings.Builder
	for _, c := range text {
		switch {
		case r.IntN(6) == 0 && c > 0xffff:
			c -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04X`, 0xd800+c>>10, 0xdc00+c&0x3ff)
		case r.IntN(6) == 0 && c <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, c)
		case c == '/' && r.IntN(2) == 0:
			b.WriteString(`\/`)
		case c == '"' || c == '\\':
			b.WriteString(`\` + string(c))
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < ' ':
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// randomQuery returns a query whose patterns are often parts of the texts.
func randomQuery(r *rand.Rand, texts []string) (q *Query, what string) {
	q = &Query{Invert: r.IntN(20) == 0}
	o := Options{Case: Case(r.IntN(3)), Word: r.IntN(5) == 0}
	list := func(n int) (terms []*Term) {
		for range n {
			pattern := randomPattern(r, texts)
			term, err := Literal(pattern, o)
			if r.IntN(4) == 0 && !o.Word {
				pattern = randomRegex(r, texts)
				term, err = Regex(pattern, o)
			}
			if err != nil {
				panic(fmt.Sprintf("%q: %v", pattern, err))
			}
			what += fmt.Sprintf(" %q", pattern)
			terms = append(terms, term)
		}
		return terms
	}
	q.Any = list(1 + r.IntN(2))
	what += " and"
	q.And = list(r.IntN(3) / 2)
	what += " not"
	q.Not = list(r.IntN(4) / 3)
	return q, fmt.Sprintf("%v %+v %s", q.Invert, o, what)
}

func randomPattern(r *rand.Rand, texts []string) string {
	runes := []rune(texts[r.IntN(len(texts))])
	if len(runes) == 0 || r.IntN(5) == 0 {
		return randomText(r, 1+r.IntN(3))
	}
	start := r.IntN(len(runes))
	pattern := string(runes[start : start+1+r.IntN(min(4, len(runes)-start))])
	if r.IntN(3) == 0 {
		pattern = strings.ToUpper(pattern)
	}
	return pattern
}

func randomRegex(r *rand.Rand, texts []string) string {
	quote := func() string { return regexpQuote(randomPattern(r, texts)) }
	switch r.IntN(6) {
	case 0:
		return quote() + ".*" + quote()
	case 1:
		return "(" + quote() + "|" + quote() + ")"
	case 2:
		return quote() + "+"
	case 3:
		return quote() + "?" + quote()
	case 4:
		return "[" + quote() + "a-z]{2}" + quote()
	}
	return "^" + quote()
}

// regexpQuote quotes everything but letters and digits, and works inside of brackets too.
func regexpQuote(text string) string {
	var b strings.Builder
	for _, c := range text {
		if c < utf8.RuneSelf && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			fmt.Fprintf(&b, `\x%02x`, c)
			continue
		}
		b.WriteRune(c)
	}
	return b.String()
}

// A cursor stops at every needle and at every escape that may hide one, wherever in a chunk they are.
func TestCursorAnywhere(t *testing.T) {
	for _, pattern := range []string{"x", "xy", "xyz wanted"} {
		term, err := Literal(pattern, Options{Case: MatchCase})
		if err != nil {
			t.Fatal(err)
		}
		sieve := (&Query{Any: []*Term{term}}).sieve()
		for length := len(pattern); length < 150; length++ {
			for at := 0; at+len(pattern) <= length; at++ {
				text := []byte(strings.Repeat("-", length))
				copy(text[at:], pattern)
				if got := sieve.cursor(text).next(0); got != at {
					t.Fatalf("%q in %q is at %d, want %d", pattern, text, got, at)
				}
				text = slices.Insert(text[:length-len(pattern)], min(at, length-len(pattern)), []byte(`\u0078`)...)
				if got := sieve.cursor(text).next(0); got != min(at, length-len(pattern)) {
					t.Fatalf("the escape in %q is at %d, want %d", text, got, at)
				}
			}
		}
	}
}
