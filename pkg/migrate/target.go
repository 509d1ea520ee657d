package migrate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"slices"
	"sync"

	"clawctl/internal/failure"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
	"clawctl/pkg/store/dbfile"
)

// A TargetKind is a kind of target.
type TargetKind int

// The kinds of targets.
const (
	ClawctlStore     TargetKind = iota + 1
	OpenClawDatabase            // a single database
	StateFolder                 // a folder with a database for each agent
)

// String returns the name of the kind, for use before a path.
func (k TargetKind) String() string {
	switch k {
	case ClawctlStore:
		return "clawctl store"
	case OpenClawDatabase:
		return "OpenClaw database"
	case StateFolder:
		return "OpenClaw databases below"
	}
	return "unknown target"
}

// A Location says where a target is.
type Location struct {
	Kind TargetKind
	Path string
}

// String describes the location for people, as in "clawctl store /data/sessions.db".
func (l Location) String() string { return l.Kind.String() + " " + l.Path }

// A Target is what sources are compared with: a clawctl store or OpenClaw databases.
type Target struct {
	Location
	Sessions []*source.Session

	exact  bool // it keeps every byte and the order; otherwise it has a row for each record
	place  *source.Listing
	reader *store.Reader // of the place; nil unless the target is a store
	byID   map[string][]*source.Session
	byKey  map[string][]*source.Session

	byName      map[string]*source.Session        // for a store
	receipts    map[string]*store.ImportReceipt   // for a store: the current ones, by ReceiptPath
	lost        map[string]bool                   // sessions whose archive is lost
	transcripts map[string]*store.Transcript      // for a store: by key
	packed      map[string][]*store.ImportReceipt // for a store: of compressed sources, by the digest of their bytes

	mu      sync.Mutex
	digests map[*source.Session]error // for a store: the results of checkDigest
}

// ErrNotDatabase is the error for a path that is neither a database nor a folder.
var ErrNotDatabase error = notDatabaseError{}

type notDatabaseError struct{}

func (notDatabaseError) Error() string { return "neither a database nor a folder with databases" }

// FailureAt is wrong usage: somebody has named the path.
func (e notDatabaseError) FailureAt(place string) *failure.Error {
	return failure.Usage("clawctl help verify", "%s is %v", place, e)
}

// A NoSessionsError is the error for databases without sessions and for a folder without databases.
type NoSessionsError struct {
	Path    string
	Problem *source.Problem // what could not be read, or nil
}

func (e *NoSessionsError) Error() string {
	if e.Problem != nil {
		return e.Problem.Code.Words()
	}
	return "no database with sessions"
}

// FailureAt is the failure of a place without anything to compare with.
func (e *NoSessionsError) FailureAt(place string) *failure.Error {
	return failure.New(failure.Nothing, "no database with sessions, and no clawctl store").At(place)
}

// Unwrap returns why a database could not be read.
func (e *NoSessionsError) Unwrap() error {
	if e.Problem == nil {
		return nil
	}
	return e.Problem.Err
}

// OpenTarget opens a clawctl store, an OpenClaw database or a state folder with databases. It returns ErrNotDatabase, a
// *NoSessionsError, or the error that prevents reading the path. home is the user's home folder, for the paths in a
// configuration.
func OpenTarget(ctx context.Context, path, home string) (*Target, error) {
	location, err := locate(ctx, path)
	if err != nil {
		return nil, err
	}
	find := source.FindDatabase
	if location.Kind == StateFolder {
		find = source.Find
	}
	place, err := find(ctx, path, source.Options{Home: home})
	if err != nil {
		return nil, err
	}
	t, err := TargetAt(ctx, location.Kind, place)
	if err != nil {
		place.Close()
		return nil, err
	}
	return t, nil
}

// TargetAt returns the databases of a place that is already open, or the store that the place is, as a target. Closing
// the target closes the place.
func TargetAt(ctx context.Context, kind TargetKind, place *source.Listing) (*Target, error) {
	t := &Target{Location: Location{kind, place.Path}, place: place, digests: map[*source.Session]error{}}
	use := t.useDatabases
	if kind == ClawctlStore {
		use = func() error { return t.openStore(ctx) }
	}
	if err := use(); err != nil {
		return nil, err
	}
	t.byID, t.byKey = map[string][]*source.Session{}, map[string][]*source.Session{}
	for _, s := range t.Sessions {
		t.byID[s.ID] = append(t.byID[s.ID], s)
		t.byKey[s.Key] = append(t.byKey[s.Key], s)
	}
	return t, nil
}

// locate determines what is at a path.
func locate(ctx context.Context, path string) (Location, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return Location{}, err
	case info.IsDir():
		return Location{StateFolder, path}, nil
	case !dbfile.Is(path):
		if _, err := dbfile.ReadHeader(path); errors.Is(err, fs.ErrPermission) {
			return Location{}, err // it may be a database
		}
		return Location{}, ErrNotDatabase
	case store.IsStore(ctx, path):
		return Location{ClawctlStore, path}, nil
	}
	return Location{OpenClawDatabase, path}, nil
}

// openStore makes a store the target. Its receipts map each source to the session that has its text.
func (t *Target) openStore(ctx context.Context) error {
	if t.reader = t.place.Store(); t.reader == nil {
		return dbfile.ErrChanged // it was a store a moment ago
	}
	t.Sessions, t.exact = t.place.Sessions, true
	t.byName = map[string]*source.Session{}
	for _, s := range t.Sessions {
		t.byName[s.Name()] = s
	}
	contents, err := t.reader.Contents(ctx)
	if err != nil {
		return err
	}
	t.receipts, t.packed = map[string]*store.ImportReceipt{}, map[string][]*store.ImportReceipt{}
	for _, r := range contents.Receipts {
		if r.PackedSum != "" {
			t.packed[r.PackedSum] = append(t.packed[r.PackedSum], r)
		}
		if !r.Replaced {
			t.receipts[r.Path] = r
		}
	}
	t.transcripts = contents.Transcripts
	t.lost, err = t.reader.LostKeys(ctx)
	return err
}

// useDatabases makes the databases of a place the target.
func (t *Target) useDatabases() error {
	for _, s := range t.place.Sessions {
		if s.InDatabase {
			t.Sessions = append(t.Sessions, s)
		}
	}
	if len(t.Sessions) > 0 {
		return nil
	}
	unreadable := []failure.Code{source.BadDatabase, source.Unreadable, source.LinkOutside}
	for i, p := range t.place.Problems {
		if slices.Contains(unreadable, p.Code) {
			return &NoSessionsError{t.Path, &t.place.Problems[i]}
		}
	}
	return &NoSessionsError{Path: t.Path}
}

// Close closes the target. Its sessions can no longer be read.
func (t *Target) Close() error {
	t.reader = nil
	return t.place.Close()
}

// Store returns the store that is the target, or nil.
func (t *Target) Store() *store.Reader { return t.reader }

// Receipt returns the receipt of a source whose session is still in the store, and nil without one, or if the archive
// with its text is lost. A source that still has the stamp of its receipt need not be compared.
func (t *Target) Receipt(s *source.Session) *store.ImportReceipt {
	r := t.receipts[ReceiptPath(s)]
	if r != nil && !r.IsPart() && t.byName[r.SessionKey] != nil && !t.lost[r.SessionKey] {
		return r
	}
	return nil
}

// Expected returns the sessions of the target that may contain a source: those with its path, id or key.
func (t *Target) Expected(s *source.Session) []*source.Session {
	var list []*source.Session
	seen := map[*source.Session]bool{}
	add := func(sessions ...*source.Session) {
		for _, session := range sessions {
			if session != nil && !seen[session] {
				seen[session] = true
				list = append(list, session)
			}
		}
	}
	if r := t.receipts[ReceiptPath(s)]; r != nil {
		add(t.byName[r.SessionKey])
	}
	add(t.byID[s.ID]...)
	add(t.byKey[s.Key]...)
	return list
}

// Abandon removes the private copies of databases if the target cannot be closed because it is still being read.
func (t *Target) Abandon() { t.place.Abandon() }

// Without returns the sessions that are not the target itself. If the target is an OpenClaw database, Without leaves
// out all sessions in databases, because only files are compared with it.
func (t *Target) Without(sessions []*source.Session) []*source.Session {
	places := map[string]bool{}
	for _, s := range t.Sessions {
		places[s.Place()] = true
	}
	return slices.DeleteFunc(slices.Clone(sessions), func(s *source.Session) bool {
		return places[s.Place()] || s.InDatabase && !t.exact
	})
}

// hasDigest reports whether the text of a session is the one that was stored. OpenClaw's databases have no digests.
func (t *Target) hasDigest(s *source.Session, text hash.Hash) bool {
	if !t.exact {
		return true
	}
	transcript := t.transcripts[s.Name()]
	return transcript != nil && transcript.Sum == hex.EncodeToString(text.Sum(nil))
}

// holderOf returns the session with which the store has the original bytes of a compressed source, or nil.
func (t *Target) holderOf(ctx context.Context, s *source.Session) (*source.Session, error) {
	if !t.exact {
		return nil, nil
	}
	file, err := s.OpenRaw()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	want, err := digestOf(ctx, file, -1)
	if err != nil {
		return nil, err
	}
	for _, r := range t.packed[want] {
		packed, err := t.reader.Packed(ctx, r)
		if err != nil {
			return nil, err
		}
		have, err := digestOf(ctx, packed, -1)
		packed.Close()
		if err == nil && have == want {
			return t.byName[r.SessionKey], nil
		}
	}
	return nil, nil
}

// check checks that a session of a store is what was stored. Comparing the text does not show whether the columns
// match. If bytes differ from the source, its digest decides whether they differ from what was stored, too.
func (t *Target) check(ctx context.Context, s *source.Session, differs bool) error {
	if differs && t.exact {
		if err := t.checkDigest(ctx, s); err != nil {
			return err
		}
	}
	return t.checkRows(ctx, s)
}

// checkDigest reads the text of a session in a store and compares it with its digest. An incomplete session has none.
func (t *Target) checkDigest(ctx context.Context, s *source.Session) error {
	t.mu.Lock()
	err, known := t.digests[s]
	t.mu.Unlock()
	if known {
		return err
	}
	in, err := s.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	digest := sha256.New()
	if _, err = copyN(ctx, digest, in, -1); err == nil && !t.hasDigest(s, digest) {
		err = ErrDiffers
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.digests[s] = err
	return err
}

// checkRows checks that the columns of a session in a store match its records. Comparing the text does not show that.
func (t *Target) checkRows(ctx context.Context, s *source.Session) error {
	transcript := t.transcripts[s.Name()]
	if transcript == nil {
		return nil
	}
	return checkRows(ctx, &t.reader.View, transcript)
}

// checkRows checks that the columns of a session's rows match their records.
func checkRows(ctx context.Context, view *store.View, t *store.Transcript) error {
	wrong, err := view.CheckRows(ctx, t)
	if err != nil {
		return err
	}
	if wrong != 0 {
		return fmt.Errorf("record %d: %w", wrong, ErrColumns)
	}
	return nil
}

// A TargetChoice is the target that is used if the user names none.
type TargetChoice struct {
	Chosen Location // its Path is "" if there is none
	Other  Location // the one that could have been chosen; its Path is "" if there is none
}

// ChooseTarget chooses what the sources at a path are compared with: the store if it exists, otherwise the databases at
// sourcePath, which is a state folder or a database. Whether they have sessions is only known once they are opened.
func ChooseTarget(ctx context.Context, storePath, sourcePath, home string) TargetChoice {
	databases, err := locate(ctx, sourcePath)
	if err != nil {
		databases = Location{}
	}
	if _, err := os.Stat(storePath); err != nil {
		return TargetChoice{Chosen: databases}
	}
	choice := TargetChoice{Chosen: Location{ClawctlStore, storePath}}
	if databases.Kind == OpenClawDatabase || databases.Kind == StateFolder && source.HasDatabase(ctx, sourcePath, home) {
		choice.Other = databases
	}
	return choice
}
