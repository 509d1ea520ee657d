package validate

import "clawctl/pkg/rebuild"

// A State is what the Messages API would say to the conversation of a session as it stands, without any fix.
type State uint8

// Empty means that there is nothing to send. Accepted means that the API takes the conversation. Refused means that it
// does not, or that OpenClaw itself refuses to send it.
const (
	Empty State = iota
	Accepted
	Refused
)

var stateNames = [...]string{"empty", "accepted", "refused"}

func (s State) String() string { return stateNames[s] }

// A Verdict says whether the conversation of a session could be sent as it stands. A session is refused if
// `clawctl rebuild --as anthropic --strict` names a fix that the API insists on, or if OpenClaw refuses the session.
// Removing messages that no model sent is a fix that the API does not insist on.
type Verdict struct {
	State State

	// The rest is the first reason of a refusal, and zero for the other states.

	Code  string
	Line  int64
	Entry string // "" if the record has no id
	Words string // what is wrong
}

// isNeededFix says which codes are those of fixes that the API insists on.
var isNeededFix = func() map[rebuild.Code]bool {
	codes := map[rebuild.Code]bool{}
	for _, code := range rebuild.Codes {
		codes[code] = code != rebuild.Mirror
	}
	return codes
}()

// add takes a fault of the context for the reason of a refusal, if it is one. The first fix by line counts, as in
// rebuild, and comes before a date that OpenClaw refuses. Faults of what is not sent any more do not matter.
func (v *Verdict) add(f rebuild.Fault) {
	isFirst := v.Code == "" || v.Code == string(rebuild.RefusedDate) || f.Line < v.Line
	isReason := isNeededFix[f.Code] && isFirst || f.Code == rebuild.RefusedDate && v.Code == ""
	if f.Old || !isReason {
		return
	}
	*v = Verdict{Refused, string(f.Code), f.Line, f.Entry, rulesByCode[string(f.Code)].Title}
}
