package stats

import (
	"cmp"

	"clawctl/pkg/jsonl"
)

// A groupSet is a dimension that was asked for, with its groups.
type groupSet struct {
	*dimension
	groups map[string]*Tally
	here   string // the group of the session, in a dimension that is the same for all its records
}

// beginGroups makes the groups of the dimensions that were asked for.
func (c *collector) beginGroups() {
	c.By = map[string]map[string]*Tally{}
	c.groupSets = c.groupSets[:0]
	for _, name := range c.opts.By {
		g := groupSet{dimension: dimensionNamed(name), groups: map[string]*Tally{}}
		c.By[name] = g.groups
		if g.dimension != nil {
			c.groupSets = append(c.groupSets, g)
		}
	}
}

// enterSession finds the groups of a session.
func (c *collector) enterSession() {
	for i := range c.groupSets {
		g := &c.groupSets[i]
		if g.session == nil {
			continue
		}
		if g.here = g.session(c.session); g.listsAll {
			c.group(g, g.here)
		}
	}
}

// addToGroups adds a record to the group it belongs to in each dimension.
func (c *collector) addToGroups(carrier carrier, one *Tally) {
	for i := range c.groupSets {
		g := &c.groupSets[i]
		name := g.here
		switch {
		case g.add != nil:
			g.add(c, g, carrier, one)
			continue
		case g.record != nil:
			name = g.record(carrier, c.moment())
		}
		if name != "" {
			c.group(g, name).add(one)
		}
	}
}

// moment returns the time of the record.
func (c *collector) moment() moment { return moment{c.last, c.clock} }

// group returns the tally of a group.
func (c *collector) group(g *groupSet, name string) *Tally {
	t := g.groups[name]
	if t == nil {
		t = &Tally{}
		g.groups[name] = t
	}
	if c.touched != nil {
		c.touched[t] = true
	}
	return t
}

// closeTurns counts the open turns for the model and the provider of an answer. A turn belongs to the first model that
// answers it, even if that answer is a copy or outside of the time range and does not count itself. A turn that nobody
// answers belongs to no model.
func (c *collector) closeTurns(rec *jsonl.Record, e *contribution) {
	if c.turns == 0 || e.kind != Reply || e.isMirror {
		return
	}
	carrier := c.carrierOf(rec)
	for i := range c.groupSets {
		if g := &c.groupSets[i]; g.dimension.turns == turnsOfAnswer {
			c.group(g, g.record(carrier, c.moment())).Turns += c.turns
		}
	}
	c.turns = 0
}

// addToTools adds the calls, results and usage of a message to the tools they belong to.
func (c *collector) addToTools(g *groupSet, carrier carrier, one *Tally) {
	m := carrier.message
	if !carrier.isMessage {
		return
	}
	if m.Role() == jsonl.RoleToolResult {
		t := *one
		t.Answers, t.NoUsage = 0, 0
		c.group(g, c.resultTool(carrier)).add(&t)
		return
	}
	if one.ToolCalls == 0 {
		return
	}
	for b := range m.Blocks() {
		if call, ok := b.ToolCall(); ok {
			c.group(g, orUnknown(call.Name)).add(&Tally{ToolCalls: 1})
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
