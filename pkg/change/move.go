package change

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"clawctl/internal/atomicfile"
	"clawctl/internal/failure"
	"clawctl/internal/openfile"
)

// errOccupied means that a file cannot go back because another one has its place.
var errOccupied error = &untouchedError{"another file has taken its place", func(path, text string) *failure.Error {
	return failure.New(failure.Exists, "%s", text).At(path).WithExit(failure.ExitFindings).
		WithHint(failure.Command("ls", "-l", path))
}}

// A Move is a file that a command wants to take to a trash on the same file system.
type Move struct {
	Path    string // of the file
	Trash   string // the folder of the trash
	Below   string // where in the trash the file belongs, with slashes
	Command string // such as "prune"
	Proof   Proof
	// Check is called last before the file is moved, and may refuse.
	Check func() error
}

// A Proof says who has the content of a file that was moved to the trash.
type Proof struct {
	Kind     string    `json:"kind"` // of the place, such as "clawctl store"
	Path     string    `json:"path"`
	Sessions []Witness `json:"sessions"`
}

// A Witness is a session that has content of the file.
type Witness struct {
	Session string `json:"session"`
	ID      string `json:"id,omitempty"`
}

// MoveDetails is the part of a receipt that only a move has.
type MoveDetails struct {
	To        string     `json:"to"`
	Trash     string     `json:"trash"`
	Proof     Proof      `json:"proof"`
	RemovedAt *time.Time `json:"removed_at,omitempty"`
}

// Move moves a file to the trash and returns its receipt, which is on the disk before the file is moved. If it fails,
// the file is where it was.
func (j *Journal) Move(m Move) (*Receipt, error) {
	path, err := realPath(m.Path)
	if err != nil {
		return nil, err
	}
	lock, err := j.lock(path)
	if err != nil {
		return nil, err
	}
	defer lock.Release()
	s, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	to, err := j.trashPath(m)
	if err != nil {
		return nil, err
	}
	r := &Receipt{
		Command: m.Command, Path: s.Path, SizeBefore: s.Size, SizeAfter: s.Size, Before: s.SHA256, After: s.SHA256,
		Moved: &MoveDetails{To: to, Trash: m.Trash, Proof: m.Proof},
	}
	return j.carryOut(r, s, m.Check, lock)
}

// realPath returns the path of a regular file without links in its folders. A link to a file is refused, because moving
// it would move nothing.
func realPath(path string) (string, error) {
	path, err := pathWithoutLinks(path)
	if err != nil {
		return "", err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return path, err
	}
	if !info.Mode().IsRegular() {
		return path, &fs.PathError{Op: "move", Path: path, Err: openfile.ErrNotRegular}
	}
	return path, nil
}

// pathWithoutLinks returns the absolute path of a file without links in its folders.
func pathWithoutLinks(path string) (string, error) {
	folder, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err == nil {
		folder, err = filepath.Abs(folder)
	}
	return filepath.Join(folder, filepath.Base(path)), err
}

// trashPath returns where the file goes: below a folder with the name of the run.
func (j *Journal) trashPath(m Move) (string, error) {
	if err := j.name(); err != nil {
		return "", err
	}
	if err := checkTrash(m.Trash); err != nil {
		return "", err
	}
	run := filepath.Join(m.Trash, j.run)
	path := filepath.Join(run, filepath.FromSlash(m.Below))
	for n := 2; isThere(path); n++ {
		path = filepath.Join(fmt.Sprintf("%s.%d", run, n), filepath.FromSlash(m.Below))
	}
	return path, nil
}

// checkTrash refuses a trash that is a link, or that has links among its folders. Files would leave through them.
func checkTrash(trash string) error {
	if info, err := os.Lstat(trash); err == nil && !info.IsDir() {
		return &fs.PathError{Op: "move", Path: trash, Err: ErrNotFolder}
	}
	entries, err := os.ReadDir(trash)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, entry := range entries {
		if entry.Type()&fs.ModeSymlink != 0 {
			return &fs.PathError{Op: "move", Path: filepath.Join(trash, entry.Name()), Err: ErrNotFolder}
		}
	}
	return nil
}

// ErrNotFolder means that a link or a file is where a folder must be, such as one of the trash.
var ErrNotFolder = errors.New("not a folder")

// checkPath refuses a file in the trash that is reached through a link.
func (m *MoveDetails) checkPath() error {
	for folder := filepath.Dir(m.To); len(folder) >= len(m.Trash); folder = filepath.Dir(folder) {
		if info, err := os.Lstat(folder); err == nil && !info.IsDir() {
			return &fs.PathError{Op: "open", Path: folder, Err: ErrNotFolder}
		}
	}
	return nil
}

// carryOut saves the receipt of a move, and then renames the file.
func (j *Journal) carryOut(r *Receipt, s *Snapshot, check func() error, lock *FileLock) (*Receipt, error) {
	var undo cleanup
	defer undo.run()
	defer r.Moved.tidy() // what is not empty stays
	if err := j.save(r, &undo); err != nil {
		return nil, err
	}
	if err := atomicfile.MkdirAll(filepath.Dir(r.Moved.To)); err != nil { // the receipt says where to tidy up
		return nil, err
	}
	if check != nil {
		if err := check(); err != nil {
			return nil, err
		}
	}
	if err := lock.check(); err != nil {
		return nil, err
	}
	if !s.isCurrent() {
		return nil, ErrChanged
	}
	s.Close() // some systems do not rename a file that is open
	err := rename(s.Path, r.Moved.To)
	if err != nil && !errors.As(err, new(*madeError)) {
		return nil, err
	}
	if !s.isAt(r.Moved.To) { // somebody wrote to it in the last moment
		if back := rename(r.Moved.To, s.Path); back != nil {
			undo.paths = nil // the receipt says where the file is
		}
		return nil, ErrChanged
	}
	undo.paths = nil
	return r, err
}

// rename gives a file a name that must be free, and makes that durable before it takes the old one, so that a power cut
// leaves at least one of them. Nothing that takes the name at the same time is replaced, unless the file system has no
// links.
func rename(from, to string) error {
	err := os.Link(from, to)
	switch {
	case errors.Is(err, fs.ErrExist):
		return errOccupied
	case err == nil:
		return replaceName(from, to)
	case isThere(to):
		return errOccupied
	}
	if err := atomicfile.Rename(from, to); err != nil {
		return err
	}
	err = errors.Join(atomicfile.SyncFolder(filepath.Dir(to)), atomicfile.SyncFolder(filepath.Dir(from)))
	return made("the file was moved", err)
}

// replaceName takes the old name from a file that has a new one.
func replaceName(from, to string) error {
	if err := atomicfile.SyncFolder(filepath.Dir(to)); err != nil {
		return errors.Join(err, os.Remove(to))
	}
	if err := atomicfile.Remove(from); err != nil {
		return errors.Join(err, os.Remove(to))
	}
	return made("the file was moved", atomicfile.SyncFolder(filepath.Dir(from)))
}

// tidy removes the folders of the trash that are empty, from the one of the file up to the trash itself.
func (m *MoveDetails) tidy() {
	for folder := filepath.Dir(m.To); len(folder) >= len(m.Trash); folder = filepath.Dir(folder) {
		// A run may have been interrupted while it made them, from the outermost to the innermost.
		if err := os.Remove(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return
		}
	}
}

// isBoth reports whether the file has both names, because somebody was interrupted between giving it one and taking the
// other. It is in its old place then.
func (m *MoveDetails) isBoth(r *Receipt) bool {
	there, err := os.Lstat(m.To)
	return err == nil && isSameAs(there, r.Path)
}

// removeDouble takes the name in the trash from a file that has both, and removes the folders that are empty then.
func (m *MoveDetails) removeDouble(r *Receipt) {
	if m.isBoth(r) {
		_ = os.Remove(m.To)
	}
	m.tidy()
}

// state finds out where the file of a move is.
func (m *MoveDetails) state(r *Receipt) (State, error) {
	if m.isBoth(r) {
		return Undone, nil
	}
	here, hereErr := DigestOf(r.Path)
	there, thereErr := DigestOf(m.To)
	isHere, isThere := !errors.Is(hereErr, fs.ErrNotExist), !errors.Is(thereErr, fs.ErrNotExist)
	switch {
	case isThere && thereErr != nil:
		return "", thereErr
	case isHere && hereErr != nil:
		return "", hereErr
	case isThere && !isHere && there == r.After:
		return Undoable, nil
	case isHere && !isThere && here == r.Before:
		return Undone, nil
	case isHere || isThere:
		return Newer, nil
	case m.RemovedAt != nil:
		return Removed, nil
	}
	return Gone, nil
}

// undo moves the file back.
func (m *MoveDetails) undo(r *Receipt) error {
	if err := m.checkPath(); err != nil {
		return err
	}
	state, err := m.state(r)
	switch {
	case err != nil:
		return err
	case state == Undone && r.UndoneAt == nil:
		m.removeDouble(r) // a run was interrupted before the file was moved, or after it was moved back
		return nil
	case state == Gone || state == Removed:
		return &fs.PathError{Op: "open", Path: m.To, Err: fs.ErrNotExist}
	case state == Newer:
		if sum, err := DigestOf(m.To); err == nil && sum == r.After {
			return errOccupied
		}
		return ErrChanged
	case state != Undoable:
		return ErrChanged
	}
	err = rename(m.To, r.Path)
	m.tidy()
	return err
}

// InTrash reports whether the receipt is that of a file which is in the trash, as far as the receipt knows.
func (r *Receipt) InTrash() bool {
	return r.Moved != nil && r.UndoneAt == nil && r.Moved.RemovedAt == nil
}

// Remove deletes the file of a move from the trash, for good. The receipt stays, because it says who has the content
// now. A file that changed in the trash is left alone.
func (j *Journal) Remove(r *Receipt) error {
	if err := r.Moved.checkPath(); err != nil {
		return err
	}
	sum, err := DigestOf(r.Moved.To)
	switch {
	case errors.Is(err, fs.ErrNotExist) && openfile.IsThere(r.Path):
		return ErrChanged
	case errors.Is(err, fs.ErrNotExist): // a run was interrupted after it deleted the file
	case err != nil:
		return err
	case sum != r.After:
		return ErrChanged
	default:
		if err := atomicfile.Remove(r.Moved.To); err != nil {
			return err
		}
		if err := atomicfile.SyncFolder(filepath.Dir(r.Moved.To)); err != nil {
			return made("the file was deleted", err)
		}
	}
	r.Moved.tidy()
	now := j.now()
	r.Moved.RemovedAt = &now
	return made("the file was deleted", j.note(r))
}
