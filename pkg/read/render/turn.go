package render

import (
	"strings"
	"time"

	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/parts"
)

// A turn is what an answer has cost so far, with all its tool calls.
type turn struct {
	first, last     time.Time
	calls           int
	output, context int64
	cost            float64
	hasUsage, paid  bool
	isPartial       bool // its beginning was not shown
}

// add takes an entry into account.
func (u *turn) add(e *parts.Entry) {
	if !e.Time.IsZero() {
		if u.first.IsZero() {
			u.first = e.Time
		}
		u.last = e.Time
	}
	for i := range e.Parts {
		if e.Parts[i].Kind == parts.Call && e.Role == jsonl.RoleAssistant {
			u.calls++
		}
	}
	if e.HasUsage {
		u.hasUsage = true
		u.output += e.Usage.Output
		if e.Usage.Total > 0 { // a message that no model sent has none
			u.context = e.Usage.Total
		}
		u.cost += e.Usage.Cost
		u.paid = u.paid || e.Usage.HasCost
	}
}

// note says what the turn has cost, "" if nothing is known.
func (u *turn) note(tools Tools) string {
	if u.isPartial {
		return ""
	}
	var words []string
	if u.calls > 0 && tools == ToolsNone {
		words = append(words, ui.Count(u.calls, "tool call"))
	}
	if u.hasUsage && u.context+u.output > 0 {
		words = append(words, "context "+ui.Short(u.context), ui.Short(u.output)+" out")
	}
	if u.paid && u.cost > 0 {
		words = append(words, ui.Dollars(u.cost))
	}
	if took := u.last.Sub(u.first); took >= time.Second && len(words) > 0 {
		words = append(words, ui.Remaining(took))
	}
	return strings.Join(words, " · ")
}
