package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"clawctl/internal/failure"
	"clawctl/internal/openfile"
	"clawctl/internal/process"
	"clawctl/pkg/config"
	"clawctl/pkg/store/dbfile"
)

// An OwnFolder is a folder that clawctl writes to by itself: for its store, its receipts, or temporary data. Users did
// not name it in the command, so an error has to say what it is for and how to choose another one.
type OwnFolder struct {
	path   string
	what   string
	Choice string // which setting names it, or changes it
}

// ReceiptsFolder is the folder of a journal.
func ReceiptsFolder(path string) OwnFolder {
	return OwnFolder{path, "the data folder for receipts", "XDG_DATA_HOME changes it"}
}

// StoreFolder is the folder of a store.
func (a *App) StoreFolder(store string) OwnFolder {
	f := OwnFolder{filepath.Dir(store), "the data folder of the store", "the command line names it"}
	own, err := a.StorePath("")
	switch {
	case err != nil || own.Value != store:
	case own.From == config.DefaultOrigin:
		f.Choice = storeVariable + ", session.path or XDG_DATA_HOME changes it"
	case own.From == storeVariable:
		f.Choice = storeVariable + " names it"
	default:
		f.Choice = "session.path in " + own.From + " names it"
	}
	return f
}

// TempFolderFailure is the failure of temporary data.
func TempFolderFailure(err *process.TempFolderError) *failure.Error {
	return OwnFolder{err.Folder, "the folder for temporary data", tempVariable + " changes it"}.Failure(err.Err)
}

// Failure is the failure of a folder that cannot be written. The hint shows what is in its way.
func (f OwnFolder) Failure(err error) *failure.Error {
	code := failure.IO
	if errors.Is(err, fs.ErrPermission) {
		code = failure.Denied
	}
	return failure.New(code, "%s is not writable: %s; %s", f.what, failure.Reason(err), f.Choice).At(f.path).
		WithHint(failure.Command("ls", "-ld", nearestPath(f.path)))
}

// Blocks reports whether an error says that the folder cannot be created or written.
func (f OwnFolder) Blocks(err error) bool {
	var failed *fs.PathError
	if !isUnwritable(err) || !errors.As(err, &failed) {
		return false
	}
	path, own := Absolute(failed.Path), Absolute(f.path)
	return openfile.IsBelow(path, own) || openfile.IsBelow(own, path)
}

// BlocksStore is blocks for the folder of a store. A store that is there and cannot be opened is not the fault of the
// folder, unless SQLite cannot create its log beside it.
func (f OwnFolder) BlocksStore(store string, err error) bool {
	return errors.Is(err, dbfile.ErrReadOnlyFolder) || isUnwritable(err) && !openfile.IsThere(store)
}

// isUnwritable reports whether nothing can be written at a place: it is not allowed, or something is in its way.
func isUnwritable(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ENOTDIR)
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
