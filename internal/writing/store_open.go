package writing

import (
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/openfile"
	"clawctl/pkg/store"
	"clawctl/pkg/store/dbfile"
)

// A LockOption is --lock-timeout of the commands that write clawctl's store.
type LockOption struct{ Timeout time.Duration }

// NewLockOption returns the default.
func NewLockOption() LockOption { return LockOption{store.DefaultLockTimeout} }

// Flag describes it.
func (o *LockOption) Flag() cli.Flag {
	f := cli.DurationFlag(&o.Timeout, "lock-timeout", "how long to wait for a locked store, 0 not to wait")
	positive := f.Set
	f.Set = func(text string) error {
		if d, err := time.ParseDuration(text); err == nil && d == 0 {
			o.Timeout = time.Millisecond // to a store, 0 means the default
			return nil
		}
		return positive(text)
	}
	return f
}

// OpenStore opens clawctl's store for writing, and creates it if there is none.
func OpenStore(a *cli.App, path string, lock LockOption) (*store.SQLite, error) {
	noteCreated := WatchNewStore(a, path)
	st, err := openStore(a, path, lock)
	if err != nil {
		return nil, err
	}
	noteCreated()
	return st, nil
}

// openStore is OpenStore for a store that need not be mentioned, because it is removed at the end.
func openStore(a *cli.App, path string, lock LockOption) (*store.SQLite, error) {
	st, err := store.Open(a.Ctx, path, store.Options{LockTimeout: lock.Timeout})
	if err != nil {
		return nil, StoreError(a, path, err)
	}
	return st, nil
}

// WatchNewStore is called before a store is opened for writing. It returns what says afterwards that the store was
// created, and its folder too.
func WatchNewStore(a *cli.App, path string) func() {
	hadFile, hadFolder := openfile.IsThere(path), openfile.IsThere(filepath.Dir(path))
	return func() {
		switch {
		case hadFile || !openfile.IsThere(path):
		case hadFolder:
			a.Note("created the store %s", path)
		default:
			a.Note("created the store %s and its folder", path)
		}
	}
}

// StoreError gives an error of a store that is written its code and hint.
func StoreError(a *cli.App, path string, err error) error {
	if a.Ctx.Err() != nil {
		return cli.Interrupted(a)
	}
	f := cli.InputError(path, err)
	folder := a.StoreFolder(path)
	switch {
	case folder.BlocksStore(path, err):
		return folder.Failure(err)
	case errors.Is(err, dbfile.ErrReadOnly):
		f.Text, f.Hint = "the store is read-only; "+folder.Choice, failure.Command("ls", "-l", path)
	case errors.Is(err, dbfile.ErrLocked):
		f.Hint = a.CommandLine("--lock-timeout", "10m")
	case errors.Is(err, dbfile.ErrForeign):
		f.Text = "not a clawctl store; left unchanged" // OpenClaw's databases are read, never written
	case f.Code == failure.IO && isDiskFull(err):
		f.Text = "the disk is full; every session that was reported as done is safe"
		f.Hint = failure.Command("df", "-h", filepath.Dir(path))
	}
	return f
}

// isDiskFull recognizes the error of the system, and that of SQLite, which is only a text.
func isDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), "full")
}
