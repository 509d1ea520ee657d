package change

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"slices"
	"time"

	"clawctl/internal/atomicfile"
	"clawctl/internal/openfile"
)

// A replacement is the new text of a file, in a temporary file beside it.
type replacement struct {
	temp   *atomicfile.File
	size   int64
	sha256 string
}

// prepare writes the new text of the file with a path, and reads it back.
func prepare(path string, o atomicfile.Options, write func(io.Writer) error) (*replacement, error) {
	file, err := atomicfile.Create(path, o)
	if err != nil {
		return nil, err
	}
	r := &replacement{temp: file}
	if err := r.fill(write); err != nil {
		file.Abandon()
		return nil, err
	}
	return r, nil
}

func (r *replacement) fill(write func(io.Writer) error) (err error) {
	sum := sha256.New()
	if err := write(io.MultiWriter(r.temp, sum)); err != nil {
		return err
	}
	r.sha256 = hex.EncodeToString(sum.Sum(nil))
	if r.size, err = r.temp.Seek(0, io.SeekCurrent); err != nil {
		return err
	}
	if read, err := digest(io.NewSectionReader(r.temp, 0, r.size)); err != nil || read != r.sha256 {
		return errors.Join(err, &VerifyError{errors.New("what was read back is not what was written")})
	}
	return nil
}

// editing writes the text of a snapshot with edits.
func (s *Snapshot) editing(edits Edits) func(io.Writer) error {
	return func(w io.Writer) error {
		n, err := io.Copy(w, edits.Reader(s, s.Size))
		if err == nil && n != edits.newSize(s.Size) {
			return ErrChanged
		}
		return err
	}
}

// prepare writes the new text of the file, which must still be what was read, and verifies it.
func (s *Snapshot) prepare(
	modified time.Time, write func(io.Writer) error, verify func(io.ReaderAt, int64) error,
) (*replacement, error) {
	r, err := prepare(s.Path, atomicfile.Options{Policy: atomicfile.ReplaceRegular, Modified: modified}, write)
	if err != nil {
		return nil, err
	}
	if err := s.accept(r, verify); err != nil {
		r.temp.Abandon()
		return nil, err
	}
	return r, nil
}

func (s *Snapshot) accept(r *replacement, verify func(io.ReaderAt, int64) error) error {
	if before, err := digest(io.NewSectionReader(s, 0, s.Size)); err != nil || before != s.SHA256 || !s.isCurrent() {
		return cmp.Or(err, ErrChanged)
	}
	if verify != nil {
		if err := verify(r.temp, r.size); err != nil {
			return &VerifyError{err}
		}
	}
	return errors.Join(r.temp.Chmod(s.info.Mode().Perm()), keepOwner(r.temp.File, s.info))
}

// swap puts the new text in the place of the old one, unless that has changed meanwhile. Syncing takes long, so the new
// text is on the disk before the old one is looked at.
func (r *replacement) swap(s *Snapshot) error {
	if err := r.temp.Seal(); err != nil {
		return err
	}
	if !s.isCurrent() {
		return ErrChanged
	}
	s.Close() // some systems do not replace a file that is open
	return r.temp.Commit()
}

// A cleanup removes files that a change has written, if it fails later.
type cleanup struct{ paths []string }

// write writes a file, unless it is already there.
func (c *cleanup) write(path string, data []byte) error {
	if old, err := openfile.Content(path, int64(len(data))); err == nil && bytes.Equal(old, data) {
		return nil // left by a run that was interrupted
	}
	err := atomicfile.WriteFile(path, data, atomicfile.Options{Policy: atomicfile.ReplaceNothing})
	if err == nil || errors.As(err, new(*atomicfile.SyncError)) {
		c.paths = append(c.paths, path)
	}
	return err
}

// run removes the last file first, so that a receipt stays as long as something that it lists.
func (c *cleanup) run() {
	for _, path := range slices.Backward(c.paths) {
		_ = os.Remove(path)
	}
}

func digestBytes(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
