package change

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"clawctl/internal/atomicfile"
	"clawctl/internal/failure"
	"clawctl/internal/process"
)

// An Erasure replaces the text of a file by one from which something is removed for good. Its receipt has digests only,
// and nobody can undo it.
type Erasure struct {
	Snapshot *Snapshot
	Command  string
	Values   []string // what is removed, by fingerprint
	// Text writes the new text, which may be compressed.
	Text func(w io.Writer) error
	// Verify looks at the new text before it takes the place of the old one, and may refuse it.
	Verify func(text io.ReaderAt, size int64) error
	// Open is which files processes had open before the snapshot was taken. One that is open is not changed.
	Open *process.Open
	// Keep is the path that gets a copy of the old file, or "".
	Keep string
}

// ErasureDetails is the part of a receipt that says that text was removed for good.
type ErasureDetails struct {
	Run    string    `json:"run"` // that removed it
	Time   time.Time `json:"time"`
	Values []string  `json:"values,omitempty"` // by fingerprint
}

// Final is the state of a change that cannot be undone, because text of it was removed for good.
const Final State = "final"

// An erasedError says that the text from before a change was removed for good.
type erasedError struct{ Receipt *Receipt }

func (e *erasedError) Error() string {
	if e.Receipt.Erased.Run == e.Receipt.Run {
		return "the run " + e.Receipt.Run + " removed values for good and keeps no copy of them, so it cannot be undone"
	}
	return fmt.Sprintf("the run %s removed a value from the text of this %s for good, so it cannot be undone",
		e.Receipt.Erased.Run, e.Receipt.Command)
}

// FailureAt says how to see all receipts.
func (e *erasedError) FailureAt(path string) *failure.Error {
	return failure.New(failure.TextErased, "%s", untouched(e)).At(path).WithHint("clawctl undo --list")
}

// FinalError returns why none of the receipts of a run can be undone, or nil if one can.
func FinalError(receipts []*Receipt) error {
	for _, r := range receipts {
		if !r.isFinal() {
			return nil
		}
	}
	return &erasedError{receipts[0]}
}

// isFinal reports whether the receipt has no text to restore, although it once had.
func (r *Receipt) isFinal() bool { return r.Erased != nil && r.Moved == nil && !r.Created }

// Erase carries out an erasure and returns its receipt. If it fails, the file is as it was. Only after a [madeError] it
// has its new text.
func (j *Journal) Erase(e Erasure) (*Receipt, error) {
	s := e.Snapshot
	lock, err := j.lock(s.Path)
	if err != nil {
		return nil, err
	}
	defer lock.Release()
	if held, _ := e.Open.Has(s.info); held {
		return nil, &LockedError{s.Path, "a process that has it open"}
	}
	file, err := s.prepare(s.info.ModTime(), e.Text, e.Verify)
	if err != nil {
		return nil, err
	}
	defer file.temp.Abandon()
	if e.Keep != "" { // unless an interrupted run has done so
		old := io.NewSectionReader(s, 0, s.Size)
		if err := KeepCopy(e.Keep, old, s.SHA256, s.info.ModTime()); err != nil {
			return nil, err
		}
	}
	receipt := &Receipt{
		Command: e.Command, Path: s.Path, SizeBefore: s.Size, SizeAfter: file.size, Before: s.SHA256,
		After: file.sha256, Erased: &ErasureDetails{j.run, j.now(), e.Values},
	}
	var undo cleanup
	defer undo.run()
	if err := j.save(receipt, &undo); err != nil {
		return nil, err
	}
	// The old file loses its last name, but stays open until what a program may have added to it in the last moment is
	// in the new one.
	original := &Original{Size: s.Size, SHA256: s.SHA256, Time: s.info.ModTime()}
	return receipt, receipt.swap(file, s, original, lock, &undo)
}

func (j *Journal) now() time.Time { return j.Now.UTC().Truncate(time.Second) }

// KeepCopy writes a copy of a text with the given SHA-256 to a path. A file that has that text already is left alone,
// and one with another text keeps its name.
func KeepCopy(path string, text io.Reader, sum string, modified time.Time) error {
	if err := atomicfile.MkdirAll(filepath.Dir(path)); err != nil {
		return err
	}
	free := path
	for n := 2; isThere(free); n++ {
		if there, err := DigestOf(free); err == nil && there == sum {
			return nil
		}
		free = fmt.Sprintf("%s.%d", path, n)
	}
	file, err := atomicfile.Create(free, atomicfile.Options{Policy: atomicfile.ReplaceNothing, Modified: modified})
	if err != nil {
		return err
	}
	defer file.Abandon()
	if _, err := io.Copy(file, text); err != nil {
		return err
	}
	return file.Commit()
}

// NoteErased saves the receipt of an erasure that was made elsewhere: in a database of clawctl. before is the SHA-256
// that the file had.
func (j *Journal) NoteErased(path, command, before string, values []string) (*Receipt, error) {
	if err := j.enter(j.Folder); err != nil {
		return nil, err
	}
	after, err := DigestOf(path)
	if err != nil {
		return nil, err
	}
	r := &Receipt{
		Command: command, Path: path, Before: before, After: after, Erased: &ErasureDetails{j.run, j.now(), values},
	}
	return r, j.save(r, &cleanup{})
}

// File returns the path of the receipt itself.
func (r *Receipt) File() string { return r.path }

// Forget removes the texts from a receipt, so that its change cannot be undone any more.
func (j *Journal) Forget(r *Receipt, values []string) error {
	if err := j.enter(j.Folder); err != nil {
		return err
	}
	r.Changes = nil
	if r.Erased == nil || r.Erased.Run != r.Run {
		r.Erased = &ErasureDetails{j.run, j.now(), values}
	}
	return r.rewrite()
}

// DropOriginals removes the files that a change has replaced and that are still kept, because a process may write to
// them. It refuses that if one has done so, or has one open.
func (j *Journal) DropOriginals(r *Receipt, open *process.Open) error {
	for _, o := range slices.Clone(r.Originals) {
		if err := o.drop(r, open); err != nil {
			return err
		}
		r.dropOriginal(o)
	}
	return r.rewrite()
}

// drop removes an original to which nobody has written.
func (o *Original) drop(r *Receipt, open *process.Open) error {
	info, err := os.Lstat(o.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if held, _ := open.Has(info); held {
		return &LockedError{r.Path, "a process that has its old file open"}
	}
	if !o.isUntouched(info) && !isSameAs(info, r.Path) {
		return o.lateError(r)
	}
	return atomicfile.Remove(o.Path)
}

// Adopt lets the receipts know that a file was erased: those that moved it to the trash, that created it, or that wrote
// it beside another one. They can still be undone, with the new text. For all others of the file there is no way back.
func (j *Journal) Adopt(all []*Receipt, erased *Receipt) error {
	for _, r := range all {
		if r.ID == erased.ID || !r.adoptErased(erased) {
			continue
		}
		if err := j.enter(j.Folder); err != nil {
			return err
		}
		if err := r.rewrite(); err != nil {
			return err
		}
	}
	return nil
}

// adoptErased notes what an erasure did to the files of a receipt. It reports whether it did anything.
func (r *Receipt) adoptErased(by *Receipt) bool {
	var changed bool
	for i, kept := range r.Beside {
		if kept.Path == by.Path && kept.SHA256 == by.Before {
			r.Beside[i].SHA256, changed = by.After, true
		}
	}
	switch {
	case r.Moved != nil && r.Moved.To == by.Path && r.After == by.Before:
		r.Before, r.After, r.SizeBefore, r.SizeAfter = by.After, by.After, by.SizeAfter, by.SizeAfter
	case r.Created && r.Path == by.Path && r.After == by.Before:
		r.After, r.SizeAfter = by.After, by.SizeAfter
	case r.Path == by.Path && r.Erased == nil && r.Moved == nil && !r.Created && r.Sequence <= by.Sequence:
		r.Changes = nil
	default:
		return changed
	}
	r.Erased = by.Erased
	return true
}
