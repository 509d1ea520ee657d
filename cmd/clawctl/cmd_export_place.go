package main

// How export puts files in place: a file that exists with the same content is left alone, and one with other content is
// replaced only with --force.

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"clawctl/internal/atomicfile"
	"clawctl/pkg/dbfile"
)

// errExists is the error for a file that exists with other content.
var errExists = errors.New("the file exists with other content")

// place writes one file, atomically, and returns what happened to it: "written" or "unchanged".
func (x *exporting) place(
	root *os.Root, name string, modified time.Time, write func(io.Writer) (int64, error),
) (verdict string, n int64, err error) {
	native := filepath.FromSlash(name)
	if err := atomicfile.MkdirAllIn(root, filepath.FromSlash(path.Dir(name))); err != nil {
		return "", 0, err
	}
	if info, err := root.Stat(native); err == nil && dbfile.IsInUse(info) {
		return "", 0, &fs.PathError{Op: "write", Path: name, Err: dbfile.ErrInUse}
	}
	file, err := atomicfile.CreateIn(root, native, atomicfile.Options{Modified: modified})
	if err != nil {
		return "", 0, err
	}
	defer file.Abandon()
	if n, err = write(file); err != nil {
		return "", n, err
	}
	same, err := sameContent(root, file.TempName(), native)
	switch {
	case same:
		return "unchanged", n, nil
	case err == nil && !x.output.options.force:
		return "", n, errExists
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", n, err
	}
	return "written", n, file.Commit()
}

// sameContent compares two files of a folder. The error is that of the second.
func sameContent(root *os.Root, a, b string) (bool, error) {
	second, err := root.Open(b)
	if err != nil {
		return false, err
	}
	defer second.Close()
	first, err := root.Open(a)
	if err != nil {
		return false, err
	}
	defer first.Close()
	bufs := [2][]byte{make([]byte, 256<<10), make([]byte, 256<<10)}
	for {
		n, err1 := io.ReadFull(first, bufs[0])
		m, err2 := io.ReadFull(second, bufs[1])
		if !bytes.Equal(bufs[0][:n], bufs[1][:m]) {
			return false, nil
		}
		if err1 != nil || err2 != nil {
			return errors.Is(err1, io.EOF) == errors.Is(err2, io.EOF) || n == m, nil
		}
	}
}
