package secrets

import "strings"

// Masked is what a masked text shows instead of a secret.
const Masked = "[masked]"

// A Span is where a text has a secret, without the mark that it begins with.
type Span struct{ Start, End int }

// Places returns what Mask replaces, in order and without overlaps.
func Places(text string) (places []Span) {
	for _, m := range Find([]byte(text)) {
		places = append(places, Span{m.Start + m.Rule.markLen(text[m.Start:m.End]), m.End})
	}
	return places
}

// mask replaces the secrets in a text, and returns their number. The mark that a key begins with stays, so that readers
// see what was there. Every output that is made to be read uses this function.
func mask(text string) (masked string, n int) {
	places := Places(text)
	if len(places) == 0 {
		return text, 0
	}
	var b strings.Builder
	from := 0
	for _, p := range places {
		b.WriteString(text[from:p.Start] + Masked)
		from = p.End
	}
	b.WriteString(text[from:])
	return b.String(), len(places)
}

// Mark returns the beginning of a match that says what it is, which may be shown.
func (m Match) Mark(text []byte) string {
	return string(text[m.Start : m.Start+m.Rule.markLen(string(text[m.Start:m.End]))])
}

// longestMark is the length of the longest mark that stays. Longer keywords are parts of addresses.
const longestMark = 16

// markLen returns the length of the mark that a secret begins with.
func (r *Rule) markLen(secret string) int {
	if r.left != boundary || r.Fold {
		return 0
	}
	for _, k := range r.Keywords {
		if strings.HasPrefix(secret, k) && len(k) <= longestMark {
			return len(k)
		}
	}
	return 0
}
