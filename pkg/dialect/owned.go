package dialect

import "clawctl/internal/failure"

// An OwnedError means that only the program that wrote a transcript may change it, or knows what others need of it.
type OwnedError struct{ Program *Program }

func (e *OwnedError) Error() string {
	return "a session of " + e.Program.Title + ", which clawctl neither changes nor converts"
}

// FailureAt says what clawctl can do with the transcript instead.
func (e *OwnedError) FailureAt(name string) *failure.Error {
	return failure.New(failure.OwnedFile, "%v", e).At(name).WithHint(failure.Command("clawctl", "rebuild", name))
}

// CheckOwner returns an OwnedError if clawctl does not know how to write what the program reads.
func (d Dialect) CheckOwner() error {
	if p := d.Translated(); p != nil && p.NewPrompt == nil {
		return &OwnedError{p}
	}
	return nil
}
