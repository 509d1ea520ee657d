// Package openfile opens files for reading so that nobody else is hindered: others may write, rename, replace and
// delete a file while it is read here. Unix systems always allow that. Windows allows it only if every handle was
// opened for it, and [os.Open] does not ask. So everything that reads a file by its path opens it here. An [os.Root]
// asks by itself.
package openfile

import (
	"bytes"
	"errors"
	"io"
	"os"
)

var (
	// ErrNotRegular is the error for a device, a pipe or a folder instead of a file.
	ErrNotRegular = errors.New("is not a regular file")
	// ErrTooLarge is the error for a file that has more than what is in its place.
	ErrTooLarge = errors.New("is too large")
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

// ContentOf returns the rest of an open file, or ErrTooLarge if that is more than limit bytes.
func ContentOf(file *os.File, limit int64) ([]byte, error) {
	var content bytes.Buffer
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		if info.Size() > limit {
			return nil, &os.PathError{Op: "read", Path: file.Name(), Err: ErrTooLarge}
		}
		content.Grow(int(min(info.Size(), largeContent)) + bytes.MinRead)
	}
	_, err := content.ReadFrom(io.LimitReader(file, limit+1))
	if err == nil && int64(content.Len()) > limit {
		return nil, &os.PathError{Op: "read", Path: file.Name(), Err: ErrTooLarge}
	}
	return content.Bytes(), err
}

// Below opens a regular file below a folder, through links that stay in it. It neither waits for a pipe nor reads a
// device.
func Below(root *os.Root, name string) (*os.File, error) {
	file, err := root.OpenFile(name, os.O_RDONLY|NonBlocking, 0)
	if err != nil {
		return nil, err
	}
	return regular(file)
}

// regular closes what is not a regular file.
func regular(file *os.File) (*os.File, error) {
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &os.PathError{Op: "open", Path: file.Name(), Err: ErrNotRegular}
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
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
