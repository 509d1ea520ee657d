// Package rooted opens files whose names come from data. A row, an index, a receipt or a configuration may name
// anything, and a link may stand at any place that it names. So such a name is never a path: it is a [Path], which is a
// folder that the user has named and a name below it. Links are followed inside the folder only, what is not a regular
// file is not opened, and nothing returns the path as a string, with which it could be opened otherwise.
package rooted

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"clawctl/internal/openfile"
)

// A Path is a name below a folder.
type Path struct {
	folder string // that the user has named, or a home of a program
	name   string // below it, with slashes
}

// Of returns the path of a name, with slashes, below a folder. It is for the caller to say that the folder may be
// opened: no part of it comes from data.
func Of(folder, name string) Path { return Path{folder, path.Clean(name)} }

// Join returns the path of a name below another path. No name leads out of that.
func (p Path) Join(name string) Path { return Path{p.folder, path.Join(p.name, path.Join("/", name))} }

// A File is a path and what reports call it. The name in reports is not to be opened.
type File struct {
	Path
	Shown string
}

// Join returns a file or folder in a folder.
func (f File) Join(name string) File { return File{f.Path.Join(name), filepath.Join(f.Shown, name)} }

// Open opens a regular file for reading. It does not wait for a pipe, but returns [openfile.ErrNotRegular].
func (p Path) Open() (file *os.File, err error) {
	err = p.in(func(root *os.Root) error {
		file, err = openfile.Below(root, filepath.FromSlash(p.name))
		return err
	})
	return file, err
}

// Content returns the content of a regular file, or [openfile.ErrTooLarge] if it has more than limit bytes.
func (p Path) Content(limit int64) (content []byte, err error) {
	err = p.in(func(root *os.Root) error {
		content, err = openfile.ContentBelow(root, filepath.FromSlash(p.name), limit)
		return err
	})
	return content, err
}

// Stat describes what is there, through links that stay inside the folder.
func (p Path) Stat() (info fs.FileInfo, err error) {
	err = p.in(func(root *os.Root) error {
		info, err = root.Stat(filepath.FromSlash(p.name))
		return err
	})
	return info, err
}

// Walk calls visit for everything below the path as [fs.WalkDir] does, with names below the folder. Links below it are
// not followed.
func (p Path) Walk(visit fs.WalkDirFunc) error {
	return p.in(func(root *os.Root) error { return fs.WalkDir(root.FS(), p.name, visit) })
}

// List lists a folder.
func (p Path) List() (entries []fs.DirEntry, err error) {
	err = p.in(func(root *os.Root) error {
		entries, err = fs.ReadDir(root.FS(), p.name)
		return err
	})
	return entries, err
}

// in opens the folder while do looks into it. What do has opened stays open.
func (p Path) in(do func(*os.Root) error) error {
	root, err := os.OpenRoot(p.folder)
	if err != nil {
		return err
	}
	defer root.Close()
	return asOutside(do(root))
}

// ErrOutside is the error for a name or a link that leads out of the folder.
var ErrOutside = errors.New("leads out of the folder that was named")

// Hostile returns which error says that there is something in the place of a file that does not belong there, or nil:
// [ErrOutside], [openfile.ErrNotRegular] or [openfile.ErrTooLarge].
func Hostile(err error) error {
	for _, hostile := range []error{ErrOutside, openfile.ErrNotRegular, openfile.ErrTooLarge} {
		if errors.Is(err, hostile) {
			return hostile
		}
	}
	return nil
}

// asOutside gives the error of a root its name.
func asOutside(err error) error {
	var failed *fs.PathError
	if errors.As(err, &failed) && failed.Err.Error() == "path escapes from parent" {
		failed.Err = ErrOutside
	}
	return err
}
