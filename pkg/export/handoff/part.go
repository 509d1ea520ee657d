package handoff

import "time"

// A Kind says what a part of a prompt is.
type Kind string

// The kinds of parts.
const (
	Goal        Kind = "goal"    // the first request of the user
	Request     Kind = "request" // the latest request of the user
	Summary     Kind = "summary" // of the last compaction
	Decision    Kind = "decision"
	Task        Kind = "task"      // of the last list of tasks, not completed
	OpenCall    Kind = "open_call" // a tool call without a result
	ChangedFile Kind = "changed_file"
	ReadFile    Kind = "read_file"
	NamedFile   Kind = "named_file" // that only shell commands name
	Turn        Kind = "turn"       // a piece of the last turns
)

// The roles of pieces of turns.
const (
	roleUser      = "user"
	roleAssistant = "assistant"
	roleCall      = "call"
	roleResult    = "result"
	roleFailure   = "failure"
)

// An Origin is where the text of a part is in a transcript.
type Origin struct {
	Session string     `json:"session"`         // the id of the session
	Entry   string     `json:"entry,omitempty"` // "" if entries have no ids
	Line    int64      `json:"line"`
	Time    *time.Time `json:"time,omitempty"`
}

// A Part is one piece of a prompt, taken from a transcript.
type Part struct {
	Kind Kind   `json:"kind"`
	Role string `json:"role,omitempty"` // who speaks
	Name string `json:"tool,omitempty"` // of a call or result
	Origin
	Text string `json:"text"`
	// Cut is set if the text is not whole.
	Cut bool `json:"cut,omitempty"`
	// SeeAbove is set if the text is that of another part before it, and left out here.
	SeeAbove bool `json:"see_above,omitempty"`
}

// isBlock reports whether the text is written as a quotation of whole lines, and not as an item of a list.
func (p *Part) isBlock() bool {
	switch p.Kind {
	case Goal, Request, Summary, Turn:
		return true
	}
	return false
}
