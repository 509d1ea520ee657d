package source

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A Session is one transcript that was found, and what is known of it without reading it.
type Session struct {
	Key        string
	Agent      string
	ID         string
	Kind       Kind
	Generation string // which earlier state it is; "" for the current one
	Path       string // of its file, or of the database that holds it
	InDatabase bool
	Bytes      int64 // as it lies there
	Modified   time.Time
	Listed     bool  // a registration names it
	Entry      Entry // that registration
	Problems   []Problem

	name Name
	open func() (*Input, error)
}

// Open opens the transcript: a stream of lines, wherever it lies.
func (s *Session) Open() (*Input, error) { return s.open() }

// Name is how the session is told from all others: its key, and the generation behind an @ where it is an earlier one.
func (s *Session) Name() string {
	if s.Generation == "" {
		return s.Key
	}
	return s.Key + "@" + s.Generation
}

// Title is what its registration calls the session, or "".
func (s *Session) Title() string { return cmp.Or(s.Entry.Label, s.Entry.Display) }

// A Place is everything that was found below one argument.
type Place struct {
	Path      string
	Sessions  []*Session
	Problems  []Problem // of the place; those of a session are with it
	Databases []string  // paths of OpenClaw's databases
	Indexes   []string  // paths of sessions.json files

	closers []io.Closer
}

// Close releases the folders and databases of the place. Its sessions cannot be opened any more.
func (p *Place) Close() error {
	var errs []error
	for _, c := range p.closers {
		errs = append(errs, c.Close())
	}
	p.closers = nil
	return errors.Join(errs...)
}

// sort brings the sessions into the order of reports: by agent, key, kind and generation.
func (p *Place) sort() {
	slices.SortStableFunc(p.Sessions, func(a, b *Session) int {
		return cmp.Or(
			cmp.Compare(a.Agent, b.Agent), cmp.Compare(a.Key, b.Key), cmp.Compare(slices.Index(Kinds, a.Kind), slices.Index(Kinds, b.Kind)),
			cmp.Compare(a.Generation, b.Generation), cmp.Compare(a.Path, b.Path))
	})
}

// A Filter narrows sessions. The zero Filter takes all.
type Filter struct {
	Session string // a key, an id, or the beginning of one
	Agents  []string
	Kinds   []Kind
}

// An AmbiguousError names the sessions that the beginning of a name fits.
type AmbiguousError struct {
	Session string
	Names   []string
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%q fits %d sessions: %s", e.Session, len(e.Names), strings.Join(e.Names[:min(10, len(e.Names))], ", "))
}

// Select returns the sessions that a filter takes. A session that is named exactly, by key, id or name, is taken of
// every kind where the filter has none of its own and nothing live is named so. Several sessions that only begin like
// the name are ambiguous.
func Select(sessions []*Session, f Filter, defaults []Kind) ([]*Session, error) {
	var agents []*Session
	for _, s := range sessions {
		if len(f.Agents) == 0 || slices.Contains(f.Agents, s.Agent) {
			agents = append(agents, s)
		}
	}
	kinds := f.Kinds
	if len(kinds) == 0 {
		kinds = defaults
	}
	found, err := selectNamed(ofKinds(agents, kinds), f.Session)
	if len(found) == 0 && err == nil && f.Session != "" && len(f.Kinds) == 0 {
		return selectNamed(agents, f.Session)
	}
	return found, err
}

func ofKinds(sessions []*Session, kinds []Kind) (list []*Session) {
	for _, s := range sessions {
		if slices.Contains(kinds, s.Kind) {
			list = append(list, s)
		}
	}
	return list
}

func selectNamed(sessions []*Session, name string) ([]*Session, error) {
	if name == "" {
		return sessions, nil
	}
	var exact, begun []*Session
	names := map[string]bool{}
	for _, s := range sessions {
		switch {
		case s.Key == name || s.ID == name || s.Name() == name:
			exact = append(exact, s)
		case strings.HasPrefix(s.Key, name) || strings.HasPrefix(s.ID, name):
			begun = append(begun, s)
			names[s.Key] = true
		}
	}
	if len(exact) > 0 {
		return exact, nil
	}
	if len(names) > 1 {
		e := &AmbiguousError{Session: name}
		for _, s := range begun {
			e.Names = append(e.Names, s.Name())
		}
		return nil, e
	}
	return begun, nil
}

// File returns the session of a single file, which is opened as it is, link or pipe.
func File(path string) *Session {
	base := path[strings.LastIndexAny(path, `/\`)+1:]
	name, ok := ParseName(base)
	if !ok {
		name = Name{ID: base, Kind: Live}
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		absolute = path
	}
	s := &Session{Agent: agentOf(absolute), ID: name.ID, Kind: name.Kind, Generation: name.Generation, Path: path, name: name}
	s.Key = RecoveredKey(s.Agent, s.ID)
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		s.Bytes, s.Modified = info.Size(), info.ModTime()
	}
	s.open = func() (*Input, error) { return Open(path) }
	return s
}

// Stream returns the session that a stream such as standard input holds. It can be opened once.
func Stream(stream io.Reader, name string) *Session {
	s := &Session{Agent: "main", ID: name, Kind: Live, Path: name, Key: RecoveredKey("main", name)}
	s.open = func() (*Input, error) { return Wrap(stream, name) }
	return s
}
