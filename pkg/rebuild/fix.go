package rebuild

import "clawctl/internal/failure"

// The rules of the Messages API, and the fixes for a conversation that breaks one. CL3nn are about tool calls and their
// results, CL4nn about everything else that the API rejects.
const (
	NoResult    failure.Code = "CL301"
	NoCall      failure.Code = "CL302"
	SecondReply failure.Code = "CL303"
	ResultAway  failure.Code = "CL304"
	FailedCall  failure.Code = "CL305"
	BrokenCall  failure.Code = "CL306"
	ResultFirst failure.Code = "CL307"

	NotUserFirst failure.Code = "CL401"
	NoContent    failure.Code = "CL402"
	BadSignature failure.Code = "CL403"
	BadID        failure.Code = "CL404"
	BadName      failure.Code = "CL405"
	BadImage     failure.Code = "CL406"
	BadText      failure.Code = "CL407"
	Mirror       failure.Code = "CL408"
	OddBlock     failure.Code = "CL409"
	OpenEnd      failure.Code = "CL410"
	NotUserLast  failure.Code = "CL411"
	OtherThought failure.Code = "CL412"
	TooLong      failure.Code = "CL413"
)

// RefusedDate is the code of a summary whose date makes OpenClaw refuse the session. It is not a rule of the API.
const RefusedDate failure.Code = "CL109"

// Unmetered is the code of an answer without usage, on which pi fails. It is not a rule of the API.
const Unmetered failure.Code = "CL110"

// A Fix is one change that makes the API accept a conversation.
type Fix struct {
	Code failure.Code
	Place
	Remedy
	isFatal   bool // the program fails on it, whatever the API accepts
	Corrected bool // the program that wrote the transcript makes it by itself before it sends a request
}

// A Remedy says what a fix changes, for whoever makes the same change to the transcript itself. Which fields are set
// depends on the code.
type Remedy struct {
	Block int // of the message; -1 if the fix is about all of it, or about a tool result that is not a block
	// Call and Result are the lines of the call and of the result that belong together, or 0.
	Call, Result int64
	ID, Name     string // of the call and its tool, as they should be
}

// A FixReport is the JSON form of a fix. Fields are added, never renamed.
type FixReport struct {
	SchemaVersion int          `json:"schema_version"`
	Code          failure.Code `json:"code"`
	Path          string       `json:"path"`
	Line          int64        `json:"line,omitempty"`
	Offset        int64        `json:"offset"`
	EntryID       string       `json:"entry_id,omitempty"`
	Message       string       `json:"message"`
}

// Report returns the JSON form of a fix of a transcript.
func (f Fix) Report(path string) FixReport {
	return FixReport{1, f.Code, path, f.Line, f.Offset, f.Entry, f.Code.FixWords()}
}

// Refuse returns the failure of a transcript that may not be fixed, with the first fix that it needs.
func (p *Conversation) Refuse(path string) *failure.Error {
	f := p.Fixes[0]
	e := failure.New(f.Code, "").At(path).WithExit(failure.ExitFindings)
	e.Line = f.Line
	if f.Entry != "" {
		e.Text += " (entry " + f.Entry + ")"
	}
	if f.Corrected {
		e.Text += "; " + p.ix.Program.Title + " corrects it before it sends"
	}
	return e
}
