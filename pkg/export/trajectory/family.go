package trajectory

import (
	"path/filepath"
	"slices"
	"strings"

	"clawctl/pkg/source"
)

// A Family knows how the sessions of an export are related, and the files that they get.
type Family struct {
	files     map[*source.Session]string
	subagents map[string][]*source.Session // by the key of the session that started them
	next      map[*source.Session]*source.Session
}

// NewFamily relates sessions: a subagent is registered with the key of the session that started it, and a session that
// was reset goes on in the next one with its key. nameOf gives each session its file.
func NewFamily(sessions []*source.Session, nameOf func(*source.Session) string) *Family {
	f := &Family{
		files: map[*source.Session]string{}, subagents: map[string][]*source.Session{},
		next: map[*source.Session]*source.Session{},
	}
	generations := map[string][]*source.Session{}
	for _, s := range sessions {
		f.files[s] = nameOf(s)
		if by := s.SpawnedBy(); by != "" && s.Kind == source.Live {
			f.subagents[by] = append(f.subagents[by], s)
		}
		if s.Key != "" && (s.Kind == source.Live || s.Kind == source.Reset) {
			generations[s.Key] = append(generations[s.Key], s)
		}
	}
	for _, list := range generations {
		f.chain(list)
	}
	return f
}

// File returns the file of a session.
func (f *Family) File(s *source.Session) string { return f.files[s] }

// chain says in which session each of the generations of a key goes on. The live one comes last.
func (f *Family) chain(generations []*source.Session) {
	slices.SortStableFunc(generations, func(a, b *source.Session) int {
		if live := (a.Kind == source.Live); live != (b.Kind == source.Live) {
			return map[bool]int{true: 1, false: -1}[live]
		}
		return strings.Compare(a.Generation, b.Generation)
	})
	for i, s := range generations[:len(generations)-1] {
		if s.Kind == source.Reset {
			f.next[s] = generations[i+1]
		}
	}
}

// refer returns the file of a session as that of another one refers to it.
func (f *Family) refer(from, to *source.Session) string {
	name, err := filepath.Rel(filepath.Dir(filepath.FromSlash(f.files[from])), filepath.FromSlash(f.files[to]))
	if err != nil {
		return f.files[to]
	}
	return filepath.ToSlash(name)
}

// subagentsOf returns the sessions that a session started.
func (f *Family) subagentsOf(s *source.Session) []subagent {
	var list []subagent
	if s.Key == "" || s.Kind != source.Live {
		return nil
	}
	for _, other := range f.subagents[s.Key] {
		list = append(list, subagent{Key: other.Key, ID: other.ID, File: f.refer(s, other)})
	}
	return list
}
