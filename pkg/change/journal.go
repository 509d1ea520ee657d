package change

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"path/filepath"
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

	run   string // once it has a name
	count int    // of receipts
}

// A VerifyError says that the new text of a file is not what it should be. The file was not changed.
type VerifyError struct{ Err error }

func (e *VerifyError) Error() string { return "the new text is not valid: " + e.Err.Error() }
func (e *VerifyError) Unwrap() error { return e.Err }

// Write makes a change and returns its receipt. If it fails, the file is as it was, and nothing is left beside it.
func (j *Journal) Write(c Change) (*Receipt, error) {
	release, err := Lock(c.Snapshot.Path, j.Now)
	if err != nil {
		return nil, err
	}
	defer release()
	file, err := prepare(c.Snapshot, c.Edits, c.Verify)
	if err != nil {
		return nil, err
	}
	defer file.Abandon()
	receipt, err := newReceipt(c, file.sha256)
	if err != nil {
		return nil, err
	}
	var undo cleanup
	defer undo.run()
	for _, f := range c.Beside {
		if err := undo.write(f.Path, f.Data); err != nil {
			return nil, err
		}
	}
	if err := j.save(receipt, &undo); err != nil {
		return nil, err
	}
	if err := file.swap(c.Snapshot); err != nil {
		return nil, err
	}
	undo.paths = nil
	return receipt, nil
}

// Create makes a file that does not exist yet and returns its receipt. Undoing that removes the file.
func (j *Journal) Create(path, command string, data []byte) (*Receipt, error) {
	release, err := Lock(path, j.Now)
	if err != nil {
		return nil, err
	}
	defer release()
	file, err := atomicfile.Create(path, atomicfile.Options{Policy: atomicfile.ReplaceNothing})
	if err != nil {
		return nil, changedIfThere(err)
	}
	defer file.Abandon()
	if _, err := file.Write(data); err != nil {
		return nil, err
	}
	receipt := &Receipt{
		SchemaVersion: 1, Command: command, Path: path, SizeAfter: int64(len(data)), After: digestBytes(data), Created: true,
	}
	var undo cleanup
	defer undo.run()
	if err := j.save(receipt, &undo); err != nil {
		return nil, err
	}
	if err := file.Commit(); err != nil {
		return nil, changedIfThere(err)
	}
	undo.paths = nil
	return receipt, nil
}

// changedIfThere is ErrChanged for a file that was not there before.
func changedIfThere(err error) error {
	if errors.Is(err, atomicfile.ErrExists) {
		return ErrChanged
	}
	return err
}

// save writes a new receipt. The first one of a run finds a name for the run.
func (j *Journal) save(r *Receipt, undo *cleanup) error {
	if err := atomicfile.MkdirAll(j.Folder); err != nil {
		return err
	}
	r.Time = j.Now.UTC().Truncate(time.Second)
	base := r.Time.Format("20060102-150405")
	for n := 2; ; n++ {
		r.Run = cmp.Or(j.run, base)
		r.ID = fmt.Sprintf("%s-%d", r.Run, j.count+1)
		r.path = filepath.Join(j.Folder, r.ID+receiptSuffix)
		err := atomicfile.WriteFile(r.path, r.encode(), atomicfile.Options{Policy: atomicfile.ReplaceNothing})
		if errors.Is(err, atomicfile.ErrExists) && j.count == 0 {
			j.run = fmt.Sprintf("%s.%d", base, n) // another run began in this second
			continue
		}
		if err == nil {
			j.run, j.count = r.Run, j.count+1
			undo.paths = append(undo.paths, r.path)
		}
		return err
	}
}

// newReceipt describes a change.
func newReceipt(c Change, after string) (*Receipt, error) {
	s := c.Snapshot
	r := &Receipt{
		SchemaVersion: 1, Command: c.Command, Path: s.Path, SizeBefore: s.Size, SizeAfter: c.Edits.NewSize(s.Size),
		Before: s.SHA256, After: after,
	}
	shift := int64(0)
	for _, e := range c.Edits {
		old := make([]byte, e.To-e.From)
		if _, err := io.ReadFull(io.NewSectionReader(s, e.From, e.To-e.From), old); err != nil {
			return nil, changedIfShort(err)
		}
		r.Changes = append(r.Changes, Range{e.From + shift, int64(len(e.New)), base64.StdEncoding.EncodeToString(old)})
		shift += int64(len(e.New)) - int64(len(old))
	}
	for _, f := range c.Beside {
		r.Beside = append(r.Beside, Kept{f.Path, digestBytes(f.Data)})
	}
	return r, nil
}

// changedIfShort is ErrChanged for a file that became shorter.
func changedIfShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrChanged
	}
	return err
}
