package scrub

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"clawctl/internal/atomicfile"
	"clawctl/internal/openfile"
	"clawctl/pkg/change"
	"clawctl/pkg/store"
)

// pendingName is the file that says that a value was removed from a store, but may still be in its free pages or its
// log. It begins with a dot, because it is no receipt.
const pendingName = ".erasing.json"

// A pendingErasure is an erasure of a store that has begun.
type pendingErasure struct {
	SchemaVersion int      `json:"schema_version"`
	Store         string   `json:"store"`
	Values        []string `json:"values"` // by fingerprint
}

func (o *Options) pendingPath() string { return filepath.Join(o.Journal.Folder, pendingName) }

// maxPending is the largest note about an interrupted run that is read.
const maxPending = 64 << 20

// readPending returns what an interrupted run has left, or nil.
func (o *Options) readPending() (*pendingErasure, error) {
	data, err := openfile.Content(o.pendingPath(), maxPending)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	p := &pendingErasure{}
	if err != nil {
		return p, err
	}
	return p, json.Unmarshal(data, p)
}

// Pending returns the fingerprints of values that an interrupted run has removed from the store, and that may still be
// in its free pages.
func (o *Options) Pending() ([]string, error) {
	p, err := o.readPending()
	if p == nil || err != nil {
		return nil, err
	}
	return p.Values, nil
}

// shredPending completes what an interrupted run has left.
func (r *Run) shredPending() error {
	p, err := r.Plan.options.readPending()
	if p == nil || err != nil {
		return err
	}
	if _, err := os.Stat(p.Store); err == nil {
		st, err := store.Open(r.ctx, p.Store, store.Options{})
		if err != nil {
			return err
		}
		if err := errors.Join(st.Shred(r.ctx), st.Close()); err != nil {
			return err
		}
	}
	return os.Remove(r.Plan.options.pendingPath())
}

// eraseStore removes the values from clawctl's store, and then from the free pages and the log of its file.
func (r *Run) eraseStore() error {
	path := r.Plan.options.Store
	if err := r.keepStore(path); err != nil {
		return err
	}
	note, err := json.Marshal(pendingErasure{1, path, r.Plan.fingerprints()})
	if err != nil {
		return err
	}
	if err = atomicfile.MkdirAll(r.journal.Folder); err != nil {
		return err
	}
	if err = atomicfile.WriteFile(r.Plan.options.pendingPath(), note, atomicfile.Options{}); err != nil {
		return err
	}
	before, err := change.DigestOf(path)
	if err != nil {
		return err
	}
	st, err := store.Open(r.ctx, path, store.Options{})
	if err != nil {
		return err
	}
	e := r.editor()
	if err := errors.Join(r.eraseSessions(st, e), st.Close()); err != nil {
		return err
	}
	if err := r.dropBackups(path); err != nil {
		return err
	}
	receipt, err := r.journal.NoteErased(path, command, before, r.Plan.fingerprints())
	if err != nil {
		return err
	}
	r.stays[path] = e.counts().TotalKept() > 0
	r.note(receipt, e.counts())
	return os.Remove(r.Plan.options.pendingPath())
}

// dropBackups removes the backups of the store that have a value. Opening a store of an older version has made one.
func (r *Run) dropBackups(path string) error {
	backups, err := filepath.Glob(path + ".schema-*.bak")
	for _, backup := range backups {
		if err == nil {
			err = r.dropBackup(backup)
		}
	}
	return err
}

func (r *Run) dropBackup(path string) error {
	file, err := openfile.Regular(path)
	if err != nil {
		return err
	}
	defer file.Close()
	has, err := hasIn(file, newTracer(r.Plan.Values))
	if err != nil || !has {
		return err
	}
	return r.remove(&Item{Kind: StoreBackup, Path: path})
}

func (r *Run) eraseSessions(st *store.SQLite, e *editor) error {
	if err := st.EraseDeleted(r.ctx); err != nil {
		return err
	}
	batch, err := st.Begin(r.ctx)
	if err != nil {
		return err
	}
	if _, err := batch.Erase(e); err != nil || e.Err() != nil {
		batch.Rollback()
		return errors.Join(err, e.Err())
	}
	if err := batch.Commit(); err != nil {
		return err
	}
	return st.Shred(r.ctx)
}

// keepStore copies the store to the folder for originals.
func (r *Run) keepStore(path string) error {
	copy := r.keptPath(path)
	if copy == "" {
		return nil
	}
	if err := atomicfile.MkdirAll(filepath.Dir(copy)); err != nil {
		return err
	}
	file, err := atomicfile.Create(change.FreeName(copy), atomicfile.Options{Policy: atomicfile.ReplaceNothing})
	if err != nil {
		return err
	}
	defer file.Abandon()
	if err := store.CopyTo(r.ctx, path, file.TempName()); err != nil {
		return err
	}
	return file.Commit()
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
