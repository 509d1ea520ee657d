package change

import (
	"bytes"
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
	sha256 string
}

// prepare writes the new text, reads it back and verifies it.
func prepare(s *Snapshot, edits Edits, verify func(io.ReaderAt, int64) error) (r *replacement, err error) {
	file, err := atomicfile.Create(s.Path, atomicfile.Options{Policy: atomicfile.ReplaceRegular})
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			file.Abandon()
		}
	}()
	r = &replacement{temp: file}
	if err := r.fill(s, edits); err != nil {
		return nil, err
	}
	size := edits.NewSize(s.Size)
	if err := r.readBack(size); err != nil {
		return nil, err
	}
	if verify != nil {
		if err := verify(file, size); err != nil {
			return nil, &VerifyError{err}
		}
	}
	return r, errors.Join(file.Chmod(s.info.Mode().Perm()), keepOwner(file.File, s.info))
}

// fill writes the new text, and makes sure that the old one is still what was read.
func (r *replacement) fill(s *Snapshot, edits Edits) error {
	before, err := digest(io.NewSectionReader(s, 0, s.Size))
	if err != nil {
		return err
	}
	if before != s.SHA256 || !s.isCurrent() {
		return ErrChanged
	}
	after := sha256.New()
	n, err := io.Copy(io.MultiWriter(r.temp, after), edits.Reader(s, s.Size))
	if err != nil {
		return err
	}
	if n != edits.NewSize(s.Size) {
		return ErrChanged
	}
	r.sha256 = hex.EncodeToString(after.Sum(nil))
	return nil
}

// prepareNew writes the text of a file that is not there yet, reads it back, and describes it.
func prepareNew(path, command string, text io.Reader, modified time.Time) (*replacement, *Receipt, error) {
	file, err := atomicfile.Create(path, atomicfile.Options{Policy: atomicfile.ReplaceNothing, Modified: modified})
	if err != nil {
		return nil, nil, err
	}
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(file, sum), text)
	r := &replacement{file, hex.EncodeToString(sum.Sum(nil))}
	if err == nil {
		err = r.readBack(size)
	}
	if err != nil {
		file.Abandon()
		return nil, nil, err
	}
	return r, &Receipt{
		SchemaVersion: 1, Command: command, Path: path, SizeAfter: size, After: r.sha256, Created: true,
	}, nil
}

// readBack compares what is in the temporary file with what was written.
func (r *replacement) readBack(size int64) error {
	if read, err := digest(io.NewSectionReader(r.temp, 0, size)); err != nil || read != r.sha256 {
		return errors.Join(err, &VerifyError{errors.New("what was read back is not what was written")})
	}
	return nil
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
