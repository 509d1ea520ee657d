package writing

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"clawctl/internal/atomicfile"
	"clawctl/internal/cli"
	"clawctl/pkg/change"
	"clawctl/pkg/store/dbfile"
)

// An Unpacker puts files of a bundle into a folder that may be the home of another program. Every file that it writes
// has a receipt, so undo takes it away, or restores the file that was there.
type Unpacker struct {
	app     *cli.App
	journal *change.Journal
	root    *os.Root // of the folder, which no link leads out of
	folder  string
}

// BeginUnpacking makes the folder, and completes what interrupted runs have left.
func BeginUnpacking(a *cli.App, folder string) (*Unpacker, error) {
	if err := BeginChanges(a); err != nil {
		return nil, err
	}
	journal, err := Journal(a)
	if err != nil {
		return nil, err
	}
	if err := atomicfile.MkdirAll(folder); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	return &Unpacker{app: a, journal: journal, root: root, folder: folder}, nil
}

// Close closes the folder.
func (u *Unpacker) Close() error { return u.root.Close() }

// Place puts a file into the folder. There is no receipt if it was not written: a file with the same content stays.
func (u *Unpacker) Place(name string, modified time.Time, write func(io.Writer) error) (*change.Receipt, error) {
	native := filepath.FromSlash(name)
	if err := atomicfile.MkdirAllIn(u.root, filepath.Dir(native)); err != nil {
		return nil, err
	}
	info, err := u.root.Stat(native)
	switch {
	case err == nil && dbfile.IsInUse(info):
		return nil, &fs.PathError{Op: "write", Path: name, Err: dbfile.ErrInUse}
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	path := filepath.Join(u.folder, native)
	receipt, err := pipeTo(write, func(text io.Reader) (*change.Receipt, error) {
		return u.journal.Create(change.Creation{Path: path, Command: "export", Text: text, Modified: modified})
	})
	if errors.Is(err, change.ErrPresent) {
		return nil, nil
	}
	if errors.Is(err, change.ErrChanged) {
		if !u.app.Output.Options.Force {
			return nil, ErrExists
		}
		receipt, err = pipeTo(write, func(text io.Reader) (*change.Receipt, error) {
			return u.journal.ReplaceText(path, "export", text)
		})
	}
	return receipt, err
}

// pipeTo lets a function read what another one writes.
func pipeTo(write func(io.Writer) error, read func(io.Reader) (*change.Receipt, error)) (*change.Receipt, error) {
	out, in := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		in.CloseWithError(write(in))
	}()
	receipt, err := read(out)
	out.Close() // the writer ends, even if not all was read
	<-done
	return receipt, err
}
