package models

import (
	"fmt"

	"clawctl/internal/failure"
	"clawctl/pkg/jsontext"
)

// An Error says what is wrong with a catalogue and where.
type Error struct {
	Path   string // "" if the text has no file
	Line   int    // 1-based
	Column int    // 1-based, in bytes
	Text   string
}

func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Text)
}

// FailureAt is the failure of a command that needs the catalogue.
func (e *Error) FailureAt(path string) *failure.Error {
	if e.Path != "" {
		path = e.Path
	}
	f := failure.New(failure.BadCatalogue, "column %d: %s", e.Column, e.Text).At(path).WithHint("clawctl help models")
	f.Line = int64(e.Line)
	return f
}

// errorAt returns an error at a byte of a text.
func errorAt(text []byte, offset int, format string, args ...any) *Error {
	line, column := jsontext.Position(text, offset)
	return &Error{Line: line, Column: column, Text: fmt.Sprintf(format, args...)}
}
