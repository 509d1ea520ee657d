package failure

import "strings"

// A Body is the JSON form of a failure.
type Body struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Path    string `json:"path,omitempty"`
	Line    int64  `json:"line,omitempty"`
}

// Body returns the JSON form of a failure.
func (e *Error) Body() Body {
	return Body{e.Code, strings.Join(append([]string{e.Text}, e.List...), "\n  "), e.Hint, e.Path, e.Line}
}

// A CodeRow is the JSON form of an entry of the table.
type CodeRow struct {
	SchemaVersion int    `json:"schema_version"`
	Code          Code   `json:"code"`
	Severity      string `json:"severity"`
	Level         string `json:"level"`
	Title         string `json:"title"`
	OpenClaw      string `json:"openclaw"`
	Run           string `json:"run"`
	Issues        string `json:"issues"`
}

// Row returns the JSON form of an entry.
func (e *Entry) Row() CodeRow {
	return CodeRow{1, e.Code, e.Severity.String(), e.Level, e.Words, e.Does, e.Run, e.Issues}
}
