package showing

import (
	"path/filepath"
	"slices"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/openfile"
	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
)

// A relative is another session, and what it is to the one that is shown.
type relative struct {
	relation string
	name     string
	session  *source.Session // nil if only its name is known
}

// lineage lists the sessions that the shown one comes from, and what became of it. parent is the file that it says it
// is a fork of.
func (s *View) lineage(parent string) string {
	relatives := s.relatives(parent)
	if len(relatives) == 0 {
		return ""
	}
	r := cli.NewReport(ui.Words("relation"), ui.Middle("session", 0),
		ui.Words("kind", 1), ui.Numbers("size", 2))
	for _, other := range relatives {
		kind, size := "", ""
		if other.session != nil {
			kind, size = string(other.session.Kind), ui.Bytes(other.session.Bytes)
		}
		r.Add(nil, other.relation, other.name, kind, size)
	}
	text, _ := s.App.LayOut(r)
	return "\n" + text
}

// relatives finds the related sessions.
func (s *View) relatives(parent string) []relative {
	var list []relative
	others := s.neighbours()
	if parent != "" {
		list = append(list, relative{relation: "forked from", name: parent})
	}
	if spawner := s.Session.SpawnedBy(); spawner != "" {
		list = append(list, relative{relation: "spawned by", name: spawner})
	}
	for _, other := range others {
		if relation := s.relationOf(other); relation != "" {
			list = append(list, relative{relation, other.Name(), other})
		}
	}
	slices.SortStableFunc(list, func(a, b relative) int {
		return slices.Index(relations, a.relation) - slices.Index(relations, b.relation)
	})
	return list
}

// relations are the relations in the order in which they are listed.
var relations = []string{"forked from", "spawned by", "generation", "subagent", "forked to"}

// neighbours returns the other sessions of the place that the shown one is in. A place that cannot be read has none. A
// file that was named alone gets the key that the index beside it has for it.
func (s *View) neighbours() []*source.Session {
	var others []*source.Session
	place := s.Session.Root
	if place == "" || s.Session.InDatabase {
		place = s.Session.Path
	}
	if s.Session.InBundle() {
		place = strings.TrimSuffix(s.Session.Path, "#"+s.Session.Below)
	}
	if s.Session.IsFile() && s.Session.Root == "" {
		place = filepath.Dir(s.Session.Path)
	}
	lookup, err := cli.NewLookup(s.App, place)
	if err != nil {
		return nil
	}
	m, err := lookup.Argument(s.App.Ctx, place, source.Query{Kinds: source.Kinds})
	if err != nil {
		return nil
	}
	for _, other := range m.Sessions {
		switch {
		case !other.InDatabase && openfile.IsSame(other.Path, s.Session.Path):
			s.Session = other
		case other.Place() != s.Session.Place():
			others = append(others, other)
		}
	}
	return others
}

// relationOf says what another session is to the shown one, "" if it is nothing.
func (s *View) relationOf(other *source.Session) string {
	switch {
	case s.Session.Key != "" && other.Key == s.Session.Key:
		return "generation"
	case s.Session.Key != "" && other.SpawnedBy() == s.Session.Key:
		return "subagent"
	case s.isForkedTo(other):
		return "forked to"
	}
	return ""
}

// isForkedTo reports whether another session says that it is a fork of the shown one.
func (s *View) isForkedTo(other *source.Session) bool {
	in, err := other.Open()
	if err != nil {
		return false
	}
	defer in.Close()
	var parent jsonl.Ancestor
	for rec, err := range jsonl.Records(in, jsonl.Options{}) {
		if err != nil || !rec.Legible() {
			break
		}
		if parent.Take(rec); parent.IsSure || rec.Translator() == nil {
			break
		}
	}
	return parent.Name != "" && s.isCalled(parent.Name)
}

// isCalled reports whether a path or an id names the shown session.
func (s *View) isCalled(name string) bool {
	base := name[strings.LastIndexAny(name, `/\`)+1:]
	return name == s.Session.ID || name == s.Session.Key || base == filepath.Base(s.Session.Path)
}
