package main

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"clawctl/internal/failure"
	"clawctl/internal/process"
	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/session"
	"clawctl/pkg/store"
)

// How commands change sessions of clawctl's store:
//
//   - Only the store is changed, and nothing is imported by itself. Every change is complete or not made at all.
//   - --dry-run does everything but the commit. A store that does not exist is not created, and one of an older version
//     of clawctl is copied first, because opening it for writing would upgrade it.
//   - What removes something asks first on a terminal, unless -y. What cannot be undone needs -y without a terminal.

// keeperOptions are the flags of commands that change sessions of the store.
type keeperOptions struct {
	store    string
	dryRun   bool
	yes      bool
	lock     lockOption
	readOnly bool // the command only reads the store
}

func newKeeperOptions() keeperOptions { return keeperOptions{lock: newLockOption()} }

func (o *keeperOptions) flags() []flag {
	return []flag{
		requiredTextFlag(&o.store, "store", "FILE", "the store to change").withDefault("the store of clawctl env"),
		switchFlag(&o.dryRun, "dry-run", "check everything, but change nothing"),
		switchFlag(&o.yes, "yes", "do not ask").withShort("y"),
		o.lock.flag(),
	}
}

// keeperExits are the exit statuses of these commands.
var keeperExits = []int{
	failure.ExitOK, failure.ExitFindings, failure.ExitUsage, failure.ExitNothing, failure.ExitDatabase,
	failure.ExitLocked, failure.ExitInterrupted,
}

// A keeping is the store while a command changes it.
type keeping struct {
	*session.Keeper
	app  *app
	path string
}

// ifMissing says what to do without a store.
type ifMissing int

const (
	fail       ifMissing = iota
	create               // except in a dry run
	useNothing           // an empty store that is removed at the end
)

// open opens the store.
func (o *keeperOptions) open(a *app, missing ifMissing) (*keeping, error) {
	place, err := a.storePath(o.store)
	if err != nil {
		return nil, err
	}
	k := &keeping{app: a, path: place.value}
	file, err := o.choose(k, missing)
	if err != nil {
		return nil, err
	}
	st, err := openStore(a, file, o.lock)
	if err != nil {
		return nil, err
	}
	k.Keeper = &session.Keeper{Store: st, Now: a.now, Random: rand.Reader, DryRun: o.dryRun}
	return k, nil
}

// choose returns the file that is opened: the store, or one that is removed at the end. That one is empty if there is
// no store, and a copy if opening the store would change its schema although nothing may be written.
func (o *keeperOptions) choose(k *keeping, missing ifMissing) (string, error) {
	_, err := os.Stat(k.path)
	isMissing, writesNothing := errors.Is(err, os.ErrNotExist), o.dryRun || o.readOnly
	isOlder := !isMissing && writesNothing && store.IsOlder(k.path)
	switch {
	case isMissing && missing == fail:
		return "", failure.New(failure.NotFound, "no clawctl store").At(k.path).WithHint("clawctl help new")
	case !isOlder && !(isMissing && (writesNothing || missing == useNothing)):
		return k.path, nil
	}
	temp, err := makeTemp()
	if err != nil {
		return "", tempFolderFailure(&process.TempFolderError{Folder: os.TempDir(), Err: err})
	}
	k.app.keep(tempFolder(temp))
	file := filepath.Join(temp, tempStore)
	if isOlder {
		if err := store.CopyTo(k.app.ctx, k.path, file); err != nil {
			return "", storeError(k.app, k.path, err)
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

// close closes the store. What was committed is safe, whatever close reports.
func (k *keeping) close() { _ = k.Store.Close() }

// failed gives an error of a change its code and hint. key is the session that it is about.
func (k *keeping) failed(key string, err error) error {
	var refusal *session.Refusal
	var receipts *receiptsError
	place := k.path + "#" + key
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refusal):
		return refusal.FailureAt(place)
	case errors.As(err, &receipts):
		return k.app.changeError(receipts.folder, receipts.err)
	case errors.Is(err, session.ErrBadKey):
		return failure.Usage("clawctl help new", "%v", err)
	case errors.Is(err, session.ErrGeneration):
		return failure.Usage(failure.Command("clawctl", "restore", key), "%v", err)
	case errors.Is(err, store.ErrNoSession):
		return failure.New(failure.NotFound, "%v", err).At(k.path).
			WithHint(failure.Command("clawctl", "sessions", k.path))
	case errors.Is(err, session.ErrNoIDs):
		return failure.New(failure.NoEntryIDs, "%v", err).At(place).
			WithHint(failure.Command("clawctl", "import", k.path, "--to", k.path, "--inherit", key, "--into", key+":chat"))
	case errors.Is(err, jsonl.ErrAPI):
		return failure.New(failure.APIError, "%v", err).At(stdinName)
	case errors.Is(err, jsonl.ErrNoMessage):
		return failure.New(failure.NotMessage, "%v", err).At(stdinName).WithHint("clawctl help append")
	}
	return storeError(k.app, k.path, err)
}

// confirm asks before something is removed. Without a terminal, only what cannot be undone needs -y.
func (o *keeperOptions) confirm(a *app, final bool, format string, args ...any) error {
	switch {
	case o.yes || o.dryRun:
		return nil
	case !a.isInteractive() && final:
		return needsYes(a, "--purge")
	case !a.isInteractive():
		return nil
	}
	fmt.Fprintf(a.console.dst, "%s [y/N] ", ui.EscapeLine(fmt.Sprintf(format, args...)))
	answer, _ := bufio.NewReader(a.stdin).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return failure.Usage("", "nothing was changed")
}

// needsYes is the failure of a flag that deletes for good if nobody can be asked.
func needsYes(a *app, flag string) error {
	return failure.Usage(a.commandLine("-y"), "%s deletes for good and needs -y without a terminal", flag)
}

// defaultKey is the key that the configuration names.
func defaultKey(a *app, c *command) (string, error) {
	settings, err := a.configuration()
	if err != nil {
		return "", err
	}
	if settings.Session.DefaultKey == "" {
		return "", failure.Usage("clawctl help "+c.name,
			"%s needs a KEY, because the configuration has no session.defaultKey", c.name)
	}
	return settings.Session.DefaultKey, nil
}

// would is a verb for what was done, or would be.
func (o *keeperOptions) would(done, would string) string {
	if o.dryRun {
		return "would " + would
	}
	return done
}

// workingFolder is the folder that a new session belongs to.
func workingFolder() string {
	folder, err := os.Getwd()
	if err != nil {
		return ""
	}
	return folder
}
