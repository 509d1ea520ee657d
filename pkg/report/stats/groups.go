package stats

import (
	"cmp"

	"clawctl/pkg/jsonl"
)

// A groupSet is a dimension that was asked for, with its groups.
type groupSet struct {
	dimension *dimension
	groups    map[string]*Tally
	here      string // the group of the session, in a dimension that is the same for all its records
	caller    string // the group of the last answer, whose tool calls have results
}

// A crossSet is a pair of dimensions that was asked for, with a group for each pair of names.
type crossSet struct {
	of    [2]groupSet
	cells map[[2]string]*Tally
}

// beginGroups makes the groups of the dimensions that were asked for.
func (c *collector) beginGroups() {
	c.result.By = map[string]map[string]*Tally{}
	c.groupSets = c.groupSets[:0]
	for _, name := range c.opts.By {
		g := groupSet{dimension: dimensionNamed(name), groups: map[string]*Tally{}}
		c.result.By[name] = g.groups
		c.groupSets = append(c.groupSets, g)
	}
	c.result.Cross = nil
	c.crossSets = c.crossSets[:0]
	for _, pair := range c.opts.Cross {
		set := crossSet{cells: map[[2]string]*Tally{}}
		for i, name := range pair {
			set.of[i].dimension = dimensionNamed(name)
		}
		c.result.Cross = append(c.result.Cross, set.cells)
		c.crossSets = append(c.crossSets, set)
	}
	c.asksForWakes = false
	c.eachSet(func(g *groupSet) { c.asksForWakes = c.asksForWakes || g.dimension.wake != nil })
}

// eachSet calls a function for every dimension that was asked for.
func (c *collector) eachSet(do func(g *groupSet)) {
	for i := range c.groupSets {
		do(&c.groupSets[i])
	}
	for i := range c.crossSets {
		do(&c.crossSets[i].of[0])
		do(&c.crossSets[i].of[1])
	}
}

// enterSession finds the groups of a session.
func (c *collector) enterSession() {
	c.eachSet(func(g *groupSet) {
		g.caller = ""
		switch {
		case g.dimension.root:
			g.here = c.roots[c.state.session]
		case g.dimension.session != nil:
			g.here = g.dimension.session(c.state.session)
		}
		if g.dimension.listsAll && g.groups != nil {
			tallyIn(c, g.groups, g.here)
		}
	})
}

// eachPart divides a record by a dimension.
func (c *collector) eachPart(g *groupSet, carrier carrier, one *Tally, add addPart) {
	name := g.here
	switch {
	case g.dimension.split != nil:
		g.dimension.split(c, carrier, one, add)
		return
	case g.dimension.record != nil:
		name = g.dimension.record(carrier, c.moment())
	case g.dimension.wake != nil && c.state.wake != "":
		name = g.dimension.wake(c.state.session, c.state.wake)
	}
	switch {
	case name != "":
		add(name, one)
	case one.ToolErrors > 0 && g.dimension.turns == turnsOfAnswer: // an error belongs to the model that called the tool
		add(orUnknown(g.caller), &Tally{ToolErrors: one.ToolErrors})
	}
}

// addToGroups adds a record to the group it belongs to in each dimension.
func (c *collector) addToGroups(carrier carrier, one *Tally) {
	for i := range c.groupSets {
		g := &c.groupSets[i]
		c.eachPart(g, carrier, one, func(name string, part *Tally) { tallyIn(c, g.groups, name).add(part) })
	}
	for i := range c.crossSets {
		set := &c.crossSets[i]
		c.eachPart(&set.of[0], carrier, one, func(row string, part *Tally) {
			c.eachPart(&set.of[1], carrier, part, func(column string, part *Tally) {
				tallyIn(c, set.cells, [2]string{row, column}).add(part)
			})
		})
	}
}

// tallyIn returns the tally of a name, or of a pair of names.
func tallyIn[Name comparable](c *collector, groups map[Name]*Tally, name Name) *Tally {
	t := groups[name]
	if t == nil {
		t = &Tally{}
		groups[name] = t
	}
	if c.state.touched != nil {
		c.state.touched[t] = true
	}
	return t
}

// moment returns the time of the record.
func (c *collector) moment() moment { return moment{c.state.last, c.clock} }

// noteWake notes who began the turn that a record belongs to: somebody, or OpenClaw itself.
func (c *collector) noteWake(rec *jsonl.Record, e *contribution) {
	if e.tally.Turns > 0 && c.asksForWakes {
		c.state.wake = wakeOf(c.carrierOf(rec, e).message())
	}
}

// closeTurns counts the open turns for the model and the provider of an answer. A turn belongs to the first model that
// answers it, even if that answer is a copy or outside of the time range and does not count itself. A turn that nobody
// answers belongs to no model.
func (c *collector) closeTurns(rec *jsonl.Record, e *contribution) {
	if e.kind != Reply || e.isMirror {
		return
	}
	carrier := c.carrierOf(rec, e)
	c.eachSet(func(g *groupSet) {
		if g.dimension.turns == turnsOfAnswer {
			g.caller = g.dimension.record(carrier, c.moment())
		}
	})
	if c.state.turns == 0 {
		return
	}
	for i := range c.groupSets {
		if g := &c.groupSets[i]; g.dimension.turns == turnsOfAnswer {
			tallyIn(c, g.groups, g.caller).Turns += c.state.turns
		}
	}
	for i := range c.crossSets {
		c.closeCrossTurns(&c.crossSets[i], carrier)
	}
	c.state.turns = 0
}

// closeCrossTurns counts the open turns for a pair of dimensions, if one of them counts turns by answer.
func (c *collector) closeCrossTurns(set *crossSet, carrier carrier) {
	a, b := &set.of[0], &set.of[1]
	rows, columns := a.dimension.turns, b.dimension.turns
	if rows != turnsOfAnswer && columns != turnsOfAnswer || rows == noTurns || columns == noTurns {
		return
	}
	one := &Tally{Turns: c.state.turns}
	c.eachPart(a, carrier, one, func(row string, _ *Tally) {
		c.eachPart(b, carrier, one, func(column string, _ *Tally) {
			tallyIn(c, set.cells, [2]string{row, column}).Turns += c.state.turns
		})
	})
}

// splitByTool divides a message by the tools of its calls and results.
func (c *collector) splitByTool(carrier carrier, one *Tally, add addPart) {
	if !carrier.isMessage {
		return
	}
	m := carrier.message()
	if m.Role() == jsonl.RoleToolResult {
		t := *one
		t.Answers, t.NoUsage = 0, 0
		add(c.resultTool(carrier), &t)
		return
	}
	if one.ToolCalls == 0 {
		return
	}
	for b := range m.Blocks() {
		if call, ok := b.ToolCall(); ok {
			add(orUnknown(call.Name), &Tally{ToolCalls: 1})
		}
	}
}

// resultTool returns the tool of a tool result, or "" for any other record.
func (c *collector) resultTool(carrier carrier) string {
	if !carrier.isMessage || carrier.message().Role() != jsonl.RoleToolResult {
		return ""
	}
	m := carrier.message()
	return orUnknown(cmp.Or(m.ToolName(), c.state.tools[m.ToolCallID()]))
}
