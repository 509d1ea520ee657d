package failure

import (
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
	code  Code
	text  string
	hint  string
	again []string
	exit  int     // instead of the usual one of the code, 0 for that one
	place *string // that it is always about; nil: the file or session that is read
}

// NewSentinel returns an error with a code.
func NewSentinel(code Code, text string) *Sentinel { return &Sentinel{code: code, text: text} }

// Error returns the text of the error.
func (s *Sentinel) Error() string { return s.text }

// WithHint returns the error with a command that helps.
func (s *Sentinel) WithHint(command string) *Sentinel {
	s.hint = command
	return s
}

// WithAgain returns the error with the advice to run the command again, with more flags.
func (s *Sentinel) WithAgain(flags ...string) *Sentinel {
	s.again = append([]string{}, flags...)
	return s
}

// WithExit returns the error with another exit status than the usual one of its code.
func (s *Sentinel) WithExit(status int) *Sentinel {
	s.exit = status
	return s
}

// About returns the error as one that is always about one place, such as [Stdin], or about none.
func (s *Sentinel) About(place string) *Sentinel {
	s.place = &place
	return s
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
		if sentinel.place != nil {
			place = *sentinel.place
		}
		f = New(sentinel.code, "%s", Reason(err)).At(place).WithHint(sentinel.hint)
		f.Again, f.Exit = sentinel.again, sentinel.exit
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
