package atomicfile

import (
	"os"
	"time"

	"clawctl/internal/failure"
)

// A HeldError says that a file cannot be replaced, renamed or removed because another program has it open. Only Windows
// refuses that.
type HeldError struct {
	Path string
	Err  error
}

func (e *HeldError) Error() string { return "another program has the file open: " + e.Err.Error() }
func (e *HeldError) Unwrap() error { return e.Err }

// FailureAt says that the command can be run again when the other program is done.
func (e *HeldError) FailureAt(string) *failure.Error {
	return failure.New(failure.Held, "another program has the file open, so it was not changed").At(e.Path).WithAgain()
}

// Rename is [os.Rename] that waits a little for another program to close the files.
func Rename(from, to string) error {
	return patiently(func() error { return os.Rename(from, to) }, from, to)
}

// Remove is [os.Remove] that waits a little for another program to close the file.
func Remove(path string) error {
	return patiently(func() error { return os.Remove(path) }, path)
}

// Virus scanners and indexers open every new file, for some milliseconds. The waits add up to less than a second.
const firstWait, lastWait = 10 * time.Millisecond, 320 * time.Millisecond

// patiently tries something with files again as long as another program holds one of them.
func patiently(try func() error, paths ...string) error {
	err := try()
	for wait := firstWait; wait <= lastWait && mayBeHeld(err); wait *= 2 {
		time.Sleep(wait)
		err = try()
	}
	if !mayBeHeld(err) {
		return err
	}
	for _, path := range paths {
		if isHeld(path) {
			return &HeldError{path, err}
		}
	}
	return err
}
