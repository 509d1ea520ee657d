package source

import (
	"io/fs"
	"os"

	"clawctl/pkg/dbfile"
)

// A tree is what a walker searches: a folder or a bundle. Paths are below its root.
type tree interface {
	open(path string) (fs.File, error)
	readDir(path string) ([]fs.DirEntry, error)
	Stat(path string) (fs.FileInfo, error)
	Lstat(path string) (fs.FileInfo, error)
}

// A folderTree is a folder. Nothing outside it can be reached.
type folderTree struct{ *os.Root }

// open opens a file. It does not wait for a pipe.
func (t folderTree) open(path string) (fs.File, error) {
	file, err := t.OpenFile(path, os.O_RDONLY|dbfile.NonBlocking, 0)
	if err != nil {
		return nil, err
	}
	return file, nil
}

func (t folderTree) readDir(path string) ([]fs.DirEntry, error) {
	dir, err := t.Open(path)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.ReadDir(-1)
}
