package main

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"

	"clawctl/internal/failure"
	"clawctl/internal/process"
	"clawctl/internal/spool"
	"clawctl/internal/ui"
)

// stdinName is what reports call standard input.
const stdinName = failure.Stdin

// inputError gives an error of opening or reading a file its code, exit status and hint. Packages do not know how the
// environment names another folder for temporary files.
func inputError(path string, err error) *failure.Error {
	var full *spool.FullError
	var temp *process.TempFolderError
	switch {
	case errors.As(err, &temp):
		return tempFolderFailure(temp)
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

// outputError gives an error of writing its code.
func outputError(path string, err error) *failure.Error {
	if f := failure.From(path, err); f != nil {
		return f
	}
	f := failure.New(failure.IO, "write: %s", failure.Reason(err)).At(path)
	if errors.Is(err, fs.ErrNotExist) {
		f.Hint = failure.Command("mkdir", "-p", filepath.Dir(path))
	}
	return f
}

// A writeFailure marks an error of the output that came up while reading.
type writeFailure struct{ err error }

func (w *writeFailure) Error() string { return w.err.Error() }
func (w *writeFailure) Unwrap() error { return w.err }

// readError reports an error that came up while reading: of the input, or of the output.
func readError(a *app, name string, err error) error {
	var w *writeFailure
	if errors.As(err, &w) {
		return writeError(a, w.err)
	}
	return inputError(name, err)
}

// writeError reports a failed write. A closed pipe is no failure.
func writeError(a *app, err error) error {
	if isClosedPipe(err) {
		return err
	}
	return &writeFailure{outputError(a.output.name, err)}
}

// isClosedPipe reports whether a write failed because nobody reads any more.
func isClosedPipe(err error) bool {
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
