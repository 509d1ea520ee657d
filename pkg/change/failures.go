package change

import (
	"errors"

	"clawctl/internal/failure"
)

// An untouchedError ends a change before it is made.
type untouchedError struct {
	text    string
	failure func(path, text string) *failure.Error
}

func (e *untouchedError) Error() string { return e.text }

// FailureAt says that nothing was changed.
func (e *untouchedError) FailureAt(path string) *failure.Error { return e.failure(path, untouched(e)) }

// untouched is the text of an error that came up before anything was changed.
func untouched(err error) string { return err.Error() + "; nothing was changed" }

// FailureAt says where the lock is.
func (e *LockedError) FailureAt(path string) *failure.Error {
	f := failure.New(failure.Locked, "%s", untouched(e)).At(path)
	if !isThere(path + lockSuffix) { // a process has the file open
		return f.WithHint(failure.Command("ls", "-l", path))
	}
	return f.WithHint(failure.Command("cat", path+lockSuffix))
}

// FailureAt says that this is a bug.
func (e *VerifyError) FailureAt(path string) *failure.Error {
	return failure.New(failure.InternalCode, "%s", untouched(e)).At(path).WithHint("clawctl version")
}

// FailureAt says how to see all receipts.
func (e *ReceiptError) FailureAt(string) *failure.Error {
	return failure.New(failure.BadReceipt, "%v", e).At(e.Path).WithHint("clawctl undo --list")
}

// FailureAt says how to see all receipts.
func (e *unknownError) FailureAt(string) *failure.Error {
	return failure.New(failure.Nothing, "%v", e).WithHint("clawctl undo --list")
}

// FailureAt says how to take the late text from where it is.
func (e *LateError) FailureAt(string) *failure.Error {
	return failure.New(failure.Changed, "%v", e).At(e.Path).WithExit(failure.ExitFindings).
		WithHint(failure.Command("mv", e.Kept, e.FreeName()))
}

// FailureAt says what went wrong after a change was made.
func (e *madeError) FailureAt(path string) *failure.Error {
	var late *LateError
	switch {
	case errors.As(e.Err, &late):
		f := late.FailureAt(path)
		f.Text = e.Error()
		return f
	case errors.As(e.Err, new(*noteError)):
		return failure.New(failure.BadReceipt, "%v", e).At(path).WithHint("clawctl undo --finish")
	}
	return failure.New(failure.IO, "%v", e).At(path).WithHint("clawctl undo --list")
}
