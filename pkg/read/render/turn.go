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

	// requests are those without a message after the answer, such as those that keep a cache warm.
	requests     int
	requestsCost float64
}

// add takes an entry into account.
func (u *turn) add(e *parts.Entry) {
	if isRequestAlone(e) {
		u.requests++
		u.requestsCost += e.Usage.Cost
		return
	}
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

// isRequestAlone reports whether an entry has the usage of work that is no part of an answer. Other programs than pi
// write the usage of answers into records of their own.
func isRequestAlone(e *parts.Entry) bool {
	return len(e.Parts) > 0 && e.Parts[0].Kind == parts.Usage && e.HasUsage && e.Record.Translator() == nil
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
	if u.requests > 0 {
		requests := ui.Count(u.requests, "request") + " without a message"
		if u.requestsCost > 0 {
			requests += " " + ui.Dollars(u.requestsCost)
		}
		words = append(words, requests)
	}
	return strings.Join(words, " · ")
}
