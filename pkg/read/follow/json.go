package follow

import (
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/parts"
	"clawctl/pkg/source"
)

// AppendPart appends the JSON object of a part with the session that it belongs to, as a line.
func AppendPart(dst []byte, s *source.Session, e *parts.Entry, p *parts.Part) []byte {
	dst = parts.AppendJSON(dst, e, p, parts.Position{Unknown: true})
	dst = append(dst[:len(dst)-len("}")], `,"session":`...)
	dst = jsonl.AppendQuote(dst, s.Name())
	dst = append(dst, `,"path":`...)
	dst = jsonl.AppendQuote(dst, s.Path)
	return append(dst, "}\n"...)
}

// An EventRow is the JSON object of what happens to a session other than that a part is written.
type EventRow struct {
	SchemaVersion int    `json:"schema_version"`
	Kind          string `json:"kind"` // change or error
	Change        string `json:"change,omitempty"`
	Code          string `json:"code,omitempty"`
	Message       string `json:"message,omitempty"`
	Session       string `json:"session"`
	Path          string `json:"path"`
}

// NewChangeRow says that something happened to the file of a session.
func NewChangeRow(s *source.Session, change string) EventRow {
	return EventRow{SchemaVersion: 1, Kind: "change", Change: change, Session: s.Name(), Path: s.Path}
}

// NewErrorRow says that a session cannot be read.
func NewErrorRow(s *source.Session, code, message string) EventRow {
	return EventRow{SchemaVersion: 1, Kind: "error", Code: code, Message: message, Session: s.Name(), Path: s.Path}
}
