package change

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"clawctl/internal/atomicfile"
)

// A Change is what a command wants to do to one file.
type Change struct {
	Snapshot *Snapshot
	Edits    Edits
	Command  string // such as "repair"
	// Beside are files that are written beside the changed one before it is changed.
	Beside []NewFile
	// Verify looks at the new text before it takes the place of the old one, and may refuse it.
	Verify func(text io.ReaderAt, size int64) error
	// Whole says that the file is one value, so that nothing can be added to it later.
	Whole bool
}

// A NewFile is a file that keeps what a change takes out of another one.
type NewFile struct {
	Path string
	Data []byte
}

// A Journal makes changes and keeps their receipts in a folder.
type Journal struct {
	Folder string
	Now    time.Time // of the run; part of the names of its receipts

	run      string          // once it has a name
	sequence int64           // of the run among all runs
	count    int             // of receipts
	markers  []string        // the paths of the markers, while the run changes files
	entered  map[string]bool // the folders in them
	// keepers are the paths of the open receipts of each file that was written beside a changed one, once they are read.
	keepers map[Kept][]string
	// isIncomplete says that a change was made and could not be noted.
	isIncomplete bool
}

// A VerifyError says that the new text of a file is not what it should be. The file was not changed.
type VerifyError struct{ Err error }

func (e *VerifyError) Error() string { return "the new text is not valid: " + e.Err.Error() }
func (e *VerifyError) Unwrap() error { return e.Err }

// Write makes a change and returns its receipt. If it fails, the file is as it was, and nothing is left beside it. Only
// after a [madeError] the change was made, and the receipt is returned, too.
func (j *Journal) Write(c Change) (*Receipt, error) {
	lock, err := j.lock(c.Snapshot.Path)
	if err != nil {
		return nil, err
	}
	defer lock.Release()
	file, err := c.Snapshot.prepare(time.Time{}, c.Snapshot.editing(c.Edits), c.Verify)
	if err != nil {
		return nil, err
	}
	defer file.temp.Abandon()
	receipt, err := newReceipt(c, file.sha256)
	if err != nil {
		return nil, err
	}
	var undo cleanup
	defer undo.run()
	if err := j.save(receipt, &undo); err != nil {
		return nil, err
	}
	for _, f := range c.Beside {
		if err := undo.write(f.Path, f.Data); err != nil {
			return nil, err
		}
	}
	original, err := j.keep(receipt, c.Snapshot, c.Whole, &undo)
	if err != nil {
		return nil, err
	}
	err = receipt.swap(file, c.Snapshot, original, lock, &undo)
	if err != nil && !errors.As(err, new(*madeError)) {
		return nil, err
	}
	return receipt, err
}

// lock says that this run changes a file from now on, and takes its lock.
func (j *Journal) lock(path string) (*FileLock, error) {
	if err := j.enter(filepath.Dir(path)); err != nil {
		return nil, err
	}
	return Lock(path, j.Now)
}

// swap puts the new text of a receipt in the place of the old one, and looks once more at what was replaced.
func (r *Receipt) swap(file *replacement, s *Snapshot, original *Original, lock *FileLock, undo *cleanup) error {
	held, err := original.hold(s)
	if err != nil {
		return err
	}
	defer held.Close() // does nothing if it is nil
	if err := lock.check(); err != nil {
		return err
	}
	err = file.swap(s)
	if err != nil && !errors.As(err, new(*atomicfile.SyncError)) {
		return err
	}
	undo.paths = nil
	return made("the file was changed", errors.Join(err, r.lookAgain(original, held)))
}

// A Creation is what a command wants to make: a file that does not exist yet.
type Creation struct {
	Path, Command string
	Text          io.Reader
	Modified      time.Time // unless it is zero
	// Store is the path of the store that gives the text of its sessions to this file, an archive. Whoever undoes that
	// must give the text back to the store first.
	Store string
}

// Create makes a file and returns its receipt. Undoing that removes the file. It returns ErrChanged if the file is
// there, and [ErrPresent] if it has this very text.
func (j *Journal) Create(c Creation) (*Receipt, error) {
	path, err := pathWithoutLinks(c.Path)
	if err != nil {
		return nil, err
	}
	lock, err := j.lock(path)
	if err != nil {
		return nil, err
	}
	defer lock.Release()
	o := atomicfile.Options{Policy: atomicfile.ReplaceNothing, Modified: c.Modified}
	file, err := prepare(path, o, func(w io.Writer) error {
		_, err := io.Copy(w, c.Text)
		return err
	})
	if errors.Is(err, atomicfile.ErrExists) {
		return nil, presentOrChanged(path, c.Text)
	}
	if err != nil {
		return nil, err
	}
	defer file.temp.Abandon()
	var undo cleanup
	defer undo.run()
	receipt := &Receipt{Command: c.Command, Path: path, SizeAfter: file.size, After: file.sha256, Created: true}
	if c.Store != "" {
		receipt.Archive = &Archive{Store: c.Store}
	}
	if err := j.save(receipt, &undo); err != nil {
		return nil, err
	}
	err = file.temp.Commit()
	switch {
	case errors.Is(err, atomicfile.ErrExists):
		return nil, ErrChanged
	case err != nil && !errors.As(err, new(*atomicfile.SyncError)):
		return nil, err
	}
	undo.paths = nil
	return receipt, made("the file was created", err)
}

// ReplaceText gives a file another text and returns its receipt. It holds both texts in memory.
func (j *Journal) ReplaceText(path, command string, text io.Reader) (*Receipt, error) {
	s, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	old, err := io.ReadAll(io.NewSectionReader(s, 0, s.Size))
	if err != nil {
		return nil, err
	}
	new, err := io.ReadAll(text)
	if err != nil {
		return nil, err
	}
	return j.Write(Change{Snapshot: s, Edits: Edits{Replace(0, old, new)}, Command: command, Whole: true})
}

// ErrPresent means that a file that was to be created is there, with the same text.
var ErrPresent = errors.New("the file is there already")

// presentOrChanged says whether the file that is in the way of a new one has the same text.
func presentOrChanged(path string, text io.Reader) error {
	want, err := digest(text)
	if err != nil {
		return err
	}
	if have, err := DigestOf(path); err != nil || have != want {
		return errors.Join(ErrChanged, err)
	}
	return ErrPresent
}

func (j *Journal) save(r *Receipt, undo *cleanup) error {
	if err := j.enter(filepath.Dir(r.Path)); err != nil {
		return err
	}
	j.count++
	j.keepers = nil
	r.SchemaVersion, r.Time, r.Run, r.Sequence = 1, j.now(), j.run, j.sequence
	r.ID = fmt.Sprintf("%s-%d", r.Run, j.count)
	r.path = filepath.Join(j.Folder, r.ID+receiptSuffix)
	err := atomicfile.WriteFile(r.path, r.encode(), atomicfile.Options{Policy: atomicfile.ReplaceNothing})
	if err == nil || errors.As(err, new(*atomicfile.SyncError)) {
		undo.paths = append(undo.paths, r.path)
	}
	return err
}

// runTime is how the name of a run begins: with the time at which the run did.
const runTime = "20060102-150405"

// name gives the run a name that no other run has, even in the same second, and a number after those of all runs so
// far. The number decides which run was the last, because clocks are set back.
func (j *Journal) name() error {
	if j.run != "" {
		return nil
	}
	all, err := j.Receipts()
	if err != nil {
		return err
	}
	for _, r := range all {
		j.sequence = max(j.sequence, r.Sequence)
	}
	j.sequence++
	j.run = j.Now.UTC().Format(runTime) + "-" + strings.ToLower(rand.Text()[:6])
	return nil
}

// newReceipt describes a change.
func newReceipt(c Change, after string) (*Receipt, error) {
	s := c.Snapshot
	r := &Receipt{
		Command: c.Command, Path: s.Path, SizeBefore: s.Size, SizeAfter: c.Edits.newSize(s.Size), Before: s.SHA256,
		After: after,
	}
	shift := int64(0)
	for _, e := range c.Edits {
		old := make([]byte, e.To-e.From)
		if n, err := s.ReadAt(old, e.From); n < len(old) {
			if errors.Is(err, io.EOF) { // the file became shorter
				err = ErrChanged
			}
			return nil, err
		}
		r.Changes = append(r.Changes, Range{e.From + shift, int64(len(e.New)), old})
		shift += int64(len(e.New)) - int64(len(old))
	}
	for _, f := range c.Beside {
		r.Beside = append(r.Beside, Kept{f.Path, digestBytes(f.Data)})
	}
	return r, nil
}
