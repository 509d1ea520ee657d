// Package failure has the table of all codes: what can be wrong with a transcript or a store, and how a run of clawctl
// itself can fail, with severity, words, explanation, command and exit status. Errors, `clawctl validate`, `clawctl
// explain`, SARIF and the documentation read this table. The package also has the error that carries a code to users.
//
// A message is `clawctl: PLACE: CODE what is wrong`, followed by `hint: COMMAND` if a command helps. Codes are stable.
// No message contains text of a transcript, which may be secret.
//
// The words, here and everywhere: damage is a line that cannot be read. A fault is what is wrong with a record or a
// conversation. A problem is what is wrong with the files, indexes and databases that hold sessions. A finding is a
// damage, a fault or a problem as it is reported, with its severity. A refusal is why clawctl does not do what it was
// asked for. A remark goes to stderr and changes no exit status.
package failure

import (
	"errors"
	"fmt"
	"slices"

	"clawctl/internal/shell"
)

// An Error is a failure with everything its report needs. A zero Exit means the exit status of its code.
type Error struct {
	Code Code
	Exit int
	Path string
	Line int64
	Text string
	List []string // names that belong to the text, each on a line of its own
	Hint string   // a command, or ""
	// Again is the advice to run the command again with these flags, if there is no Hint. nil is no advice.
	Again []string
	Done  bool // the command finished its work anyway, and its output is complete
	Once  bool // a run prints it once, however many sessions it is about
}

// New returns a failure with a code. Without a format, its text is that of the code.
func New(code Code, format string, args ...any) *Error {
	text := code.Words()
	if format != "" {
		text = fmt.Sprintf(format, args...)
	}
	return &Error{Code: code, Text: text}
}

// Usage returns the failure of a command that was called incorrectly.
func Usage(hint, format string, args ...any) *Error {
	return New(UsageCode, format, args...).WithHint(hint)
}

// Internal returns the failure for a bug in clawctl.
func Internal(err error) *Error {
	return New(InternalCode, "internal error: %v (please report it with the command that shows it)", err)
}

// At returns the failure with the file it is about.
func (e *Error) At(path string) *Error {
	e.Path = path
	return e
}

// WithHint returns the failure with a command that helps.
func (e *Error) WithHint(command string) *Error {
	e.Hint = command
	return e
}

// WithAgain returns the failure with the advice to run the command again, with more flags.
func (e *Error) WithAgain(flags ...string) *Error {
	e.Again = append([]string{}, flags...)
	return e
}

// WithList returns the failure with names that belong to its text: the first ten, and how many more there are.
func (e *Error) WithList(names []string) *Error {
	const most = 10
	if e.List = names; len(names) > most {
		e.List = append(slices.Clone(names[:most]), fmt.Sprintf("and %d more", len(names)-most))
	}
	return e
}

// WithExit returns the failure with an exit status other than that of its code.
func (e *Error) WithExit(status int) *Error {
	e.Exit = status
	return e
}

// AfterWork marks the failure of a command that finished its work anyway.
func (e *Error) AfterWork() *Error {
	e.Done = true
	return e
}

// OnlyOnce marks a failure that many sessions have in common.
func (e *Error) OnlyOnce() *Error {
	e.Once = true
	return e
}

// Status returns the exit status of the failure.
func (e *Error) Status() int {
	if e.Exit != ExitOK {
		return e.Exit
	}
	return e.Code.Exit()
}

// Error returns the place, the code and what is wrong.
func (e *Error) Error() string {
	place := ""
	if e.Path != "" {
		place = e.Path + ": "
		if e.Line > 0 {
			place = fmt.Sprintf("%s:%d: ", e.Path, e.Line)
		}
	}
	return place + string(e.Code) + " " + e.Text
}

// A ReportedError has already been shown to the user. Only the exit status is left.
type ReportedError struct {
	Exit int
	Done bool // as for Error
}

func (r *ReportedError) Error() string { return "already reported" }

// Damaged ends a command that did its work on damaged input.
var Damaged error = &ReportedError{Exit: ExitDamaged, Done: true}

// Findings ends a command that reported problems.
var Findings error = &ReportedError{Exit: ExitFindings, Done: true}

// Stopped ends a command that runs until it is interrupted.
var Stopped error = &ReportedError{Exit: ExitInterrupted, Done: true}

// KeepsOutput reports whether the output of a command is complete although it returned err.
func KeepsOutput(err error) bool {
	var f *Error
	var r *ReportedError
	return err == nil || errors.As(err, &f) && f.Done || errors.As(err, &r) && r.Done
}

// A Tally is the outcome of a command that continues after a failure: the worst one decides. The zero Tally is success.
type Tally struct {
	worst   ReportedError
	partial bool
}

// severity orders exit statuses from the least to the worst.
var severity = []int{
	ExitOK, ExitFindings, ExitDamaged, ExitNothing, ExitDatabase, ExitLocked, ExitUsage, ExitInterrupted,
}

// Take adds the outcome of one part.
func (t *Tally) Take(status int, done bool) {
	t.partial = t.partial || !done
	if slices.Index(severity, status) > slices.Index(severity, t.worst.Exit) {
		t.worst.Exit = status
	}
}

// OK reports whether nothing failed.
func (t *Tally) OK() bool { return t.worst.Exit == ExitOK }

// Err returns the outcome of all parts, or nil if nothing failed.
func (t *Tally) Err() error {
	if t.OK() {
		return nil
	}
	return &ReportedError{Exit: t.worst.Exit, Done: !t.partial}
}

// Command joins words into a command for the shell in use.
func Command(words ...string) string { return shell.Current().Command(words...) }

// Quote quotes a word for the shell in use, if necessary.
func Quote(word string) string { return shell.Current().Quote(word) }
