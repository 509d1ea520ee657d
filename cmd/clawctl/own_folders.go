package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"clawctl/internal/failure"
	"clawctl/internal/process"
	"clawctl/pkg/config"
	"clawctl/pkg/dbfile"
)

// An ownFolder is a folder that clawctl writes to by itself: for its store, its receipts, or temporary data. Users did
// not name it in the command, so an error has to say what it is for and how to choose another one.
type ownFolder struct {
	path   string
	what   string
	choice string // which setting names it, or changes it
}

// receiptsFolder is the folder of a journal.
func receiptsFolder(path string) ownFolder {
	return ownFolder{path, "the data folder for receipts", "XDG_DATA_HOME changes it"}
}

// storeFolder is the folder of a store.
func (a *app) storeFolder(store string) ownFolder {
	f := ownFolder{filepath.Dir(store), "the data folder of the store", "the command line names it"}
	own, err := a.storePath("")
	switch {
	case err != nil || own.value != store:
	case own.from == config.DefaultOrigin:
		f.choice = storeVariable + ", session.path or XDG_DATA_HOME changes it"
	case own.from == storeVariable:
		f.choice = storeVariable + " names it"
	default:
		f.choice = "session.path in " + own.from + " names it"
	}
	return f
}

// tempFolderFailure is the failure of temporary data.
func tempFolderFailure(err *process.TempFolderError) *failure.Error {
	return ownFolder{err.Folder, "the folder for temporary data", tempVariable + " changes it"}.failure(err.Err)
}

// failure is the failure of a folder that cannot be written. The hint shows what is in its way.
func (f ownFolder) failure(err error) *failure.Error {
	code := failure.IO
	if errors.Is(err, fs.ErrPermission) {
		code = failure.Denied
	}
	return failure.New(code, "%s is not writable: %s; %s", f.what, failure.Reason(err), f.choice).At(f.path).
		WithHint(failure.Command("ls", "-ld", nearestPath(f.path)))
}

// blocks reports whether an error says that the folder cannot be created or written.
func (f ownFolder) blocks(err error) bool {
	var failed *fs.PathError
	return isUnwritable(err) && errors.As(err, &failed) &&
		(isBelow(failed.Path, f.path) || isBelow(f.path, failed.Path))
}

// blocksStore is blocks for the folder of a store. A store that is there and cannot be opened is not the fault of the
// folder, unless SQLite cannot create its log beside it.
func (f ownFolder) blocksStore(store string, err error) bool {
	return errors.Is(err, dbfile.ErrReadOnlyFolder) || isUnwritable(err) && !isThere(store)
}

// isUnwritable reports whether nothing can be written at a place: it is not allowed, or something is in its way.
func isUnwritable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ENOTDIR)
}

// isBelow reports whether a path is a folder or below it.
func isBelow(path, folder string) bool {
	below, err := filepath.Rel(absolute(folder), absolute(path))
	return err == nil && below != ".." && !strings.HasPrefix(below, ".."+string(filepath.Separator))
}

// nearestPath returns a path, or the innermost folder above it that exists, or the file that is there instead.
func nearestPath(path string) string {
	for path != filepath.Dir(path) {
		if _, err := os.Lstat(path); err == nil {
			break
		}
		path = filepath.Dir(path)
	}
	return path
}
