// Package openfile opens files for reading so that nobody else is hindered: others may write, rename, replace and
// delete a file while it is read here. Unix systems always allow that. Windows allows it only if every handle was
// opened for it, and [os.Open] does not ask. So everything that reads a file by its path opens it here. An [os.Root]
// asks by itself.
package openfile

import (
	"bytes"
	"os"
)

// Read opens a file for reading. Like [os.Open], it waits for the writer of a pipe.
func Read(path string) (*os.File, error) { return read(path, 0) }

// ReadNow is Read for what should be a regular file: it does not wait if it is a pipe.
func ReadNow(path string) (*os.File, error) { return read(path, NonBlocking) }

// Content returns the content of a file.
func Content(path string) ([]byte, error) {
	file, err := Read(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var content bytes.Buffer
	if info, err := file.Stat(); err == nil {
		content.Grow(int(min(info.Size(), largeContent)) + bytes.MinRead)
	}
	_, err = content.ReadFrom(file)
	return content.Bytes(), err
}

// largeContent is how much of a size Content believes before it has read anything.
const largeContent = 64 << 20

// IsSame reports whether two paths lead to the same file, also through links.
func IsSame(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

// IsFolder reports whether a path leads to a folder, also through links.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
