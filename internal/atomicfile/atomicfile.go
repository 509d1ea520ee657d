// Package atomicfile writes files that appear complete or not at all.
//
// The data goes to a private temporary file beside the target. Commit syncs it, renames it to the target and syncs the
// folder. A crash leaves either the old file or the new one. A file that may replace nothing gets its name by a link,
// which fails if the name is taken, so of two processes that create the same file exactly one succeeds.
package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"clawctl/internal/process"
)

// Errors for a target that the policy does not allow to be replaced.
var (
	ErrExists     = errors.New("the file exists")
	ErrNotRegular = errors.New("exists and is not a regular file")
)

// A Policy says what a new file may replace.
type Policy int

// The policies. A directory is never replaced: the system refuses to rename a file to it.
const (
	ReplaceAny     Policy = iota // whatever is there
	ReplaceRegular               // only a regular file
	ReplaceNothing
)

// Options change how a file is written. The zero value replaces an existing file.
type Options struct {
	Policy   Policy
	Modified time.Time // the modification time of the file, unless it is zero; file systems may refuse it
	// FolderLater says that Commit does not sync the folder, because the caller does so after the last of many files.
	FolderLater bool
}

// A File is a temporary file that becomes the target with Commit. It is not safe for concurrent use.
type File struct {
	*os.File
	files  files
	name   string // of the temporary file
	target string
	opts   Options
	sealed bool
	done   bool
}

// Create creates a temporary file for the target at path. It fails if the policy does not allow replacing an existing
// target. Commit checks this again.
func Create(path string, opts Options) (*File, error) { return create(system{}, path, opts) }

// CreateIn is Create for a target inside root, which neither the target nor the temporary file can leave.
func CreateIn(root *os.Root, name string, opts Options) (*File, error) {
	return create(root, name, opts)
}

func create(in files, target string, opts Options) (*File, error) {
	if err := check(in, target, opts.Policy); err != nil {
		return nil, err
	}
	removeStale(in, filepath.Dir(target))
	name := filepath.Join(filepath.Dir(target), process.TempName(tempPrefix, tempSuffix))
	file, err := in.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return &File{File: file, files: in, name: name, target: target, opts: opts}, nil
}

// The names of temporary files.
const tempPrefix, tempSuffix = ".clawctl-", ".tmp"

// IsTemp reports whether a name is that of a temporary file.
func IsTemp(name string) bool {
	return strings.HasPrefix(name, tempPrefix) && strings.HasSuffix(name, tempSuffix)
}

// cleaned holds the folders that this process has cleaned.
var cleaned sync.Map

// removeStale removes the temporary files that killed processes have left in a folder, the first time that a file is
// created there.
func removeStale(in files, folder string) {
	folder = fullPath(in, folder)
	if _, done := cleaned.LoadOrStore(folder, true); !done {
		process.RemoveStale(folder, tempPrefix, tempSuffix)
	}
}

// RemoveStale removes the temporary files that killed processes have left in a folder.
func RemoveStale(folder string) { removeStale(system{}, folder) }

// WriteFile writes data to the file at path.
func WriteFile(path string, data []byte, opts Options) error {
	file, err := Create(path, opts)
	if err != nil {
		return err
	}
	defer file.Abandon()
	if _, err := file.Write(data); err != nil {
		return err
	}
	return file.Commit()
}

// TempName returns the path of the temporary file, inside the root if there is one.
func (f *File) TempName() string { return f.name }

// Seal makes the data durable and closes the file. After it, Commit only has to give the file its name, so what a
// caller checks between the two is checked at the last moment.
func (f *File) Seal() error {
	if f.sealed {
		return nil
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	f.sealed = true
	if !f.opts.Modified.IsZero() {
		_ = f.files.Chtimes(f.name, f.opts.Modified, f.opts.Modified) // the content matters more
	}
	return nil
}

// Commit makes the temporary file the target. If it fails, the temporary file is removed and the target is unchanged,
// except that after a [SyncError] the target is the new file.
func (f *File) Commit() error {
	defer f.Abandon()
	if err := f.Seal(); err != nil {
		return err
	}
	if err := check(f.files, f.target, f.opts.Policy); err != nil {
		return err
	}
	if err := f.publish(); err != nil {
		return err
	}
	if f.opts.FolderLater {
		return nil
	}
	return syncFolder(f.files, filepath.Dir(f.target))
}

// publish gives the temporary file the name of the target.
func (f *File) publish() error {
	if f.opts.Policy != ReplaceNothing {
		return f.rename()
	}
	err := f.files.Link(f.name, f.target)
	switch {
	case errors.Is(err, fs.ErrExist):
		return ErrExists
	case err != nil:
		return f.reserve()
	}
	return nil // Abandon removes the other name
}

func (f *File) rename() error {
	rename := func() error { return f.files.Rename(f.name, f.target) }
	if err := patiently(rename, fullPath(f.files, f.target), fullPath(f.files, f.name)); err != nil {
		return err
	}
	f.done = true
	return nil
}

// fullPath returns the path of a file for the system, whether or not it is inside a root.
func fullPath(in files, name string) string {
	if root, ok := in.(*os.Root); ok {
		return filepath.Join(root.Name(), name)
	}
	return name
}

// reserve is publish for file systems without links: whoever creates the empty target may replace it.
func (f *File) reserve() error {
	file, err := f.files.OpenFile(f.target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return ErrExists
	}
	if err != nil {
		return err
	}
	file.Close()
	if err := f.rename(); err != nil {
		return errors.Join(err, f.files.Remove(f.target))
	}
	return nil
}

// Abandon removes the temporary file. It does nothing after Commit or a first Abandon.
func (f *File) Abandon() {
	if f.done {
		return
	}
	f.done = true
	f.Close() // may be closed already
	_ = f.files.Remove(f.name)
}

// Check returns ErrExists or ErrNotRegular if the policy does not allow replacing what is at path.
func Check(path string, policy Policy) error { return check(system{}, path, policy) }

func check(in files, target string, policy Policy) error {
	if policy == ReplaceAny {
		return nil
	}
	info, err := in.Lstat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return ErrNotRegular
	case policy == ReplaceNothing:
		return ErrExists
	}
	return nil
}

// A SyncError says that a file has its new name, but that a power cut may still take that back.
type SyncError struct {
	Folder string
	Err    error
}

func (e *SyncError) Error() string {
	return "the folder cannot be synced, so a power cut may undo this: " + e.Err.Error()
}
func (e *SyncError) Unwrap() error { return e.Err }

// SyncFolder makes the names in a folder durable if the system supports it. Its error is a [SyncError].
func SyncFolder(path string) error { return syncFolder(system{}, path) }

func syncFolder(in files, name string) error {
	folder, err := in.OpenFile(name, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrPermission) {
		return nil // a folder that may be written but not read
	}
	if err == nil {
		err = folder.Sync()
		folder.Close()
	}
	if err == nil || cannotSync(err) {
		return nil
	}
	return &SyncError{name, err}
}

// cannotSync reports whether an error means that folders are never synced here: on Windows and some file systems.
func cannotSync(err error) bool {
	return runtime.GOOS == "windows" || errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL)
}

// files are the operations that Commit needs, either on any path or inside an *os.Root.
type files interface {
	OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error)
	Lstat(name string) (fs.FileInfo, error)
	Chtimes(name string, accessed, modified time.Time) error
	Rename(from, to string) error
	Link(from, to string) error
	Remove(name string) error
}

// A system provides all files by the paths of the operating system.
type system struct{}

func (system) OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, mode)
}
func (system) Lstat(name string) (fs.FileInfo, error) { return os.Lstat(name) }
func (system) Chtimes(name string, accessed, modified time.Time) error {
	return os.Chtimes(name, accessed, modified)
}
func (system) Rename(from, to string) error { return os.Rename(from, to) }
func (system) Link(from, to string) error   { return os.Link(from, to) }
func (system) Remove(name string) error     { return os.Remove(name) }
