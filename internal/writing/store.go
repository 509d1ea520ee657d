package writing

import (
	"cmp"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/openfile"
	"clawctl/internal/process"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
	"clawctl/pkg/store/session"
)

// How commands change sessions of clawctl's store:
//
//   - Only the store is changed, and nothing is imported by itself. Every change is complete or not made at all.
//   - --dry-run does everything but the commit. A store that does not exist is not created, and one of an older version
//     of clawctl is copied first, because opening it for writing would upgrade it.
//   - What removes something asks first (confirm.go).

// KeeperOptions are the flags of commands that change sessions of the store.
type KeeperOptions struct {
	Store    string
	DryRun   bool
	Yes      bool
	Lock     LockOption
	ReadOnly bool // the command only reads the store
}

// NewKeeperOptions returns the defaults.
func NewKeeperOptions() KeeperOptions { return KeeperOptions{Lock: NewLockOption()} }

// Flags describes them.
func (o *KeeperOptions) Flags() []cli.Flag {
	return []cli.Flag{
		cli.RequiredTextFlag(&o.Store, "store", "FILE", "the store to change").WithDefault("the store of clawctl env"),
		cli.SwitchFlag(&o.DryRun, "dry-run", "check everything, but change nothing"),
		YesFlag(&o.Yes),
		o.Lock.Flag(),
	}
}

// A StoreAccess is the store while a command changes it.
type StoreAccess struct {
	Keeper *session.Keeper
	*cli.App
	Path string
}

// missingPolicy says what to do without a store.
type missingPolicy int

const (
	MustExist    missingPolicy = iota
	MayCreate                  // except in a dry run
	MayBeMissing               // an empty store that is removed at the end
)

// Open opens the store.
func (o *KeeperOptions) Open(a *cli.App, missing missingPolicy) (*StoreAccess, error) {
	place, err := a.StorePath(o.Store)
	if err != nil {
		return nil, err
	}
	k := &StoreAccess{App: a, Path: place.Value}
	file, err := o.choose(k, missing)
	if err != nil {
		return nil, err
	}
	open := OpenStore
	if file != k.Path {
		open = openStore
	}
	st, err := open(a, file, o.Lock)
	if err != nil {
		return nil, err
	}
	k.Keeper = &session.Keeper{Store: st, Now: a.Now, Random: rand.Reader, DryRun: o.DryRun}
	return k, nil
}

// choose returns the file that is opened: the store, or one that is removed at the end. That one is empty if there is
// no store, and a copy if opening the store would change its schema although nothing may be written.
func (o *KeeperOptions) choose(k *StoreAccess, missing missingPolicy) (string, error) {
	_, err := os.Stat(k.Path)
	isMissing, writesNothing := errors.Is(err, os.ErrNotExist), o.DryRun || o.ReadOnly
	isOlder := !isMissing && writesNothing && store.IsOlder(k.Path)
	switch {
	case isMissing && missing == MustExist:
		return "", failure.New(failure.NotFound, "no clawctl store").At(k.Path).WithHint("clawctl help new")
	case !isOlder && !(isMissing && (writesNothing || missing == MayBeMissing)):
		return k.Path, nil
	}
	temp, err := makeTemp()
	if err != nil {
		return "", cli.TempFolderFailure(&process.TempFolderError{Folder: os.TempDir(), Err: err})
	}
	k.App.Keep(tempFolder(temp))
	file := filepath.Join(temp, tempStore)
	if isOlder {
		if err := store.CopyTo(k.App.Ctx, k.Path, file); err != nil {
			return "", StoreError(k.App, k.Path, err)
		}
	}
	return file, nil
}

// tempStore is the name of a store that is removed at the end.
const tempStore = "sessions.db"

// makeTemp makes a folder for such a store, and removes those that killed processes have left.
func makeTemp() (string, error) {
	const prefix, suffix = "clawctl-store-", ".tmp"
	process.RemoveStale(os.TempDir(), prefix, suffix, tempStore, tempStore+"-wal", tempStore+"-shm")
	folder := filepath.Join(os.TempDir(), process.TempName(prefix, suffix))
	return folder, os.Mkdir(folder, 0o700)
}

// A tempFolder is removed when the run ends, also if its command is left running.
type tempFolder string

func (f tempFolder) Close() error { return os.RemoveAll(string(f)) }
func (f tempFolder) Abandon()     { _ = f.Close() }

// Close closes the store. What was committed is safe, whatever close reports.
func (k *StoreAccess) Close() { _ = k.Keeper.Store.Close() }

// Resolve returns the key of the session of the store that a name means, or the name itself if the store has none.
func (k *StoreAccess) Resolve(name string) (string, error) {
	word := name
	if path, session, _, err := source.SplitPlace(name); err == nil && session != "" && openfile.IsSame(path, k.Path) {
		word = session
	}
	key, err := session.Resolve(k.App.Ctx, &k.Keeper.Store.View, word)
	var inexact *source.InexactError
	var ambiguous *source.AmbiguousError
	switch {
	case errors.As(err, &inexact), errors.As(err, &ambiguous):
		return "", cli.LookupError(k.App, k.Path+"#"+word, err, true)
	case err != nil:
		return "", StoreError(k.App, k.Path, err)
	}
	return cmp.Or(key, word), nil
}

// ResolveExisting is Resolve for a command that also begins sessions: only an id, or a session after the path of the
// store, can mean a session with another key.
func (k *StoreAccess) ResolveExisting(name string) (string, error) {
	if _, session, _, err := source.SplitPlace(name); !source.LooksLikeID(name) && (err != nil || session == "") {
		return name, nil
	}
	return k.Resolve(name)
}

// Failed gives an error of a change its code and hint. key is the session that it is about.
func (k *StoreAccess) Failed(key string, err error) error {
	var refusal *session.Refusal
	var receipts *receiptsError
	place := k.Path + "#" + key
	switch {
	case err == nil:
		return nil
	case errors.As(err, &receipts):
		return ChangeError(k.App, receipts.folder, receipts.err)
	case errors.As(err, &refusal), errors.Is(err, session.ErrBadKey), errors.Is(err, session.ErrGeneration),
		errors.Is(err, jsonl.ErrAPI), errors.Is(err, jsonl.ErrNoMessage):
		return failure.From(place, err)
	case errors.Is(err, store.ErrNoSession):
		return k.notStored(key, err)
	case errors.Is(err, session.ErrNoIDs):
		return failure.From(place, err).
			WithHint(inheritCommand(k.Path, key))
	}
	return StoreError(k.App, k.Path, err)
}

// notStored is the failure of a name that the store does not have. It names the session if that is elsewhere.
func (k *StoreAccess) notStored(name string, err error) error {
	f := failure.From(k.Path, err).WithHint(failure.Command("clawctl", "sessions", k.Path))
	m, findErr := cli.Find(k.App, name, cli.Search{Defaults: cli.LiveOnly, Fast: true, Exact: true})
	if findErr != nil || len(m.Sessions) != 1 || m.Sessions[0].InStore() {
		return f
	}
	s := m.Sessions[0]
	f.Text += "; it is in " + s.Place() + ", which this command does not change"
	if key, _ := session.Resolve(k.App.Ctx, &k.Keeper.Store.View, s.Name()); key != "" {
		f.Hint = failure.Command("clawctl", "sessions", k.Path+"#"+key)
	}
	return f
}

// inheritCommand is the command that copies a session of a store to one whose entries have ids.
func inheritCommand(store, key string) string {
	return failure.Command("clawctl", "import", store, "--to", store, "--inherit", key, "--into", key+":chat")
}

// DefaultKey is the key that the configuration names.
func DefaultKey(a *cli.App) (string, error) {
	settings, err := a.Configuration()
	if err != nil {
		return "", err
	}
	if settings.Session.DefaultKey == "" {
		return "", cli.Usage("%s needs a KEY, because the configuration has no session.defaultKey", a.CommandName())
	}
	return settings.Session.DefaultKey, nil
}

// Would is a verb for what was done, or would be.
func (o *KeeperOptions) Would(done, would string) string {
	if o.DryRun {
		return "would " + would
	}
	return done
}

// WorkingFolder is the folder that a new session belongs to.
func WorkingFolder() string {
	folder, err := os.Getwd()
	if err != nil {
		return ""
	}
	return folder
}

// BlameArchives names the archives of a store that cannot be read. A store that cannot be read has been named.
func BlameArchives(a *cli.App, path string) {
	r, err := store.OpenReader(a.Ctx, path)
	if err != nil {
		return
	}
	defer r.Close()
	lost, _ := r.LostArchives(a.Ctx, path)
	for _, archive := range lost {
		a.Blame(archive.Err.FailureAt(path).WithExit(failure.ExitFindings).AfterWork())
	}
}

// BlameDamage reports the damaged parts of a store.
func BlameDamage(a *cli.App, path string, faults []store.Problem) {
	for _, f := range faults {
		if f.Kind != store.Damaged {
			continue
		}
		place := path
		if f.Session != "" {
			place += "#" + f.Session
		}
		hint := failure.Command("clawctl", "verify", path)
		a.Blame(failure.New(failure.Corrupt, "%s", f.Text).At(place).WithHint(hint).AfterWork())
	}
}
