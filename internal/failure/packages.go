package failure

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Stdin is what reports call standard input. No path of a file looks like it.
const Stdin = "<stdin>"

// A CodedError of a package knows its code, its words and what helps.
type CodedError interface {
	error
	// FailureAt returns the failure, for a file or session as the user knows it.
	FailureAt(place string) *Error
}

// A Sentinel is an error of a package that has a code. Its words are those of the error that wraps it.
type Sentinel struct {
	Code  Code
	Text  string   // "" for that of the code
	Hint  string   // a command that helps, or ""
	Again []string // the flags with which to run the command again; nil is no such advice
	Exit  int      // instead of the usual one of the code, 0 for that one
	About string   // what it is always about, such as [Stdin] or [NoPlace]; "" for the file or session that is read
}

// NoPlace is what a failure is about that no file or session causes.
const NoPlace = "<none>"

// Error returns the text of the error.
func (s *Sentinel) Error() string {
	if s.Text == "" {
		return s.Code.Words()
	}
	return s.Text
}

// From returns the failure that an error of a package describes, nil if it has no code. place is the file or session
// that the error is about.
func From(place string, err error) *Error {
	var f *Error
	var failing CodedError
	var sentinel *Sentinel
	switch {
	case errors.As(err, &f):
		return f
	case errors.As(err, &failing):
		return failing.FailureAt(place)
	case errors.As(err, &sentinel):
		if place = cmp.Or(sentinel.About, place); place == NoPlace {
			place = ""
		}
		f = New(sentinel.Code, "%s", Reason(err)).At(place).WithHint(sentinel.Hint)
		f.Again, f.Exit = sentinel.Again, sentinel.Exit
		return f
	}
	return nil
}

// Reading returns the failure of an error that came up while a file was read.
func Reading(path string, err error) *Error {
	f := From(path, err)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f = New(NotFound, "").At(path).WithHint(Command("ls", nearestFolder(path)))
	case errors.Is(err, fs.ErrPermission):
		f = New(Denied, "").At(path).WithHint(Command("ls", "-l", path))
	case f == nil:
		f = New(IO, "%s", Reason(err)).At(path)
	}
	if path == Stdin {
		f.Hint = "" // there is no file that a command could name
	}
	return f
}

// nearestFolder returns the innermost folder of a path that exists.
func nearestFolder(path string) string {
	folder := filepath.Dir(path)
	for folder != filepath.Dir(folder) {
		if info, err := os.Stat(folder); err == nil && info.IsDir() {
			break
		}
		folder = filepath.Dir(folder)
	}
	return folder
}

// Reason returns the text of an error without the operation and path that a file error repeats.
func Reason(err error) string {
	var pathErr *fs.PathError
	var linkErr *os.LinkError
	switch {
	case errors.As(err, &pathErr):
		err = pathErr.Err
	case errors.As(err, &linkErr): // its names are those of temporary files
		err = linkErr.Err
	}
	return err.Error()
}
