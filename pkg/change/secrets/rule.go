package secrets

import (
	"bytes"
	"regexp"
	"slices"
	"sync"

	"clawctl/pkg/jsontext"
)

// A Rule describes one kind of secret.
type Rule struct {
	// Name is what the secret is, in lower case with dashes, such as github-token.
	Name string
	// Keywords are texts of at least three bytes. The pattern begins with one of them. A rule without keywords looks at
	// every string, which is slow.
	Keywords []string
	// Fold says that case does not count for the keywords, which are in lower case.
	Fold bool
	// Left is a pattern for what is before the keyword. Without one, it is anything that cannot belong to a key. If it
	// belongs to the secret and has a group, the secret begins with the group.
	Left string
	// Pattern is a regular expression. The secret is its group, or all of it.
	Pattern string
	// Entropy is how random the secret must be, in bits per character.
	Entropy float64
	// Example is a secret with a little text, in which {a36} stands for 36 random characters of the class a.
	Example string

	literal  string                           // the text that the rule is for, if it is for one
	find     func(text []byte, at int) []span // instead of a pattern
	isMarked bool                             // keys of this kind begin with a mark
	left     side
	word     string                                 // in lower case, must be among what is before the keyword
	needs    []string                               // one of them must be after the keyword, on the same line
	gate     func(text []byte, at, length int) bool // a quick look before the pattern runs
	accepts  func(c candidate) bool                 // a last look after the pattern
	long     bool                                   // longer than most, and the first window may not be enough to see it
	reach    int                                    // how far the pattern looks, if not as far as others
	nests    bool                                   // a secret may have a keyword inside, and does not end there
	rank     int                                    // in the table
	pattern  func() *regexp.Regexp
	before   func() *regexp.Regexp
	// What the first bytes are that the patterns match.
	opening, leftOpening func() opening
}

// A side says what may be before a keyword.
type side uint8

const (
	boundary   side = iota // nothing that a key consists of
	anything               //
	partOfIt               // what Left matches, and it belongs to the secret
	leftBefore             // what Left matches
)

// newRule returns a rule that users ask for.
func newRule(r Rule) *Rule {
	r.rank, r.nests = len(table())+1, true
	r.prepare()
	return &r
}

// prepare readies the patterns, which are compiled when they are needed first.
func (r *Rule) prepare() {
	anchor := ""
	if len(r.Keywords) > 0 {
		anchor = `\A`
	}
	if r.Fold {
		anchor = "(?i)" + anchor
	}
	r.nests = r.nests || r.find != nil
	r.pattern = lazy(anchor + "(?:" + r.Pattern + ")")
	r.opening = sync.OnceValue(func() opening { return openingOf(r.pattern()) })
	r.leftOpening = sync.OnceValue(func() opening { return openingOf(regexp.MustCompile(r.Left)) })
	r.before = lazy("(?:" + r.Left + `)\z`)
	if r.Left != "" && r.left == boundary {
		r.left = leftBefore
	}
}

// A pattern may look at leftWindow bytes before a keyword. Of what follows it looks at rightWindow bytes first, and at
// windowGrowth times as many if the secret may go on. What does not end within maxLength is no secret, but data.
const (
	leftWindow   = 80
	rightWindow  = 400
	windowGrowth = 8
	maxLength    = rightWindow * windowGrowth
	maxLong      = maxLength * windowGrowth // for keys of many lines, and tokens that hold data
)

// startAt returns where the secret of a keyword begins if it begins before the keyword, or the keyword. It reports
// whether the rule wants what is before and right after the keyword.
func (r *Rule) startAt(text []byte, at, length int) (start int, ok bool) {
	if r.left == boundary && !isBoundary(text, at) || r.find == nil && !r.mayMatch(text[at:]) ||
		r.gate != nil && !r.gate(text, at, length) {
		return 0, false
	}
	if r.left != leftBefore && r.left != partOfIt {
		return at, true
	}
	start, group, ok := r.leftOf(text, at)
	if !ok || r.left == leftBefore {
		return at, ok
	}
	return group, isBoundary(text, start)
}

// leftOf returns where what Left matches before an index begins, and its group.
func (r *Rule) leftOf(text []byte, at int) (start, group int, ok bool) {
	if left := r.leftOpening(); left.isAll {
		start = at - len(left.sets)
		return start, start, start >= 0 && left.isAt(text[start:])
	}
	from := max(0, at-leftWindow)
	if !containsFold(text[from:at], r.word) {
		return 0, 0, false
	}
	found := r.before().FindSubmatchIndex(text[from:at])
	if found == nil {
		return 0, 0, false
	}
	group, _ = groupOf(found)
	return from + found[0], from + group, true
}

// match returns the secret of a keyword, which begins at start if it does not begin later. It ends before limit.
func (r *Rule) match(text []byte, start, at, limit int) (m Match, ok bool) {
	for window := min(rightWindow, r.maxWindow()); window <= r.maxWindow(); window *= windowGrowth {
		end := min(limit, at+window)
		found := r.pattern().FindSubmatchIndex(text[at:end])
		if end < limit && (found != nil && found[1] == end-at || found == nil && r.long) {
			continue // it may go on
		}
		if found == nil {
			return m, false
		}
		first, last := groupOf(found)
		if first > 0 {
			start = at + first
		}
		m = Match{start, at + last, r}
		return m, r.isSecret(text, m, at)
	}
	return m, false
}

func (r *Rule) maxWindow() int {
	switch {
	case r.reach > 0:
		return r.reach
	case r.long:
		return maxLong
	}
	return maxLength
}

// groupOf returns the range of the first group that took part in a match, or of all of it.
func groupOf(found []int) (start, end int) {
	for i := 2; i < len(found); i += 2 {
		if found[i] >= 0 {
			return found[i], found[i+1]
		}
	}
	return found[0], found[1]
}

// matchAll appends all matches of a rule without keywords.
func (r *Rule) matchAll(list []Match, text []byte) []Match {
	if r.gate != nil && !r.gate(text, 0, 0) {
		return list
	}
	for _, found := range r.pattern().FindAllSubmatchIndex(text, -1) {
		start, end := groupOf(found)
		if m := (Match{start, end, r}); end > start && r.isSecret(text, m, found[0]) {
			list = append(list, m)
		}
	}
	return list
}

// isSecret is the last look at a match.
func (r *Rule) isSecret(text []byte, m Match, at int) bool {
	secret := text[m.Start:m.End]
	if bytes.HasPrefix(secret, []byte("[redacted:")) || r.Entropy > 0 && entropy(secret) < r.Entropy {
		return false
	}
	if r.left == boundary && isInData(text, m.Start) {
		return false
	}
	return r.accepts == nil || r.accepts(candidate{text, at, m.Start, m.End})
}

// isInData reports whether data in base64 goes on at an index, which has the beginnings of keys by chance. Paths have
// the same characters, but seldom so many.
func isInData(text []byte, at int) bool {
	const least = 64
	if at < least || text[at-1] != '+' && text[at-1] != '/' {
		return false
	}
	before := text[at-least : at]
	return jsontext.DataRun(before) == least && hasDigit(before) && slices.ContainsFunc(before, isUpper)
}
