package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"clawctl/pkg/store"
)

// A Session is a transcript that was found, with what is known about it without reading it.
type Session struct {
	Key        string
	Aliases    []string // other keys that are registered for it
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

	// Root is the folder that it was found below, as an absolute path; Below is where in it, with slashes.
	Root, Below string

	name          Name
	byName        bool // of a database in which ids are not unique
	open          func() (*Input, error)
	read          func(n int64)                   // told of what is read; nil if nobody wants to know
	stamp         func() (store.Stamp, error)     // nil for a stream
	raw           func() (io.ReadCloser, error)   // of a file
	checkDatabase func(ctx context.Context) error // of a database
}

// Open opens the text of the transcript.
func (s *Session) Open() (*Input, error) {
	in, err := s.open()
	if err == nil && s.read != nil {
		in.watch(s.read)
	}
	return in, err
}

// Stamp returns a stamp that changes when the session may have changed. A stream has none.
func (s *Session) Stamp() (store.Stamp, error) {
	if s.stamp == nil {
		return store.Stamp{}, nil
	}
	return s.stamp()
}

// OpenRaw opens the file of the session without decompressing it. A session in a database has none.
func (s *Session) OpenRaw() (io.ReadCloser, error) {
	if s.raw == nil {
		return nil, fs.ErrNotExist
	}
	return s.raw()
}

// CheckDatabase checks the database of the session for corruption. It reads all of it, once.
func (s *Session) CheckDatabase(ctx context.Context) error {
	if s.checkDatabase == nil {
		return nil
	}
	return s.checkDatabase(ctx)
}

// InStore reports whether the session lies in a store of clawctl's.
func (s *Session) InStore() bool { return s.byName }

// Name is how the session is told from all others: its key, and the generation behind an @ where it is an earlier one.
func (s *Session) Name() string {
	if s.Generation == "" {
		return s.Key
	}
	return s.Key + "@" + s.Generation
}

// Place is where the session lies, in the form of an argument: a file, or PLACE#SESSION in a database.
func (s *Session) Place() string {
	switch {
	case !s.InDatabase:
		return s.Path
	case s.byName:
		return s.Path + "#" + s.Name()
	case s.Generation == "":
		return s.Path + "#" + s.ID
	}
	return s.Path + "#" + s.ID + "@" + s.Generation
}

// NamedByID reports whether the session's file is named by an id, as OpenClaw names them.
func (s *Session) NamedByID() bool { return !s.InDatabase && looksLikeID(s.name.ID) }

// Title is what its registration calls the session, or "".
func (s *Session) Title() string { return oneLine(cmp.Or(s.Entry.Label, s.Entry.Display)) }

// A Place is everything that was found below one argument.
type Place struct {
	Path      string
	Sessions  []*Session
	Problems  []Problem // of the place; those of a session are with it
	Databases []string  // paths of OpenClaw's databases
	Locks     []Lock    // that programs put beside transcripts

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

// Abandon removes the private copies of a place that cannot be closed, because somebody still reads from it.
func (p *Place) Abandon() {
	for _, c := range p.closers {
		if own, ok := c.(interface{ abandon() }); ok {
			own.abandon()
		}
	}
}

// sort brings the sessions into the order of reports: by agent, key, kind and generation.
func (p *Place) sort() {
	slices.SortStableFunc(p.Sessions, func(a, b *Session) int {
		return cmp.Or(
			cmp.Compare(a.Agent, b.Agent), cmp.Compare(a.Key, b.Key),
			cmp.Compare(slices.Index(Kinds, a.Kind), slices.Index(Kinds, b.Kind)),
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
	return fmt.Sprintf("%q matches %d sessions: %s", e.Session, len(e.Names),
		strings.Join(e.Names[:min(10, len(e.Names))], ", "))
}

// Options change how places are searched.
type Options struct {
	// Fast leaves out what takes time with the size of a place: checking databases as a whole.
	Fast bool
	// NamesOnly leaves out the sizes and times of files as well. Completion has no time for them.
	NamesOnly bool
}

// Select returns the sessions that a filter takes. A name that is one exactly, by key, id or name, counts before one
// that only begins so, and a session of the default kinds before the others, which are looked at where the filter has
// no kinds of its own. Several sessions that only begin like the name are ambiguous.
func Select(sessions []*Session, f Filter, defaults []Kind) ([]*Session, error) {
	var agents []*Session
	for _, s := range sessions {
		if len(f.Agents) == 0 || slices.Contains(f.Agents, s.Agent) {
			agents = append(agents, s)
		}
	}
	kinds, wider := f.Kinds, f.Kinds
	if len(kinds) == 0 {
		kinds, wider = defaults, Kinds
	}
	if f.Session == "" {
		return ofKinds(agents, kinds), nil
	}
	for _, fits := range []func(*Session, string) bool{(*Session).isNamed, (*Session).beginsLike} {
		for _, of := range [][]Kind{kinds, wider} {
			found := slices.DeleteFunc(ofKinds(agents, of), func(s *Session) bool { return !fits(s, f.Session) })
			if len(found) > 0 {
				return found, ambiguityError(f.Session, found)
			}
		}
	}
	return nil, nil
}

func (s *Session) isNamed(name string) bool {
	return s.Key == name || s.ID == name || s.Name() == name || s.Generation != "" && s.ID+"@"+s.Generation == name ||
		slices.Contains(s.Aliases, name)
}

func (s *Session) beginsLike(name string) bool {
	if at := strings.LastIndexByte(name, '@'); at > 0 && s.Generation != "" &&
		strings.HasPrefix(s.Generation, name[at+1:]) {
		name = name[:at]
	}
	return strings.HasPrefix(s.Key, name) || strings.HasPrefix(s.ID, name)
}

// MatchesName reports whether a name means the session.
func (s *Session) MatchesName(name string) bool { return s.isNamed(name) || s.beginsLike(name) }

// ambiguityError returns an error if a name is only the beginning of the keys or ids of several sessions.
func ambiguityError(name string, found []*Session) error {
	e := &AmbiguousError{Session: name}
	keys := map[string]bool{}
	for _, s := range found {
		if s.isNamed(name) {
			return nil
		}
		keys[s.Key] = true
		e.Names = append(e.Names, s.Name())
	}
	if len(keys) < 2 {
		return nil
	}
	return e
}

func ofKinds(sessions []*Session, kinds []Kind) (list []*Session) {
	for _, s := range sessions {
		if slices.Contains(kinds, s.Kind) {
			list = append(list, s)
		}
	}
	return list
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
	s := &Session{Agent: agentAbove(filepath.Dir(absolute)), ID: name.ID, Kind: name.Kind, Generation: name.Generation,
		Path: path, name: name}
	s.Key = RecoveredKey(s.Agent, s.ID)
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		s.Bytes, s.Modified = info.Size(), info.ModTime()
	}
	s.Root, s.Below = filepath.Dir(absolute), filepath.Base(absolute)
	s.raw = func() (io.ReadCloser, error) { return os.Open(path) }
	s.stamp = func() (store.Stamp, error) {
		info, err := os.Stat(path)
		if err != nil {
			return store.Stamp{}, err
		}
		return stampOf(info), nil
	}
	s.open = func() (*Input, error) {
		in, err := Open(path)
		if err == nil && isColdArchive(absolute) {
			in = unwrapCold(in)
		}
		return in, err
	}
	return s
}

// Stream returns the session that a stream such as standard input holds. It can be opened once.
func Stream(stream io.Reader, name string) *Session {
	s := &Session{Agent: "main", ID: name, Kind: Live, Path: name, Key: RecoveredKey("main", name)}
	s.Below = name
	s.open = func() (*Input, error) { return Wrap(stream, name) }
	return s
}
