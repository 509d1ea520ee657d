package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"clawctl/internal/failure"
	"clawctl/pkg/export/bundle"
	"clawctl/pkg/store"
	"clawctl/pkg/store/dbfile"
)

// A Lookup resolves what a command line names to sessions. The rules, for every command:
//
//   - An existing path always wins: a file, a folder, a bundle, or a database. PLACE#SESSION is one session of a place.
//   - "-" is standard input.
//   - Any other word is the name of a session: its key, its id, or the beginning of one. It is looked up in the state
//     folder and then in clawctl's store. An exact name in either place beats the beginning of a name.
//   - The name of a file in the state folder is the name of its session. trash:3 is an item of the store's trash.
//   - @last and @1 to @9 name live sessions by recency, the newest first: those of the state folder, or of the store if
//     the state folder has none.
//   - Without a word, the filter alone (--session, --agent, --kind) is looked up the same way.
type Lookup struct {
	State string // the user's state folder; "" if there is none
	Store string // clawctl's own store; it may not exist
	// UserHome is Options.Home.
	UserHome string
	Stdin    io.Reader
	// StdinName is the name of standard input in reports.
	StdinName string
	// Keep is called with every place that is opened. A place must stay open while its sessions are read.
	Keep func(*Listing)

	places    map[placeKey]*Listing
	histories histories // that the files that are named share
}

// A placeKey identifies an opened place and how it was opened.
type placeKey struct {
	path   string
	fast   bool
	byName bool
	ends   bool
}

// placeKey says how a query opens a place: one session does not need all of it to be checked.
func (q Query) placeKey(path string) placeKey {
	return placeKey{path, q.Fast || q.Session != "", q.Session != "", q.Ends && q.Session == "" && len(q.Agents) == 0}
}

// A Query says which sessions of a place are wanted.
type Query struct {
	Filter
	Kinds []Kind // looked at unless the filter has kinds of its own
	Fast  bool   // as in Options
	Ends  bool   // as in Options, if all sessions of a place are wanted
	// AnyText takes a file or a stream that is named for a transcript, whatever its text.
	AnyText bool
	// Legible refuses a file or a stream that is named if none of its records is whole.
	Legible bool
	// StoreOnly looks names up in the store and ignores the state folder.
	StoreOnly bool
	// StoreFirst looks names up in the store. A name that is an argument may also be in the state folder.
	StoreFirst bool
	// OrState takes the state folder for the store if there is no store.
	OrState bool
}

// A Match is the result of resolving an argument.
type Match struct {
	Sessions []*Session
	Places   []*Listing
	ByName   bool   // a single session was requested by name
	AlsoIn   string // another place that has the same session and was not used
	direct   map[*Session]bool
	known    map[string]bool // places of the sessions, once another match was added
}

// ByPlace returns the sessions of each place that has any, and at last those that were named one by one, without a
// place.
func (m *Match) ByPlace() iter.Seq2[*Listing, []*Session] {
	return func(yield func(*Listing, []*Session) bool) {
		rest := m.Sessions
		for _, p := range m.Places {
			var sessions []*Session
			sessions, rest = split(rest, p.Sessions)
			if len(sessions) > 0 && !yield(p, sessions) { // otherwise another argument names the same place
				return
			}
		}
		if len(rest) > 0 {
			yield(nil, rest)
		}
	}
}

// split separates the sessions that are in a list from the others.
func split(sessions, list []*Session) (in, others []*Session) {
	listed := map[*Session]bool{}
	for _, s := range list {
		listed[s] = true
	}
	for _, s := range sessions {
		if listed[s] {
			in = append(in, s)
		} else {
			others = append(others, s)
		}
	}
	return in, others
}

// IsDirect reports whether an argument names the session's file or stream itself.
func (m *Match) IsDirect(s *Session) bool { return m.direct[s] }

// Add appends the sessions of another match. A session that both have is kept once.
func (m *Match) Add(other *Match) {
	m.Places = append(m.Places, other.Places...)
	m.ByName = m.ByName || other.ByName
	for _, s := range other.Sessions {
		if !m.isNew(s) {
			continue
		}
		m.Sessions = append(m.Sessions, s)
		if other.direct[s] {
			m.addDirect(s)
		}
	}
}

// isNew reports whether a match does not have a session yet, and remembers it. Thousands of matches may be added to
// one, so what is known is not collected anew each time.
func (m *Match) isNew(s *Session) bool {
	if m.known == nil {
		m.known = map[string]bool{}
		for _, own := range m.Sessions {
			m.known[own.Place()] = true
		}
	}
	place := s.Place()
	isNew := !m.known[place]
	m.known[place] = true
	return isNew
}

func (m *Match) addDirect(s *Session) {
	if m.direct == nil {
		m.direct = map[*Session]bool{}
	}
	m.direct[s] = true
}

// A NoSessionError says that a place exists but has no session that matches.
type NoSessionError struct {
	Place *Listing // nil if the argument is a name that no place has
	Path  string   // the place that was searched, or "" for all
	Query Query
	Known []*Session // what was looked at
}

func (e *NoSessionError) Error() string {
	switch {
	case e.Query.Session != "":
		return fmt.Sprintf("no session %s", e.Query.Session)
	case e.Place != nil && len(e.Place.Sessions) > 0:
		return "no transcript of that agent and kind"
	}
	return "no transcripts"
}

// FailureAt says which command lists what there is.
func (e *NoSessionError) FailureAt(string) *failure.Error {
	hint := "clawctl sessions"
	switch {
	case e.Place != nil && len(e.Place.Sessions) == 0:
		hint = "clawctl env"
	case e.Path != "":
		hint = failure.Command("clawctl", "sessions", e.Path)
	}
	return failure.New(failure.Nothing, "%v", e).At(e.Path).WithHint(hint)
}

// An UnknownNameError says that a word is neither a path nor the name of a session.
type UnknownNameError struct {
	Name  string
	Known []*Session // what was looked at
	// Trashed is the name of an item of the store's trash with this key or id, or "".
	Trashed string
	err     error // of the path
}

func (e *UnknownNameError) Error() string {
	if e.Trashed != "" {
		return "no file or session has this name, but " + e.Trashed + " in the trash of the store has"
	}
	return "no file or session has this name"
}

// Unwrap returns the error of the path, which does not exist.
func (e *UnknownNameError) Unwrap() error { return e.err }

// FailureAt is the failure of an argument.
func (e *UnknownNameError) FailureAt(argument string) *failure.Error {
	return failure.New(failure.NotFound, "%v", e).At(argument)
}

// ErrNoName is the error for a PLACE# without a session.
var ErrNoName = errors.New("no session after #")

// ErrNoStore is the error of a lookup in the store if there is none.
var ErrNoStore = errors.New("no clawctl store")

// isNoStore reports whether nothing was ever imported.
func isNoStore(err error) bool {
	return errors.Is(err, ErrNoStore) || errors.Is(err, dbfile.ErrUnfinished)
}

// ErrNoHome is the error of a lookup without a path if there is neither a state folder nor a store.
var ErrNoHome = errors.New("no OpenClaw state folder")

// Argument resolves one word of a command line.
func (l *Lookup) Argument(ctx context.Context, word string, q Query) (*Match, error) {
	if word == "-" {
		return directMatch(Stream(l.Stdin, l.StdinName), q)
	}
	path, name, info, err := SplitPlace(word)
	switch {
	case err == nil && name != "":
		q.Session = name
		return l.path(ctx, path, info, q)
	case err == nil:
		return l.path(ctx, path, info, q)
	case !errors.Is(err, fs.ErrNotExist) || word == "" || q.Session != "":
		return nil, err
	case LooksLikePath(word):
		return l.fileAtHome(ctx, word, q, err)
	}
	q.Session = word
	m, lookupErr := l.named(ctx, q)
	if errors.As(lookupErr, new(*NoSessionError)) || errors.Is(lookupErr, ErrNoHome) || isNoStore(lookupErr) {
		return nil, &UnknownNameError{word, l.knownAtHome(q), l.nameInTrash(q, word), err}
	}
	return m, lookupErr
}

// fileAtHome resolves a word that looks like a path and is none: the name of a file as commands print it, without the
// folders of the state folder. Otherwise it returns the error of the path.
func (l *Lookup) fileAtHome(ctx context.Context, word string, q Query, notFound error) (*Match, error) {
	if filepath.IsAbs(word) || strings.HasPrefix(word, ".") || strings.HasPrefix(word, "~") {
		return nil, notFound
	}
	q.Session, q.Exact = word, true
	if m, err := l.named(ctx, q); err == nil {
		return m, nil
	}
	return nil, notFound
}

// LooksLikePath reports whether a word that is not an existing file can only be meant as a path.
func LooksLikePath(word string) bool {
	return strings.ContainsAny(word, `/\`) || strings.HasPrefix(word, ".") || strings.HasPrefix(word, "~") ||
		strings.Contains(word, ".jsonl")
}

// knownAtHome returns the sessions that a query without a path looked at.
func (l *Lookup) knownAtHome(q Query) []*Session {
	var known []*Session
	for _, path := range []string{l.State, l.Store} {
		if q.StoreOnly && path != l.Store {
			continue
		}
		if place := l.places[q.placeKey(path)]; place != nil {
			known = append(known, place.Sessions...)
		}
	}
	return known
}

// nameInTrash returns the name of the latest item of the store's trash with a key or id, or "".
func (l *Lookup) nameInTrash(q Query, name string) string {
	place := l.places[q.placeKey(l.Store)]
	if q.Session = name; place == nil {
		place = l.places[q.placeKey(l.Store)]
	}
	if place == nil || place.store == nil {
		return ""
	}
	items, _ := place.store.Trash(context.Background()) // of a store that cannot be read, none is known
	for _, item := range items {
		if item.Key == name || item.Transcript.SessionID == name {
			return item.Name()
		}
	}
	return ""
}

// Home resolves a query without a path: in the state folder, then in the store.
func (l *Lookup) Home(ctx context.Context, q Query) (*Match, error) {
	orState := q.OrState && !q.StoreOnly
	q.StoreOnly = q.StoreOnly || q.StoreFirst
	m, err := l.named(ctx, q)
	if orState && isNoStore(err) {
		q.StoreOnly, q.StoreFirst = false, false
		return l.named(ctx, q)
	}
	return m, err
}

// named is Home for a name that is an argument.
func (l *Lookup) named(ctx context.Context, q Query) (*Match, error) {
	m, err := l.home(ctx, q)
	var none *NoSessionError
	if errors.As(err, &none) {
		none.Known = l.knownAtHome(q)
	}
	return m, err
}

func (l *Lookup) home(ctx context.Context, q Query) (*Match, error) {
	if q.StoreOnly || q.StoreFirst {
		m, err := l.inStore(ctx, q)
		isNothing := errors.As(err, new(*NoSessionError)) || isNoStore(err)
		if q.StoreOnly || !isNothing {
			return m, err
		}
	}
	state, stateErr := l.homePlace(ctx, l.State, q)
	if state == nil && stateErr == nil && l.State != "" {
		stateErr = ErrNoHome
	}
	if !q.narrows() {
		return l.wholeHome(ctx, state, stateErr, q)
	}
	store, storeErr := l.homePlace(ctx, l.Store, q)
	switch {
	case state == nil && store == nil:
		return nil, cmp.Or(storeErr, stateErr, ErrNoHome)
	case store == nil:
		m, err := l.in(state, q)
		if err != nil && storeErr != nil {
			err = storeErr // the store might have it, but cannot be read
		}
		return m, err
	case state == nil:
		return l.in(store, q)
	}
	return l.inEither(state, store, q)
}

// wholeHome returns everything in the state folder or, if there is none, in the store.
func (l *Lookup) wholeHome(ctx context.Context, state *Listing, stateErr error, q Query) (*Match, error) {
	if !errors.Is(stateErr, ErrNoHome) {
		if stateErr != nil {
			return nil, stateErr
		}
		return l.in(state, q)
	}
	store, err := l.homePlace(ctx, l.Store, q)
	if store == nil {
		return nil, cmp.Or(err, stateErr)
	}
	return l.in(store, q)
}

// inStore resolves a query in the store alone.
func (l *Lookup) inStore(ctx context.Context, q Query) (*Match, error) {
	store, err := l.homePlace(ctx, l.Store, q)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(l.Store); store == nil && err == nil {
		return nil, &fs.PathError{Op: "open", Path: l.Store, Err: dbfile.ErrUnfinished}
	}
	if store == nil {
		return nil, ErrNoStore
	}
	return l.in(store, q)
}

// narrows reports whether the filter excludes anything.
func (q Query) narrows() bool { return q.Session != "" || len(q.Agents) > 0 || len(q.Filter.Kinds) > 0 }

// homePlace opens the state folder or the store. It returns nil if the path does not exist, or if the store is empty.
func (l *Lookup) homePlace(ctx context.Context, path string, q Query) (*Listing, error) {
	if path == "" {
		return nil, nil
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() && info.Size() == 0 {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	place, err := l.open(ctx, path, info, q)
	if errors.Is(err, dbfile.ErrUnfinished) {
		return nil, nil
	}
	return place, err
}

// inEither chooses between two places: an exact name before the beginning of one, then the first place.
func (l *Lookup) inEither(state, store *Listing, q Query) (*Match, error) {
	if _, ok := ParseRecency(q.Session); ok {
		return l.recent(state, store, q)
	}
	first, firstErr := l.in(state, q)
	second, secondErr := l.in(store, q)
	switch {
	case firstErr != nil && secondErr == nil && (!isAmbiguous(firstErr) || second.isExact(q.Session)):
		return second, nil
	case firstErr != nil || secondErr != nil:
		return first, firstErr
	case second.isExact(q.Session) && !first.isExact(q.Session):
		return second, nil
	case second.isExact(q.Session) == first.isExact(q.Session):
		first.AlsoIn = store.Path
	}
	return first, nil
}

// recent resolves a name by recency. The ranks are those of one place, the first that has any session for them.
func (l *Lookup) recent(state, store *Listing, q Query) (*Match, error) {
	newest := q
	newest.Session = "@last"
	if _, err := l.in(state, newest); err == nil {
		return l.in(state, q)
	}
	return l.in(store, q)
}

func isAmbiguous(err error) bool { return errors.As(err, new(*AmbiguousError)) }

// isExact reports whether a name is the complete name of a session.
func (m *Match) isExact(name string) bool {
	return slices.ContainsFunc(m.Sessions, func(s *Session) bool { return s.isNamed(name) })
}

// path resolves a path that exists.
func (l *Lookup) path(ctx context.Context, path string, info fs.FileInfo, q Query) (*Match, error) {
	if info.Mode().IsRegular() {
		if _, err := dbfile.ReadHeader(path); errors.Is(err, fs.ErrPermission) {
			return nil, err // nobody knows what it is
		}
	}
	if !info.IsDir() && !(info.Mode().IsRegular() && (dbfile.Is(path) || bundle.Is(path))) {
		s := File(path)
		s.histories = &l.histories
		if q.Session != "" && !s.matchesName(q.Session) {
			return nil, &NoSessionError{Path: path, Query: q, Known: []*Session{s}}
		}
		if q.Exact && q.Session != "" && !s.isNamed(q.Session) {
			return nil, &InexactError{q.Session, s.Name()}
		}
		return directMatch(s, q)
	}
	place, err := l.open(ctx, path, info, q)
	if err != nil {
		return nil, err
	}
	return l.in(place, q)
}

// open opens a folder, a bundle or a database, once.
func (l *Lookup) open(ctx context.Context, path string, info fs.FileInfo, q Query) (place *Listing, err error) {
	key := q.placeKey(path)
	opts := Options{Fast: key.fast, ByName: key.byName, Ends: key.ends, Home: l.UserHome}
	if place := l.places[key]; place != nil {
		return place, nil
	}
	switch {
	case info.IsDir():
		place, err = Find(ctx, path, opts)
	case bundle.Is(path):
		place, err = findBundle(ctx, path, opts)
	default:
		place, err = FindDatabase(ctx, path, opts)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	if l.places == nil {
		l.places = map[placeKey]*Listing{}
	}
	l.places[key] = place
	if l.Keep != nil {
		l.Keep(place)
	}
	return place, nil
}

// in selects sessions of a place.
func (l *Lookup) in(place *Listing, q Query) (*Match, error) {
	sessions, err := Select(place.Sessions, q.Filter, q.Kinds)
	if err != nil {
		return nil, err
	}
	if len(sessions) == 0 && strings.Contains(q.Session, store.TrashPrefix) {
		sessions, err = place.trashed(q.Filter)
	}
	if err != nil {
		return nil, err
	}
	if len(sessions) == 0 {
		return nil, &NoSessionError{Place: place, Path: place.Path, Query: q, Known: place.Sessions}
	}
	return &Match{Sessions: sessions, Places: []*Listing{place}, ByName: q.Session != ""}, nil
}

// SplitPlace splits PLACE#SESSION. An existing path wins, then the longest existing place.
func SplitPlace(word string) (path, name string, info fs.FileInfo, err error) {
	if info, err = os.Stat(word); err == nil {
		return word, "", info, nil
	}
	for at := len(word) - 1; at > 0; at-- {
		if word[at] != '#' {
			continue
		}
		placeInfo, placeErr := os.Stat(word[:at])
		switch {
		case placeErr != nil:
			continue
		case at == len(word)-1:
			return "", "", nil, &fs.PathError{Op: "open", Path: word[:at], Err: ErrNoName}
		}
		return word[:at], word[at+1:], placeInfo, nil
	}
	return word, "", nil, err
}
