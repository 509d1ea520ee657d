package stats

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
)

// Dimensions lists the ways to group totals.
var Dimensions = []string{"day", "week", "month", "model", "provider", "agent", "channel", "tool", "kind", "session",
	"host"}

// HasTurns reports whether turns can be counted by a dimension. A turn may use several tools or none, so it belongs to
// no tool, and it is not paid work of any kind. By model and provider it belongs to the first one that answered it.
func HasTurns(dimension string) bool { return dimension != "tool" && dimension != "kind" }

// Channel returns where the messages of a session come from, according to its key: telegram, cron, main, and so on.
func Channel(key string) string {
	parts := strings.Split(key, ":")
	if len(parts) >= 3 && (parts[0] == "agent" || parts[0] == "goclaw") {
		parts = parts[2:]
	} else if len(parts) >= 3 {
		parts = parts[1:] // claw0: agent, channel, peer
	}
	channel := parts[0]
	for _, prefix := range []string{"tui-", "dashboard-"} {
		if strings.HasPrefix(channel, prefix) {
			return strings.TrimSuffix(prefix, "-")
		}
	}
	return orUnknown(channel)
}

func orUnknown(name string) string { return cmp.Or(name, "unknown") }

// sessionNames returns the names of a session in the dimensions that are the same for all its records, and "" for the
// others.
func sessionNames(s *source.Session, dimensions []string) []string {
	names := make([]string, len(dimensions))
	for i, d := range dimensions {
		switch d {
		case "agent":
			names[i] = s.Agent
		case "channel":
			names[i] = Channel(s.Key)
		case "session":
			names[i] = s.Key
		case "host":
			names[i] = orUnknown(s.Host)
		}
	}
	return names
}

// addToGroups adds a record to the group it belongs to in each dimension.
func (c *collector) addToGroups(carrier carrier, one *Tally) {
	for i, d := range c.opts.By {
		switch {
		case d == "tool":
			c.addToTools(carrier, one)
		case c.names[i] != "":
			c.group(d, c.names[i]).add(one)
		default:
			if name := c.recordName(d, carrier); name != "" {
				c.group(d, name).add(one)
			}
		}
	}
}

// group returns the tally of a group.
func (c *collector) group(dimension, name string) *Tally {
	t := c.By[dimension][name]
	if t == nil {
		t = &Tally{}
		c.By[dimension][name] = t
	}
	if c.touched != nil {
		c.touched[t] = true
	}
	return t
}

// recordName returns the name of a record in a dimension, or "" if it has none.
func (c *collector) recordName(dimension string, carrier carrier) string {
	switch dimension {
	case "day", "week", "month":
		return periodName(dimension, c.last.UTC())
	case "model", "provider":
		return carrier.modelName(dimension)
	case "kind":
		return carrier.kind
	}
	return ""
}

// periodName returns the day, week or month of a time.
func periodName(dimension string, at time.Time) string {
	switch {
	case at.IsZero():
		return "undated"
	case dimension == "day":
		return at.Format(time.DateOnly)
	case dimension == "week":
		year, week := at.ISOWeek()
		return fmt.Sprintf("%d-W%02d", year, week)
	}
	return at.Format("2006-01")
}

// closeTurns counts the open turns for the model and the provider of an answer. A turn belongs to the first model that
// answers it, even if that answer is a copy or outside of the time range and does not count itself. A turn that nobody
// answers belongs to no model.
func (c *collector) closeTurns(rec *jsonl.Record, e *contribution) {
	if c.turns == 0 || e.kind != Reply || e.isMirror {
		return
	}
	carrier := carrierOf(rec)
	for _, d := range c.opts.By {
		if d == "model" || d == "provider" {
			c.group(d, carrier.modelName(d)).Turns += c.turns
		}
	}
	c.turns = 0
}

// addToTools adds the calls, results and usage of a message to the tools they belong to.
func (c *collector) addToTools(carrier carrier, one *Tally) {
	m := carrier.message
	if !carrier.isMessage {
		return
	}
	if m.Role() == jsonl.RoleToolResult {
		t := *one
		t.Answers, t.NoUsage = 0, 0
		c.group("tool", c.resultTool(carrier)).add(&t)
		return
	}
	if one.ToolCalls == 0 {
		return
	}
	for b := range m.Blocks() {
		if call, ok := b.ToolCall(); ok {
			c.group("tool", orUnknown(call.Name)).add(&Tally{ToolCalls: 1})
		}
	}
}

// resultTool returns the tool of a tool result, or "" for any other record.
func (c *collector) resultTool(carrier carrier) string {
	if m := carrier.message; carrier.isMessage && m.Role() == jsonl.RoleToolResult {
		return orUnknown(cmp.Or(m.ToolName(), c.tools[m.ToolCallID()]))
	}
	return ""
}
