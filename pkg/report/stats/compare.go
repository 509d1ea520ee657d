package stats

import (
	"reflect"
	"slices"
	"time"

	"clawctl/internal/calendar"
	"clawctl/internal/ui"
)

// A Comparison is the JSON form of what changed since another period.
type Comparison struct {
	Period   string               `json:"period"` // the name of the other period
	Since    time.Time            `json:"since"`
	Until    time.Time            `json:"until"`
	Measures []Change             `json:"measures"`
	By       map[string][]Changes `json:"by,omitempty"` // without days, weeks and months, which are never the same
}

// Changes are those of one group.
type Changes struct {
	Name     string   `json:"name"`
	Measures []Change `json:"measures"`
}

// A Change is a number of a period, and what it was in another one. Numbers that are not known are null.
type Change struct {
	Name       string   `json:"name"`
	Now        *float64 `json:"now"`
	Before     *float64 `json:"before"`
	Difference *float64 `json:"difference"`
	Share      *float64 `json:"share"` // of the difference in the number before; null if that was 0
	isMoney    bool
}

// measures are the numbers that are compared.
var measures = []struct {
	name    string // of the field of a TallyReport
	words   string // for people
	isMoney bool
}{
	{"sessions", "sessions", false},
	{"messages", "messages", false},
	{"turns", "turns", false},
	{"answers", "answers", false},
	{"tool_calls", "tool calls", false},
	{"tool_errors", "tool errors", false},
	{"recorded.total", "tokens", false},
	{"recorded.cost_usd", "cost", true},
	{"priced.cost_usd", "list price", true},
	{"estimated.cost_usd", "estimated cost", true},
}

// Compare adds what changed since another period. full is the report with all groups. If top is positive, only so many
// of them are compared.
func (r *Report) Compare(p calendar.Period, full, other *Report, top int) {
	c := &Comparison{
		Period: p.Name, Since: p.Since.UTC(), Until: p.Until.UTC(), Measures: changes(&r.TallyReport, &other.TallyReport),
	}
	for _, dimension := range r.Dimensions {
		if slices.Contains([]string{"day", "week", "month"}, dimension) {
			continue
		}
		if c.By == nil {
			c.By = map[string][]Changes{}
		}
		groups := groupChanges(full.By[dimension], other.By[dimension])
		if top > 0 {
			groups = groups[:min(top, len(groups))]
		}
		c.By[dimension] = groups
	}
	r.Comparison = c
}

// groupChanges compares the groups of a dimension: those of now, then those that were there only before.
func groupChanges(now, before []GroupReport) []Changes {
	var list []Changes
	none := newTallyReport(&Tally{}, allOptions())
	find := func(groups []GroupReport, name string) *TallyReport {
		at := slices.IndexFunc(groups, func(g GroupReport) bool { return g.Name == name })
		if at < 0 {
			return &none
		}
		return &groups[at].TallyReport
	}
	for i := range now {
		list = append(list, Changes{now[i].Name, changes(&now[i].TallyReport, find(before, now[i].Name))})
	}
	for i := range before {
		if find(now, before[i].Name) == &none {
			list = append(list, Changes{before[i].Name, changes(&none, &before[i].TallyReport)})
		}
	}
	return list
}

// changes compares the numbers of two tallies.
func changes(now, before *TallyReport) []Change {
	var list []Change
	fieldsNow, fieldsBefore := fieldsOf(now), fieldsOf(before)
	for _, m := range measures {
		c := Change{Name: m.name, Now: fieldsNow.value(m.name), Before: fieldsBefore.value(m.name), isMoney: m.isMoney}
		if c.Now != nil && c.Before != nil {
			c.Difference = roundDollars(*c.Now - *c.Before)
		}
		if c.Difference != nil && *c.Before != 0 {
			c.Share = new(*c.Difference / *c.Before)
		}
		list = append(list, c)
	}
	return list
}

// fieldsOf returns the fields of a tally that are known.
func fieldsOf(t *TallyReport) reportFields {
	fields := reportFields{}
	fields.addStruct("", reflect.ValueOf(*t))
	if !t.UsageKnown {
		delete(fields, "recorded.total")
	}
	return fields
}

// value returns a number, nil if it is not known.
func (f reportFields) value(name string) *float64 {
	field := f[name]
	if !field.isKnown {
		return nil
	}
	return &field.number
}

// IsEmpty reports whether both periods have nothing to compare.
func (c *Comparison) IsEmpty() bool {
	return !slices.ContainsFunc(c.Measures, func(m Change) bool {
		return m.Now != nil && *m.Now != 0 || m.Before != nil && *m.Before != 0
	})
}

// tables are the comparison for people: all numbers of the total, and the estimated cost of each group, or its calls.
func (c *Comparison) tables(dimensions []string) []*ui.Table {
	total := c.table("compared")
	for i := range c.Measures {
		total.Add(ui.Text(append([]string{measures[i].words}, c.Measures[i].words()...)...)...)
	}
	tables := []*ui.Table{total}
	for _, dimension := range dimensions {
		if c.By[dimension] == nil {
			continue
		}
		table := c.table(dimension)
		for _, group := range c.By[dimension] {
			at := measureOf(dimension)
			table.Add(ui.Text(append([]string{group.Name}, group.Measures[at].words()...)...)...)
		}
		tables = append(tables, table)
	}
	return tables
}

// measureOf returns which of the measures the table of a dimension has.
func measureOf(dimension string) int {
	name := "estimated.cost_usd"
	if dimensionNamed(dimension).hasNoUsage {
		name = "tool_calls"
	}
	for i, m := range measures {
		if m.name == name {
			return i
		}
	}
	return 0
}

func (c *Comparison) table(name string) *ui.Table {
	return &ui.Table{Columns: []ui.Column{
		{Name: name, Cut: ui.InMiddle, Min: 16}, {Name: "now", Right: true}, {Name: c.Period, Right: true},
		{Name: "difference", Right: true}, {Name: "share", Right: true},
	}}
}

// words are the cells of a change.
func (c *Change) words() []string {
	number := func(n *float64, sign string) string {
		switch {
		case n == nil:
			return ""
		case c.isMoney && *n < 0:
			return "-" + ui.Dollars(-*n)
		case c.isMoney && *n == 0:
			return ui.Dollars(0)
		case c.isMoney:
			return sign + ui.Dollars(*n)
		case *n < 0:
			return ui.Thousands(int64(*n))
		case *n == 0:
			return "0"
		}
		return sign + ui.Thousands(int64(*n))
	}
	share := ""
	if c.Share != nil {
		share = ui.Percent(*c.Share)
	}
	return []string{number(c.Now, ""), number(c.Before, ""), number(c.Difference, "+"), share}
}
