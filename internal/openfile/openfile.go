// Package openfile opens files for reading. It looks at a file before anybody reads it, and so that nobody else is
// hindered.
//
// What stands in the place of a file may be a pipe that nobody writes to, a device without an end, or a file that is
// larger than any memory. Only a file that the user names may be a pipe ([Named]). Everything else must be a regular
// file ([Regular], [Below]), and what is held as a whole has a limit ([Content]).
//
// Others may write, rename, replace and delete a file while it is read here. Unix systems always allow that. Windows
// allows it only if every handle was opened for it, and [os.Open] does not ask. So everything that reads a file by its
// path opens it here. An [os.Root] asks by itself.
package openfile

import (
	"errors"
	"io"
	"os"
)

var (
	// ErrNotRegular is the error for a device, a pipe or a folder instead of a file.
	ErrNotRegular = errors.New("is not a regular file")
	// ErrTooLarge is the error for a text that is larger than what belongs in its place.
	ErrTooLarge = errors.New("is too large")
)

// Named opens a file that the user has named. Like [os.Open], it waits for the writer of a pipe.
func Named(path string) (*os.File, error) { return read(path, 0) }

// Regular opens a regular file. It returns [ErrNotRegular] for anything else and does not wait for a pipe.
func Regular(path string) (*os.File, error) {
	return checked(path, os.Stat, func(path string) (*os.File, error) { return read(path, NonBlocking) })
}

// Below is Regular for a name below a folder, through links that stay in it.
func Below(root *os.Root, name string) (*os.File, error) {
	return checked(name, root.Stat, func(name string) (*os.File, error) {
		return root.OpenFile(name, os.O_RDONLY|NonBlocking, 0)
	})
}

// checked opens a file if it is a regular one. It looks before, because to open a pipe takes the reader from whoever
// writes to it, and afterwards, because another file may have taken the place meanwhile.
func checked(
	name string, stat func(string) (os.FileInfo, error), open func(string) (*os.File, error),
) (file *os.File, err error) {
	info, err := stat(name)
	if err == nil && info.Mode().IsRegular() {
		if file, err = open(name); err == nil {
			info, err = file.Stat()
		}
	}
	if err == nil && !info.Mode().IsRegular() {
		err = &os.PathError{Op: "open", Path: name, Err: ErrNotRegular}
	}
	if err != nil && file != nil {
		file.Close()
	}
	if err != nil {
		return nil, err
	}
	return file, nil
}

// Content returns the content of a regular file, or [ErrTooLarge] if it has more than limit bytes.
func Content(path string, limit int64) ([]byte, error) { return contentOf(limit)(Regular(path)) }

// NamedContent is Content for a file that the user has named, which may be a pipe.
func NamedContent(path string, limit int64) ([]byte, error) { return contentOf(limit)(Named(path)) }

// ContentBelow is Content for a name below a folder.
func ContentBelow(root *os.Root, name string, limit int64) ([]byte, error) {
	return contentOf(limit)(Below(root, name))
}

// contentOf reads a file that was just opened, and closes it.
func contentOf(limit int64) func(*os.File, error) ([]byte, error) {
	return func(file *os.File, err error) ([]byte, error) {
		if err != nil {
			return nil, err
		}
		defer file.Close()
		var content []byte
		info, err := file.Stat()
		switch {
		case err != nil:
		case info.Mode().IsRegular() && info.Size() > limit:
			err = ErrTooLarge
		default:
			content, err = ReadAll(file, limit)
		}
		if errors.Is(err, ErrTooLarge) {
			err = &os.PathError{Op: "read", Path: file.Name(), Err: ErrTooLarge}
		}
		return content, err
	}
}

// ReadAll reads a stream to its end. It returns [ErrTooLarge] if that has more than limit bytes.
func ReadAll(in io.Reader, limit int64) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err == nil && int64(len(content)) > limit {
		return nil, ErrTooLarge
	}
	return content, err
}

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
