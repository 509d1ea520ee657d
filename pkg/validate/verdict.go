package validate

import (
	"clawctl/internal/failure"
	"clawctl/pkg/rebuild"
)

// A State is the answer of the API that a session uses to its conversation without any fix.
type State uint8

// Empty means that there is nothing to send. Accepted means that the API accepts the conversation. Refused means that
// the API refuses it, or that OpenClaw refuses to send it.
const (
	Empty State = iota
	Accepted
	Refused
)

var stateNames = [...]string{"empty", "accepted", "refused"}

func (s State) String() string { return stateNames[s] }

// A Verdict says whether the conversation of a session could be sent without changes. A session is refused if the API
// that it uses requires a fix, or if OpenClaw refuses the session. If that is asked about Anthropic's API, `clawctl
// rebuild --as anthropic --strict` names the same fixes. Removing messages that no model sent is a fix that no API
// requires.
type Verdict struct {
	State State
	API   rebuild.API // that was asked

	// The rest is the first reason of a refusal, and zero for the other states.

	Code  failure.Code
	Line  int64
	Entry string // "" if the record has no id
	Words string // what is wrong
}

// isNeededFix reports whether the API requires a fix for a problem.
func isNeededFix(code failure.Code) bool { return code != rebuild.Mirror && code.Entry().Fix != "" }

// add makes a problem of the context the reason for a refusal, if it is one. The first fix by line counts, as in
// rebuild, and comes before a date that OpenClaw refuses. Problems in what is no longer sent do not matter.
func (v *Verdict) add(f rebuild.Fault) {
	isFirst := v.Code == "" || v.Code == rebuild.RefusedDate || f.Line < v.Line
	isReason := isNeededFix(f.Code) && isFirst || f.Code == rebuild.RefusedDate && v.Code == ""
	if f.Old || !isReason {
		return
	}
	*v = Verdict{Refused, v.API, f.Code, f.Line, f.Entry, f.Code.Words()}
}
