package validate

import "clawctl/pkg/rebuild"

// A State is the Messages API's answer to the conversation of a session without any fix.
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

// A Verdict says whether the conversation of a session could be sent without changes. A session is refused if `clawctl
// rebuild --as anthropic --strict` names a fix that the API requires, or if OpenClaw refuses the session. Removing
// messages that no model sent is a fix that the API does not require.
type Verdict struct {
	State State

	// The rest is the first reason of a refusal, and zero for the other states.

	Code  string
	Line  int64
	Entry string // "" if the record has no id
	Words string // what is wrong
}

// isNeededFix holds the codes of fixes that the API requires.
var isNeededFix = func() map[rebuild.Code]bool {
	codes := map[rebuild.Code]bool{}
	for _, code := range rebuild.Codes {
		codes[code] = code != rebuild.Mirror
	}
	return codes
}()

// add makes a problem of the context the reason for a refusal, if it is one. The first fix by line counts, as in
// rebuild, and comes before a date that OpenClaw refuses. Problems in what is no longer sent do not matter.
func (v *Verdict) add(f rebuild.Fault) {
	isFirst := v.Code == "" || v.Code == string(rebuild.RefusedDate) || f.Line < v.Line
	isReason := isNeededFix[f.Code] && isFirst || f.Code == rebuild.RefusedDate && v.Code == ""
	if f.Old || !isReason {
		return
	}
	*v = Verdict{Refused, string(f.Code), f.Line, f.Entry, rulesByCode[string(f.Code)].Title}
}
