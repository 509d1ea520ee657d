package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// MkdirAll creates a folder and the folders above it, for their owner only. A file inside is durable only if they are,
// so the folder above each new one is synced.
func MkdirAll(path string) error { return mkdirAll(system{}, path) }

// MkdirAllIn is MkdirAll inside root.
func MkdirAllIn(root *os.Root, name string) error { return mkdirAll(root, name) }

// folders are the operations that MkdirAll needs.
type folders interface {
	files
	Stat(name string) (fs.FileInfo, error)
	MkdirAll(name string, mode fs.FileMode) error
}

func mkdirAll(in folders, name string) error {
	var changed []string // folders that get a new entry
	for at := filepath.Clean(name); at != filepath.Dir(at); at = filepath.Dir(at) {
		if _, err := in.Stat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		changed = append(changed, filepath.Dir(at))
	}
	if err := in.MkdirAll(name, 0o700); err != nil {
		return err
	}
	for _, folder := range changed {
		if err := syncFolder(in, folder); err != nil {
			return err
		}
	}
	return nil
}

func (system) Stat(name string) (fs.FileInfo, error)        { return os.Stat(name) }
func (system) MkdirAll(name string, mode fs.FileMode) error { return os.MkdirAll(name, mode) }
