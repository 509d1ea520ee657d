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

	"clawctl/internal/failure"
	"clawctl/internal/openfile"
	"clawctl/internal/spool"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source/openclaw"
	"clawctl/pkg/store"
)

// A Session is a transcript and what is known about it without reading it.
type Session struct {
	Key        string
	Aliases    []string // other keys registered for it
	Agent      string
	ID         string
	Kind       Kind
	Generation string // which earlier state it is; "" for the current one
	Path       string // of its file, or of the database that holds it
	InDatabase bool
	Bytes      int64 // size as stored; 0 if it is not known
	Modified   time.Time
	Listed     bool           // a registration names it
	Entry      openclaw.Entry // that registration
	IsLookedUp bool           // the registrations beside its file were read
	Problems   []Problem
	JobName    string // of its cron job, as OpenClaw lists it; "" if nothing says so
	Host       string // the name of the host that it comes from; "" if nobody has named it
	AppVersion string // of the OpenClaw that wrote its database last; "" if nothing says so

	// Bindings are the sessions of other programs that did its work, as far as somebody has asked package harness.
	Bindings []Binding

	// Root is the absolute path of the folder that was searched. Below is the path inside it, with slashes.
	Root, Below string

	tally         problemTally
	reach         string // the absolute path of the folder in which what belongs to it is looked for
	name          Name
	byName        bool // from a database in which ids are not unique
	inBundle      bool
	spooled       *spool.Section     // its text in a private file, or nil
	joined        *join              // its text with that of other programs, or nil
	hasRows       bool               // it is in rows of an OpenClaw database
	byContent     bool               // its file's name does not say that it is a transcript
	recognition   *jsonl.Recognition // nil until somebody asks
	open          func() (*Input, error)
	read          func(n int64)                   // called with the number of bytes read; may be nil
	stamp         func() (store.Stamp, error)     // nil for a stream
	raw           func() (io.ReadCloser, error)   // of a file
	checkDatabase func(ctx context.Context) error // of a database
	measure       func(ctx context.Context) error // sets Bytes; nil if they are known
	endTime       func() time.Time                // of the last record; nil if its text must be read for it
	lastUsed      *time.Time                      // nil until somebody asks
	title         *string                         // nil until somebody asks
	headed        *jsonl.Header                   // nil until somebody asks
	histories     *histories                      // shared with those found together; nil until somebody asks
}

// Open opens the text of the transcript.
func (s *Session) Open() (*Input, error) {
	in, err := s.open()
	if err != nil {
		return in, err
	}
	if s.read != nil {
		in.watch(s.read)
	}
	return in, nil
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

// IsFile reports whether the session is a regular file, neither part of a database nor a pipe.
func (s *Session) IsFile() bool {
	if s.InDatabase || s.inBundle || s.raw == nil {
		return false
	}
	info, err := os.Stat(s.AbsolutePath())
	return err == nil && info.Mode().IsRegular()
}

// OpensAgain reports whether the session can be read a second time. A pipe cannot.
func (s *Session) OpensAgain() bool {
	if s.InDatabase || s.inBundle {
		return true
	}
	info, err := os.Stat(s.Path)
	return err == nil && info.Mode().IsRegular()
}

// CheckDatabase checks the database of the session for corruption. It reads all of it, once.
func (s *Session) CheckDatabase(ctx context.Context) error {
	if s.checkDatabase == nil {
		return nil
	}
	return s.checkDatabase(ctx)
}

// IsMeasured reports whether the size of the session is known.
func (s *Session) IsMeasured() bool { return s.measure == nil }

// Measure finds out the size of a session in a database that was too large to be measured as a whole.
func (s *Session) Measure(ctx context.Context) error {
	if s.measure == nil {
		return nil
	}
	return s.measure(ctx)
}

// InStore reports whether the session is in a clawctl store.
func (s *Session) InStore() bool { return s.byName }

// HasRows reports whether the session is in rows of an OpenClaw database that a GrowingDatabase reads.
func (s *Session) HasRows() bool { return s.hasRows }

// Name returns the unique name of the session: its key and, for an earlier generation, an @ and the generation.
func (s *Session) Name() string {
	if s.Generation == "" {
		return s.Key
	}
	return s.Key + "@" + s.Generation
}

// NameAmong returns the name of a session of the state folder, or its place if another of the sessions has that name.
func (s *Session) NameAmong(sessions []*Session) string {
	same := func(other *Session) bool { return other != s && other.Name() == s.Name() }
	if slices.ContainsFunc(sessions, same) {
		return s.Place()
	}
	return s.Name()
}

// Place returns the location of the session in the form of an argument: a file, or PLACE#SESSION for a database.
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

// AbsolutePath returns the absolute path of the session's file.
func (s *Session) AbsolutePath() string { return filepath.Join(s.Root, filepath.FromSlash(s.Below)) }

// NamedByID reports whether the session's file is named after an id, as OpenClaw names files.
func (s *Session) NamedByID() bool { return !s.InDatabase && LooksLikeID(s.name.ID) }

// Title returns the title from the session's registration, or "".
func (s *Session) Title() string { return oneLine(cmp.Or(s.Entry.Label, s.Entry.Display)) }

// TotalBytes returns the size of sessions as stored.
func TotalBytes(sessions []*Session) (total int64) {
	for _, s := range sessions {
		total += s.Bytes
	}
	return total
}

// A Listing is everything found below one argument.
type Listing struct {
	Path      string
	Sessions  []*Session
	Problems  []Problem       // of the place; each session has its own
	Databases []string        // paths of OpenClaw's databases
	Locks     []openclaw.Lock // that OpenClaw put beside transcripts
	Skipped   []SkippedFile   // what was found and is not a transcript

	agents  map[string]string // of databases, also of those that cannot be read
	tally   problemTally
	kept    []MediaFile // what programs keep beside sessions
	root    tree        // what was searched; nil for a database
	bundle  bool        // it is a bundle
	closers []io.Closer
	store   *store.Reader
}

// AgentOf returns the agent of one of the place's databases, also of one that cannot be read.
func (p *Listing) AgentOf(database string) string { return p.agents[database] }

// owns notes the agent of a database.
func (p *Listing) owns(database, agent string) {
	if p.agents == nil {
		p.agents = map[string]string{}
	}
	p.agents[database] = agent
}

// Store returns the clawctl store that the place is, or nil. It is the state from which the sessions were listed, and
// is closed with the place.
func (p *Listing) Store() *store.Reader { return p.store }

// Close releases the folders and databases of the place. Its sessions can no longer be opened.
func (p *Listing) Close() error {
	var errs []error
	for _, c := range p.closers {
		errs = append(errs, c.Close())
	}
	p.closers = nil
	return errors.Join(errs...)
}

// Abandon removes the private copies of a place that cannot be closed because it is still being read.
func (p *Listing) Abandon() {
	for _, c := range p.closers {
		if own, ok := c.(interface{ abandon() }); ok {
			own.abandon()
		}
	}
}

// sort sorts the sessions for reports: by agent, key, kind and generation.
func (p *Listing) sort() {
	slices.SortStableFunc(p.Sessions, func(a, b *Session) int {
		return cmp.Or(
			cmp.Compare(a.Agent, b.Agent), cmp.Compare(a.Key, b.Key),
			cmp.Compare(slices.Index(Kinds, a.Kind), slices.Index(Kinds, b.Kind)),
			cmp.Compare(a.Generation, b.Generation), cmp.Compare(a.Path, b.Path))
	})
}

// A Filter selects sessions. The zero Filter selects all.
type Filter struct {
	Session string // a key, an id, the beginning of one, @last, or @1 to @9
	Exact   bool   // Session must be a whole key or id, or a short name
	Agents  []string
	Kinds   []Kind
}

// An AmbiguousError lists the sessions whose names begin with the given one.
type AmbiguousError struct {
	Session string
	Names   []string
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%q matches %d sessions", e.Session, len(e.Names))
}

// FailureAt is the failure of a name that is too short. It lists what the name may mean.
func (e *AmbiguousError) FailureAt(string) *failure.Error {
	return failure.Usage("", "%v:", e).WithList(e.Names)
}

// Options change how places are searched.
type Options struct {
	// Fast skips the checks that take longer the larger a place is, such as checking complete databases.
	Fast bool
	// NamesOnly leaves out the sizes and times of sessions as well. Completion has no time for them.
	NamesOnly bool
	// ByName does not look into files that are named like transcripts, for a search that ends with a few of them. Select
	// looks into those that it returns.
	ByName bool
	// Ends also finds out when sessions were used last, while their files are open. ReadEnds opens them again for it.
	Ends bool
	// MeasureUpTo leaves out the sizes of the sessions in a database with more bytes than that, because adding them up
	// reads all of it. If it is 0, there is no limit. Session.Measure adds them up for one session.
	MeasureUpTo int64
	// Home is what ~ means in OpenClaw's configuration. It is not read.
	Home string
}

// Select returns the sessions that a filter selects. An exact key, id or name wins over the beginning of one. If the
// filter has no kinds, sessions of the default kinds win over the others. A name that is none of these may be a title.
// A name that is only the beginning of several sessions' names, or the title of several, is ambiguous. @last and @1 to
// @9 are live sessions by recency, unless the filter has kinds. With Exact, a session that is found by recency, by its
// title, or by the beginning of its name that is not its short name, is an InexactError. A file that is not a
// transcript is not found by a name.
func Select(sessions []*Session, f Filter, defaults []Kind) ([]*Session, error) {
	selected, err := selectSessions(sessions, f, defaults)
	if err != nil {
		return selected, err
	}
	if f.Exact && f.Session != "" && len(selected) > 0 && !selected[0].isNamed(f.Session) &&
		ShortNames(sessions)[selected[0]] != f.Session {
		return nil, &InexactError{f.Session, selected[0].Name()}
	}
	return selected, nil
}

func selectSessions(sessions []*Session, f Filter, defaults []Kind) ([]*Session, error) {
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
	if rank, ok := ParseRecency(f.Session); ok {
		if len(f.Kinds) == 0 {
			kinds = []Kind{Live}
		}
		return byRecency(ofKinds(agents, kinds), rank), nil
	}
	for _, fits := range []func(*Session, string) bool{(*Session).isNamed, (*Session).beginsLike} {
		for _, of := range [][]Kind{kinds, wider} {
			found := slices.DeleteFunc(ofKinds(agents, of), func(s *Session) bool {
				return !fits(s, f.Session) || !s.IsTranscript()
			})
			if len(found) > 0 {
				return found, ambiguityError(f.Session, found)
			}
		}
	}
	found := byTitle(ofKinds(agents, kinds), f.Session)
	if len(found) == 0 {
		found = byTitle(ofKinds(agents, wider), f.Session)
	}
	return found, ambiguityError(f.Session, found)
}

// byTitle returns the sessions with a title. Files are read for it only if their program gives sessions no keys. To
// read all files of a home because of a mistyped key would take long.
func byTitle(sessions []*Session, title string) []*Session {
	var found []*Session
	for _, s := range sessions {
		own := s.Title()
		if owner := s.FolderOwner(); owner != nil && owner.NamesByID {
			own = s.ReadTitle(context.Background())
		}
		if own != "" && strings.EqualFold(own, strings.TrimSpace(title)) {
			found = append(found, s)
		}
	}
	return found
}

func (s *Session) isNamed(name string) bool {
	return s.Key == name || s.ID == name || s.Name() == name || s.Generation != "" && s.ID+"@"+s.Generation == name ||
		s.isFileName(name) || slices.Contains(s.Aliases, name) || s.isLiveNamed(name)
}

// isLiveNamed reports whether a name is the key or id of a live session with the suffix that excludes archives.
func (s *Session) isLiveNamed(name string) bool {
	base, ok := strings.CutSuffix(name, liveSuffix)
	return ok && s.isLive() && (s.Key == base || s.ID == base)
}

func (s *Session) beginsLike(name string) bool {
	if base, ok := strings.CutSuffix(name, liveSuffix); ok && s.isLive() {
		name = base
	} else if at := strings.LastIndexByte(name, '@'); at > 0 && s.Generation != "" &&
		strings.HasPrefix(s.Generation, name[at+1:]) {
		name = name[:at]
	}
	return strings.HasPrefix(s.Key, name) || strings.HasPrefix(s.ID, name)
}

// matchesName reports whether a name refers to the session, if there is no other.
func (s *Session) matchesName(name string) bool {
	rank, _ := ParseRecency(name)
	return rank == 1 || s.isNamed(name) || s.beginsLike(name)
}

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

// File returns the session of a single file. The file is opened as it is, even if it is a link or a pipe.
func File(path string) *Session {
	s := newFile(path, func() (fs.File, error) { return openUnused(path, openfile.Regular) })
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		s.Bytes, s.Modified = info.Size(), info.ModTime()
	} else {
		s.endTime = neverRead
	}
	s.readFile(func() (fs.File, error) { return openUnused(path, openfile.Named) },
		func() (fs.FileInfo, error) { return os.Stat(path) }, true)
	return s
}

// readFile makes the session read a file, which may be irregular if the user has named it.
func (s *Session) readFile(open func() (fs.File, error), stat func() (fs.FileInfo, error), isNamed bool) {
	isCold := s.spooled == nil && s.joined == nil && isColdArchive(s.AbsolutePath())
	s.raw = func() (io.ReadCloser, error) { return open() }
	s.stamp = func() (store.Stamp, error) {
		info, err := stat()
		if err != nil {
			return store.Stamp{}, err
		}
		return stampOf(info), nil
	}
	s.open = func() (*Input, error) {
		file, err := open()
		if err != nil {
			return nil, err
		}
		in, err := fileInput(file, s.Path, isNamed)
		if err == nil && isCold {
			in = unwrapCold(in)
		}
		return in, err
	}
}

// newFile returns the session in a file by its path and, if its name says too little, its beginning.
func newFile(path string, open func() (fs.File, error)) *Session {
	base := path[strings.LastIndexAny(path, `/\`)+1:]
	absolute, err := filepath.Abs(path)
	if err != nil {
		absolute = path
	}
	folder := filepath.Dir(absolute)
	owner := folderOwner(folder)
	name := nameOfFile(path, base, open).in(archiveAbove(folder)).of(owner, folder)
	s := &Session{Agent: agentAbove(folder), ID: name.ID, Kind: name.Kind, Generation: name.Generation,
		Path: path, Root: folder, Below: filepath.Base(absolute), reach: reachOf(owner, folder), name: name}
	s.Key = unlistedKey(owner, s.Agent, s.ID)
	return s
}

// Stream returns the session in a stream such as standard input. It can be opened once.
func Stream(stream io.Reader, name string) *Session {
	s := &Session{Agent: "main", ID: name, Kind: Live, Path: name, Key: RecoveredKey("main", name)}
	s.Below, s.endTime = name, neverRead
	s.open = func() (*Input, error) { return Wrap(stream, name) }
	return s
}
