package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"clawctl/internal/failure"
	"clawctl/internal/process"
	"clawctl/internal/spool"
	"clawctl/internal/ui"
)

// StdinName is what reports call standard input.
const StdinName = failure.Stdin

// InputError gives an error of opening or reading a file its code, exit status and hint. Packages do not know how the
// environment names another folder for temporary files.
func InputError(path string, err error) *failure.Error {
	var full *spool.FullError
	var temp *process.TempFolderError
	switch {
	case errors.As(err, &temp):
		return TempFolderFailure(temp)
	case errors.As(err, &full):
		return diskFullError(path, full)
	}
	return failure.Reading(path, err)
}

// diskFullError is the failure of input that is larger than the space for its private copy.
func diskFullError(path string, full *spool.FullError) *failure.Error {
	return failure.New(failure.IO, "a private copy of the input needs more space: %s has %s free, of which %s stay free; "+
		"%s can name another folder", full.Folder, ui.Bytes(full.Free), ui.Bytes(full.Reserve), tempVariable).
		At(path).WithHint(failure.Command("df", "-h", full.Folder))
}

// OutputError gives an error of writing its code.
func OutputError(path string, err error) *failure.Error {
	if f := failure.From(path, err); f != nil {
		return f
	}
	folder := filepath.Dir(path)
	if info, statErr := os.Stat(folder); statErr == nil && !info.IsDir() { // Windows says that it does not exist
		return failure.New(failure.IO, "write: not a folder").At(folder).WithHint(failure.Command("ls", "-ld", folder))
	}
	f := failure.New(failure.IO, "write: %s", failure.Reason(err)).At(path)
	if errors.Is(err, fs.ErrNotExist) {
		f.Hint = failure.Command("mkdir", "-p", folder)
	}
	return f
}

// A WriteFailure is an error of the output.
type WriteFailure struct{ Err error }

func (w *WriteFailure) Error() string { return w.Err.Error() }
func (w *WriteFailure) Unwrap() error { return w.Err }

// IsOutputGone reports whether an error is that of the output: nobody reads it any more, or it cannot be written.
func IsOutputGone(err error) bool { return IsClosedPipe(err) || errors.As(err, new(*WriteFailure)) }

// ReadError reports an error that came up while reading: of the input, or of the output.
func ReadError(name string, err error) error {
	if IsOutputGone(err) {
		return err
	}
	return InputError(name, err)
}

// IsClosedPipe reports whether a write failed because nobody reads any more.
func IsClosedPipe(err error) bool {
	if errors.Is(err, syscall.EPIPE) {
		return true
	}
	for _, errno := range closedPipeErrnos {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}
