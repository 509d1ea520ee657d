package change

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"clawctl/internal/atomicfile"
	"clawctl/internal/failure"
	"clawctl/internal/openfile"
)

// Errors of files that cannot be changed.
var (
	// ErrChanged means that a file is no longer what was read.
	ErrChanged error = &untouchedError{"the file changed since it was read", func(path, text string) *failure.Error {
		return failure.New(failure.Changed, "%s", text).At(path).WithAgain()
	}}
)

// A Snapshot is the content of a file at one time. It stays readable until it is closed.
type Snapshot struct {
	Path   string // without links
	Size   int64
	SHA256 string

	file *os.File
	info fs.FileInfo
}

// Open takes a snapshot of the file that a path leads to.
func Open(path string) (*Snapshot, error) {
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	if resolved, err = filepath.Abs(resolved); err != nil {
		return nil, err
	}
	file, err := openfile.Regular(resolved)
	if err != nil {
		return nil, err
	}
	s := &Snapshot{Path: resolved, file: file}
	if err := s.read(); err != nil {
		file.Close()
		return nil, err
	}
	return s, nil
}

func (s *Snapshot) read() error {
	var err error
	if s.info, err = s.file.Stat(); err != nil {
		return err
	}
	s.Size = s.info.Size()
	s.SHA256, err = digest(io.NewSectionReader(s.file, 0, s.Size))
	return err
}

// ReadAt reads from the file.
func (s *Snapshot) ReadAt(p []byte, at int64) (int, error) { return s.file.ReadAt(p, at) }

// Close closes the file.
func (s *Snapshot) Close() error { return s.file.Close() }

// isCurrent reports whether the file at the path is still the one that was read, with the same size and time.
func (s *Snapshot) isCurrent() bool { return s.isAt(s.Path) }

// isAt reports whether the file at some path is the one that was read, with the same size and time.
func (s *Snapshot) isAt(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && os.SameFile(info, s.info) && info.Size() == s.info.Size() &&
		info.ModTime().Equal(s.info.ModTime())
}

// remove removes the file, unless it has changed meanwhile.
func (s *Snapshot) remove() error {
	if !s.isCurrent() {
		return ErrChanged
	}
	s.Close() // some systems do not remove a file that is open
	if err := atomicfile.Remove(s.Path); err != nil {
		return err
	}
	return made("the file was removed", atomicfile.SyncFolder(filepath.Dir(s.Path)))
}

// digest returns the SHA-256 of a text.
func digest(r io.Reader) (string, error) {
	h := sha256.New()
	_, err := io.Copy(h, r)
	return hex.EncodeToString(h.Sum(nil)), err
}

// DigestOf returns the SHA-256 of the file at a path.
func DigestOf(path string) (string, error) {
	file, err := openfile.Regular(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	return digest(file)
}
