package source

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// fewestIDDigits is the minimum length of a shortened id, long enough to stay unique for a while.
const fewestIDDigits = 8

// longestPlainName is the length up to which a name stays as it is, because people remember agent:main:main better than
// an id.
const longestPlainName = 20

// liveSuffix is what a name of a live session ends in if others share its key or id, as @reset is for an archive.
const liveSuffix = "@live"

// ShortNames returns, for every session of a place, a short name with which Select finds that session alone: its name
// if that is short, or else the beginning of its id and, for an archive, the beginning of its generation, as in
// 1446f8af@reset. Sessions that cannot be told apart by names have the same.
func ShortNames(sessions []*Session) map[*Session]string {
	ids := newPrefixes()
	generations := map[string]*prefixes{}
	byKey := map[string][]*Session{}
	for _, s := range sessions {
		ids.add(s.ID, s.Key)
		ids.add(s.Key, s.Key)
		byKey[s.Key] = append(byKey[s.Key], s)
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
		plain := s.Name()
		if s.isLive() {
			plain = liveName(s, s.Key, byKey[s.Key])
		}
		names[s] = plain
		if len(plain) > longestPlainName {
			names[s] = shorter(plain, shortName(s, ids, generations[s.ID], byKey[s.Key]))
		}
	}
	return names
}

func shorter(name, short string) string {
	if short == "" || len(short) > len(name) {
		return name
	}
	return short
}

// isLive reports whether a session is the one that its key means now.
func (s *Session) isLive() bool { return s.Kind == Live && s.Generation == "" }

// liveName returns a name of a live session: its key, its id, or the beginning of one, with the suffix if this is also
// a name of another session with its key.
func liveName(s *Session, name string, sameKey []*Session) string {
	for _, other := range sameKey {
		if other != s && other.beginsLike(name) {
			return name + liveSuffix
		}
	}
	return name
}

// shortName returns the beginning of the id and of the generation, "" if they do not tell a session from others.
func shortName(s *Session, ids, generations *prefixes, sameKey []*Session) string {
	id, ok := ids.shortest(s.ID, min(fewestIDDigits, len(s.ID)))
	if !ok || id == "" {
		return ""
	}
	switch {
	case s.isLive():
		return liveName(s, id, sameKey)
	case s.Generation == "":
		return id
	}
	word := strings.IndexAny(s.Generation, ".-") // the kind: reset, deleted, bak
	if word < 0 {
		word = min(fewestIDDigits, len(s.Generation))
	}
	generation, ok := generations.shortest(s.Generation, word)
	if !ok {
		return ""
	}
	return id + "@" + generation
}

// NamesByName returns ShortNames by the whole names of the sessions.
func NamesByName(sessions []*Session) map[string]string {
	names := make(map[string]string, len(sessions))
	for s, short := range ShortNames(sessions) {
		names[s.Name()] = short
	}
	return names
}

// Names returns, for every session of a match, a name that every command takes for that very session: a short one in
// the state folder, PLACE#NAME elsewhere, and a path if other sessions have the same name.
func (m *Match) Names(state string) map[*Session]string {
	names := make(map[*Session]string, len(m.Sessions))
	for _, p := range m.Places {
		before := p.Path + "#"
		if filepath.Clean(p.Path) == filepath.Clean(state) {
			before = ""
		}
		short := ShortNames(p.Sessions)
		owners := map[string]int{}
		for _, name := range short {
			owners[name]++
		}
		for s, name := range short {
			if names[s] = before + name; owners[name] > 1 || m.direct[s] {
				names[s] = s.Place()
			}
		}
	}
	for _, s := range m.Sessions {
		if names[s] == "" { // a file or a stream, which no place has
			names[s] = s.Place()
		}
	}
	return names
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
