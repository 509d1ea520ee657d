package change

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"clawctl/internal/atomicfile"
	"clawctl/internal/openfile"
	"clawctl/internal/process"
)

// An Original is a file that was replaced. A program that has it open, or that opened it in the last moment, can still
// append to it, although it has lost its name. So it keeps another name beside the receipt, or beside the new file if
// the receipts are on another disk, until what arrived late is in the new file and no process can write to it.
type Original struct {
	Path   string    `json:"path"`
	Size   int64     `json:"size"`
	SHA256 string    `json:"sha256"`
	Time   time.Time `json:"time"` // of its last change
	// Carried is how much of what arrived late is in the new file.
	Carried int64 `json:"carried,omitempty"`
	// Carrying says that the rest is being added to the new file, which had this size before.
	Carrying *int64 `json:"carrying,omitempty"`
	// Whole says that the file is one value, to which nothing can be added.
	Whole bool `json:"whole,omitempty"`
}

// originalsFolder is where originals are, below the receipts.
const originalsFolder = "originals"

// nearPrefix begins the names of originals that are beside the new file.
const nearPrefix = ".clawctl-original-"

// keep gives the file of a snapshot another name, and notes it in a receipt that is on the disk before the name exists.
// If the file system has no links, the original has no name.
func (j *Journal) keep(r *Receipt, s *Snapshot, whole bool, undo *cleanup) (o *Original, err error) {
	far := filepath.Join(j.Folder, originalsFolder)
	if err := atomicfile.MkdirAll(far); err != nil {
		return nil, err
	}
	r.Originals = slices.DeleteFunc(r.Originals, func(o *Original) bool { return !isThere(o.Path) })
	name := r.ID
	if len(r.Originals) > 0 { // of the change, and this one is of its undo
		name += "-undo"
	}
	o = &Original{Size: s.Size, SHA256: s.SHA256, Time: s.info.ModTime(), Whole: whole}
	r.Originals = append(r.Originals, o)
	for _, path := range []string{filepath.Join(far, name), filepath.Join(filepath.Dir(s.Path), nearPrefix+name)} {
		o.Path = path
		if err := r.rewrite(); err != nil {
			return nil, err
		}
		if os.Link(s.Path, path) == nil {
			undo.paths = append(undo.paths, path)
			return o, atomicfile.SyncFolder(filepath.Dir(path))
		}
	}
	o.Path = ""
	r.dropOriginal(o)
	return o, r.rewrite()
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// dropOriginal forgets an original.
func (r *Receipt) dropOriginal(o *Original) {
	r.Originals = slices.DeleteFunc(r.Originals, func(other *Original) bool { return other == o })
}

// hold opens an original without a name, so that it can be read after it was replaced. Windows would not replace it.
func (o *Original) hold(s *Snapshot) (*os.File, error) {
	if o.Path != "" || runtime.GOOS == "windows" {
		return nil, nil
	}
	return openfile.Regular(s.Path)
}

// lookAgain carries over what was appended to an original before it was replaced.
func (r *Receipt) lookAgain(o *Original, held *os.File) error {
	var err error
	if held == nil && o.Path == "" {
		return nil
	}
	if held == nil {
		if held, err = openfile.Regular(o.Path); err != nil {
			return err
		}
		defer held.Close()
	}
	info, err := held.Stat()
	if err != nil || o.isUntouched(info) {
		return err
	}
	_, err = r.carry(o, held, info.Size(), o.Path == "")
	return err
}

// A LateError says that what a program wrote to a file after it was replaced cannot be carried over. Somebody has to
// put the new file back, or to take the text away with FreeName.
type LateError struct {
	Path   string // of the file that was replaced
	Kept   string // where its text is
	IsGone bool   // the new file is no longer there; otherwise, the old one was not only appended to
}

func (e *LateError) Error() string {
	if e.IsGone {
		return "a program wrote to the old file after it was replaced, and the new file is gone; what it wrote is at the " +
			"end of " + e.Kept
	}
	return "a program changed the old file after it was replaced; its text is in " + e.Kept
}

// FreeName returns a path that the kept text can be moved to: beside the file that was replaced, or in the working
// directory if that folder is gone. Nothing else is left to do then.
func (e *LateError) FreeName() string {
	base := e.Path + ".late"
	if !isThere(filepath.Dir(e.Path)) {
		base = filepath.Base(base)
	}
	return FreeName(base)
}

// FreeName returns a path that nothing has, which begins with another one.
func FreeName(path string) string {
	name := path
	for n := 2; isThere(name); n++ {
		name = fmt.Sprintf("%s.%d", path, n)
	}
	return name
}

// Stuck returns why what arrived in an original cannot be carried over by any later run, or nil.
func (r *Receipt) Stuck() *LateError {
	for _, o := range r.Originals {
		if o.isStuck(r) {
			return o.lateError(r)
		}
	}
	return nil
}

// isStuck reports whether something arrived in an original and cannot be carried over.
func (o *Original) isStuck(r *Receipt) bool {
	file, err := openfile.Regular(o.Path)
	if err != nil {
		return false
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || o.isUntouched(info) || isSameAs(info, r.Path) {
		return false
	}
	text, err := o.late(file, info.Size(), true)
	return err != nil || len(text) > 0 && (o.Whole || !isThere(r.Path))
}

// lateError says that something arrived in an original and cannot be carried over.
func (o *Original) lateError(r *Receipt) *LateError {
	return &LateError{r.Path, o.Path, !isThere(r.Path)}
}

// late returns what arrived in an original and is not in the new file yet. Only whole lines count, unless nobody can
// complete the last one.
func (o *Original) late(in io.ReaderAt, size int64, isFinal bool) ([]byte, error) {
	if size < o.Size+o.Carried {
		return nil, io.ErrUnexpectedEOF
	}
	if sum, err := digest(io.NewSectionReader(in, 0, o.Size)); err != nil || sum != o.SHA256 {
		return nil, errors.Join(err, io.ErrUnexpectedEOF)
	}
	from := o.Size + o.Carried
	text := make([]byte, size-from)
	if _, err := io.ReadFull(io.NewSectionReader(in, from, size-from), text); err != nil {
		return nil, err
	}
	if isFinal {
		return text, nil
	}
	return text[:bytes.LastIndexByte(text, '\n')+1], nil
}

// isUntouched reports whether nobody wrote to an original since all of it was carried over.
func (o *Original) isUntouched(info fs.FileInfo) bool {
	return info.Size() == o.Size+o.Carried && (o.Carried > 0 || info.ModTime().Equal(o.Time)) && o.Carrying == nil
}

// settleOriginals carries over what arrived in the originals of a receipt, and removes those that nobody can write to
// any more. The lock of the file must be held.
func (j *Journal) settleOriginals(r *Receipt, open *process.Open) (carried int, err error) {
	for _, o := range slices.Clone(r.Originals) {
		n, err := j.settleOriginal(r, o, open)
		carried += n
		if err != nil {
			return carried, err
		}
	}
	return carried, nil
}

func (j *Journal) settleOriginal(r *Receipt, o *Original, open *process.Open) (carried int, err error) {
	file, err := openfile.Regular(o.Path)
	if errors.Is(err, fs.ErrNotExist) { // the change was interrupted before it had another name
		r.dropOriginal(o)
		return 0, r.rewrite()
	}
	if err != nil {
		return 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	isFree := j.isFree(r, info, open)
	if !o.isUntouched(info) && !isSameAs(info, r.Path) {
		if carried, err = r.carry(o, file, info.Size(), isFree); err != nil {
			return 0, err
		}
	}
	if !isFree {
		return carried, nil
	}
	file.Close() // some systems do not remove a file that is open
	if err := atomicfile.Remove(o.Path); err != nil {
		return carried, err
	}
	r.dropOriginal(o)
	return carried, r.rewrite()
}

// freeAge is after which time an original counts as free if the system does not say who has it open.
const freeAge = 24 * time.Hour

// isFree reports whether nobody can write to an original any more.
func (j *Journal) isFree(r *Receipt, info fs.FileInfo, open *process.Open) bool {
	held, known := open.Has(info)
	return !held && (known || j.Now.Sub(r.Time) > freeAge)
}

// isSameAs reports whether a path leads to a file, so that the file was never replaced, or is back.
func isSameAs(info fs.FileInfo, path string) bool {
	there, err := os.Stat(path)
	return err == nil && os.SameFile(info, there)
}

// carry adds what arrived in an original to the file that replaced it, and returns the number of lines. The receipt
// says beforehand where the file ends, so that an interrupted run is completed and nothing is added twice.
func (r *Receipt) carry(o *Original, in io.ReaderAt, size int64, isFinal bool) (lines int, err error) {
	text, err := o.late(in, size, isFinal)
	if err != nil || o.Whole && len(text) > 0 {
		return 0, o.lateError(r)
	}
	if len(text) == 0 {
		return 0, nil
	}
	s, err := Open(r.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, o.lateError(r)
	}
	if err != nil {
		return 0, err
	}
	defer s.Close()
	if o.Carrying == nil {
		o.Carrying = &s.Size
		if err := r.rewrite(); err != nil {
			return 0, err
		}
	}
	rest, err := missing(s, *o.Carrying, text)
	if err != nil {
		return 0, err
	}
	if err := appendTo(s, rest); err != nil {
		return 0, err
	}
	if err := r.adopt(s); err != nil {
		return 0, err
	}
	o.Carried, o.Carrying = o.Carried+int64(len(text)), nil
	return bytes.Count(text, []byte("\n")), r.rewrite()
}

// missing returns what of a text is not in a file after a place. An interrupted run may have added all of it, or a part
// at the end.
func missing(s *Snapshot, at int64, text []byte) ([]byte, error) {
	at = min(at, s.Size)
	end := make([]byte, s.Size-at)
	if _, err := io.ReadFull(io.NewSectionReader(s, at, s.Size-at), end); err != nil {
		return nil, err
	}
	if bytes.Contains(end, text) {
		return nil, nil
	}
	for n := min(len(text), len(end)); n > 0; n-- {
		if bytes.HasSuffix(end, text[:n]) {
			return text[n:], nil
		}
	}
	last := []byte{'\n'}
	if s.Size > 0 {
		if _, err := s.ReadAt(last, s.Size-1); err != nil {
			return nil, err
		}
	}
	if last[0] != '\n' {
		text = append([]byte("\n"), text...)
	}
	return text, nil
}

// appendTo adds a text to the end of a file, wherever that is by now, and makes it durable.
func appendTo(s *Snapshot, text []byte) error {
	if len(text) == 0 {
		return nil
	}
	file, err := os.OpenFile(s.Path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Sync(), file.Close())
}

// adopt makes the file as it is now what the change left, if it was that before, so that the change can still be undone
// and what was carried over stays. s is the file before.
func (r *Receipt) adopt(s *Snapshot) error {
	now, err := Open(s.Path)
	if err != nil {
		return err
	}
	defer now.Close()
	if now.Size == s.Size {
		return nil
	}
	switch s.SHA256 {
	case r.Before:
		r.Before, r.SizeBefore = now.SHA256, now.Size
	case r.After:
		edits, err := r.undoing()
		if err != nil {
			return err
		}
		r.After, r.SizeAfter = now.SHA256, now.Size
		r.SizeBefore = edits.newSize(now.Size)
		r.Before, err = digest(edits.Reader(now, now.Size))
		return err
	}
	return nil
}
