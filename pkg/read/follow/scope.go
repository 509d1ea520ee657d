package follow

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"clawctl/pkg/source"
)

// A Scope is a place in which sessions come and go: all of it, or the session of one key, which goes on in another file
// after a reset.
type Scope struct {
	Path   string // of a folder or a database
	Filter source.Filter
	Kinds  []source.Kind // looked at unless the filter has kinds
	// UserHome is what ~ means in OpenClaw's configuration.
	UserHome string

	state  string // of the place when it was searched
	watch  []string
	known  map[string]*source.Session // the last session of each key
	places []*source.Listing          // that have sessions of the group
}

// Watch makes a group look for new sessions of a scope. The sessions that it has now must be known to the group.
func (g *Group) Watch(s *Scope, known []*Member) {
	s.known = map[string]*source.Session{}
	for _, m := range known {
		m.scope = s
		s.known[m.Session.Key] = m.Session
	}
	g.scopes = append(g.scopes, s)
}

// search adds the sessions of a scope that are new, if anything in its place has changed.
func (g *Group) search(ctx context.Context, s *Scope) {
	state := s.look()
	if state == s.state {
		return
	}
	place, sessions, err := s.find(ctx)
	if err != nil {
		return // the place is being changed or is gone: what is known is still followed
	}
	s.state = state
	if watch := s.watched(place); !slices.Equal(watch, s.watch) {
		s.watch, s.state = watch, "" // what changed meanwhile is found by one more search
	}
	used := false
	for _, found := range sessions {
		used = g.adopt(s, found) || used
	}
	if used {
		s.places = append(s.places, place)
		return
	}
	place.Close()
}

// adopt adds a session of a scope unless the group has it, or it is not a transcript.
func (g *Group) adopt(s *Scope, found *source.Session) bool {
	if g.known[found.Place()] || !found.IsTranscript() {
		return false
	}
	m := g.Add(found)
	m.New, m.scope, m.Instead = true, s, s.known[found.Key]
	s.known[found.Key] = found
	return true
}

// dropRemoved drops the files of scopes that are gone. If one comes back, the scope finds it.
func (g *Group) dropRemoved() {
	g.members = slices.DeleteFunc(g.members, func(m *Member) bool {
		f, ok := m.Source.(*file)
		isGone := ok && m.scope != nil && f.removed
		if isGone {
			delete(g.known, m.Session.Place())
		}
		return isGone
	})
}

// find lists the sessions of the scope by name.
func (s *Scope) find(ctx context.Context) (*source.Listing, []*source.Session, error) {
	find := source.FindDatabase
	info, err := os.Stat(s.Path)
	if err != nil {
		return nil, nil, err
	}
	if info.IsDir() {
		find = source.Find
	}
	place, err := find(ctx, s.Path, source.Options{Fast: true, NamesOnly: true, Home: s.UserHome})
	if err != nil {
		return nil, nil, err
	}
	filter := s.Filter
	if len(filter.Kinds) == 0 {
		filter.Kinds = s.Kinds // a key that has no live session for a moment does not mean an archive
	}
	sessions, err := source.Select(place.Sessions, filter, s.Kinds)
	if err != nil {
		return nil, nil, errors.Join(err, place.Close())
	}
	return place, sessions, nil
}

// look returns a text that changes when sessions may have come or gone. It looks at folders, indexes and databases, and
// opens none.
func (s *Scope) look() string {
	var b strings.Builder
	for _, path := range s.watch {
		b.WriteString(fingerprint(path) + "\n")
	}
	if len(s.watch) == 0 {
		b.WriteString("unsearched")
	}
	return b.String()
}

// Limits of what is watched of a folder.
const (
	watchDepth = 4
	watchMost  = 512
)

// watched lists what changes when a session comes or goes.
func (s *Scope) watched(place *source.Listing) []string {
	list := append([]string{s.Path}, place.Databases...)
	root := filepath.Clean(s.Path)
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || len(list) >= watchMost:
			return fs.SkipDir
		case !entry.IsDir():
			if entry.Name() == "sessions.json" {
				list = append(list, path)
			}
			return nil
		case path == root:
			return nil
		case strings.Count(path[len(root):], string(filepath.Separator)) > watchDepth:
			return fs.SkipDir
		}
		list = append(list, path)
		return nil
	})
	return list
}

func (s *Scope) close() error {
	var errs []error
	for _, p := range s.places {
		errs = append(errs, p.Close())
	}
	return errors.Join(errs...)
}
