package source

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// fewestIDDigits is the minimum length of a shortened id, long enough to stay unique for a while.
const fewestIDDigits = 8

// ShortNames returns, for every session of a place, the shortest name that Select understands: the beginning of its id
// and, for an archive, the beginning of its generation, as in 1446f8af@reset. It uses the full name if that is shorter,
// or if several sessions share the id.
func ShortNames(sessions []*Session) map[*Session]string {
	ids := newPrefixes()
	generations := map[string]*prefixes{}
	for _, s := range sessions {
		ids.add(s.ID, s.Key)
		ids.add(s.Key, s.Key)
		if generations[s.ID] == nil {
			generations[s.ID] = newPrefixes()
		}
		generations[s.ID].add(s.Generation, s.Name())
	}
	ids.sort()
	for _, g := range generations {
		g.sort()
	}
	names := make(map[*Session]string, len(sessions))
	for _, s := range sessions {
		if names[s] = shortName(s, ids, generations[s.ID]); len(names[s]) > len(s.Name()) {
			names[s] = s.Name()
		}
	}
	return names
}

func shortName(s *Session, ids, generations *prefixes) string {
	id, ok := ids.shortest(s.ID, min(fewestIDDigits, len(s.ID)))
	if !ok || id == "" {
		return s.Name()
	}
	if s.Generation == "" {
		return id
	}
	word := strings.IndexAny(s.Generation, ".-") // the kind: reset, deleted, bak
	if word < 0 {
		word = min(fewestIDDigits, len(s.Generation))
	}
	generation, ok := generations.shortest(s.Generation, word)
	if !ok {
		return s.Name()
	}
	return id + "@" + generation
}

// prefixes finds the shortest prefixes that distinguish texts.
type prefixes struct {
	owners map[string]string // of each text; "" if several own it
	sorted []string
}

func newPrefixes() *prefixes { return &prefixes{owners: map[string]string{}} }

func (p *prefixes) add(text, owner string) {
	if before, known := p.owners[text]; known && before != owner {
		owner = ""
	}
	p.owners[text] = owner
}

func (p *prefixes) sort() {
	for text := range p.owners {
		p.sorted = append(p.sorted, text)
	}
	slices.Sort(p.sorted)
}

// shortest returns the shortest prefix of a text, of at least the given length, that no text of another owner has. ok
// is false if several owners have the text, or if it is itself a prefix of another owner's text.
func (p *prefixes) shortest(text string, least int) (prefix string, ok bool) {
	owner := p.owners[text]
	at, _ := slices.BinarySearch(p.sorted, text)
	need := least
	for _, step := range []int{-1, 1} {
		for i := at + step; i >= 0 && i < len(p.sorted); i += step {
			common := commonPrefix(text, p.sorted[i])
			if common < least {
				break
			}
			if p.owners[p.sorted[i]] != owner {
				need = max(need, common+1)
				break
			}
		}
	}
	for need < len(text) && !utf8.RuneStart(text[need]) {
		need++
	}
	if owner == "" || need > len(text) {
		return "", false
	}
	return text[:need], true
}

func commonPrefix(a, b string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
