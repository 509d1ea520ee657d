package stats

import (
	"cmp"
	"fmt"
	"strings"

	"clawctl/internal/ui"
	"clawctl/pkg/source"
)

// Tables returns the report for people: the totals, a list for each dimension, and what they cover. On a terminal, a
// list without usage is narrower.
func (r *Report) Tables(term ui.Terminal) []*ui.Table {
	tables := []*ui.Table{r.totalsTable(term)}
	for _, name := range r.Dimensions {
		table := r.groupTable(r.By[name])
		if dimensionNamed(name).hasNoUsage && term.Is {
			table = callTable(name, r.By[name])
		}
		if term.Is {
			addBars(table, r.By[name], term)
		}
		tables = append(tables, table)
	}
	for _, cross := range r.Cross {
		tables = append(tables, cross.table())
	}
	if r.Comparison != nil {
		tables = append(tables, r.Comparison.tables(r.Dimensions)...)
	}
	return append(tables, r.coverageTable())
}

// EmptyWords say that a period has no records.
func (r *Report) EmptyWords(opts Options) string {
	const form = "2006-01-02 15:04"
	words := "No records"
	if !opts.Since.IsZero() {
		words += " from " + opts.Zone.In(opts.Since).Format(form)
	}
	if !opts.Until.IsZero() {
		words += " until " + opts.Zone.In(opts.Until).Format(form)
	}
	return words + " (" + r.Timezone + ")."
}

// Objects returns the report for programs, one object after another: the totals, then the groups.
func (r *Report) Objects() []any {
	objects := []any{r.totals()}
	for _, g := range r.Groups() {
		objects = append(objects, g)
	}
	return objects
}

// totalsTable is the totals as lines of two columns.
func (r *Report) totalsTable(term ui.Terminal) *ui.Table {
	table := &ui.Table{Columns: []ui.Column{{Name: "total"}, {Name: "", Right: true}}}
	add := func(name, value string) { table.Add(ui.Text(name, value)...) }
	add("sessions", ui.Thousands(r.Sessions))
	add("records", ui.Thousands(r.Records))
	add("messages", ui.Thousands(r.Messages))
	add("turns", ui.Thousands(r.Turns))
	add("tool calls", ui.Thousands(r.ToolCalls))
	add("tool errors", fmt.Sprintf("%s (%s)", ui.Thousands(r.ToolErrors), ui.Percent(r.ToolErrorRate)))
	add("failed answers", ui.Thousands(r.FailedAnswers))
	add("input tokens", r.tokenWords(r.Recorded.Input))
	add("output tokens", r.tokenWords(r.Recorded.Output))
	add("read from cache", r.tokenWords(r.Recorded.CacheRead))
	add("written to cache", r.tokenWords(r.Recorded.CacheWrite))
	add("tokens", r.tokenWords(r.Recorded.Total))
	if line := r.dayLine(term); line != "" {
		add("by day", line)
	}
	if r.Counted != nil {
		add("counted by clawctl", ui.Thousands(r.Counted.Tokens))
	}
	add("cost", r.costWords())
	for _, kind := range workKinds {
		if u := r.ByWork[kind]; u != nil {
			add("  "+workNames[kind], workWords(u))
		}
	}
	if r.Priced != nil {
		add("list price", r.Priced.words())
		add("estimated cost", r.Estimated.words())
	}
	if r.PricedUSD != nil {
		add("priced by you", cmp.Or(pricedWords(&r.TallyReport), "no pattern matches"))
	}
	return table
}

// workNames are the kinds of paid work in the words of the table.
var workNames = map[string]string{
	Reply: "answers", ToolWork: "work of tools", Compaction: "compactions",
	BranchSummary: "summaries of branches", CacheWarm: "keeping the cache warm", OtherWork: "other work",
}

// workWords are what a kind of work cost, or its tokens if no price was recorded.
func workWords(u *Usage) string {
	if u.CostUSD != nil {
		return ui.Dollars(*u.CostUSD)
	}
	return ui.Thousands(u.Total) + " tokens"
}

// tokenWords are a number of recorded tokens, blank if it is not known.
func (t *TallyReport) tokenWords(n int64) string {
	if !t.UsageKnown {
		return ""
	}
	return ui.Thousands(n)
}

// costWords are the recorded cost, blank if it is not known.
func (t *TallyReport) costWords() string {
	if !t.CostKnown {
		return ""
	}
	return ui.Dollars(*t.Recorded.CostUSD)
}

// pricedWords are the cost by the user's price list, or "" if it has no price for any answer.
func pricedWords(t *TallyReport) string {
	if t.PricedAnswers == 0 {
		return ""
	}
	return ui.Dollars(*t.PricedUSD)
}

// words are a cost, with the share of the answers that have it unless all do. They are "" if it is not known.
func (c *CostReport) words() string {
	switch {
	case c.CostUSD == nil:
		return ""
	case c.lacking > 0:
		return fmt.Sprintf("%s (%s)", ui.Dollars(*c.CostUSD), ui.Percent(*c.Share))
	}
	return ui.Dollars(*c.CostUSD)
}

// groupTable is one list. On a narrow terminal it keeps what most people look for: messages, tokens and cost.
func (r *Report) groupTable(list []GroupReport) *ui.Table {
	name := "name"
	if len(list) > 0 {
		name = list[0].By
	}
	number := func(name string, rank int) ui.Column { return ui.Column{Name: name, Right: true, Rank: rank} }
	columns := []ui.Column{
		{Name: name, Cut: ui.InMiddle, Min: 16}, number("sessions", 6), number("messages", 0), number("turns", 5),
		number("calls", 3), number("errors", 4), number("input", 0), number("output", 0), number("cache read", 1),
		number("cache write", 2), number("cost", 0),
	}
	if r.Priced != nil {
		columns = append(columns, number("list price", 7), number("estimated", 2))
	}
	if r.PricedUSD != nil {
		columns = append(columns, number("priced by you", 0))
	}
	if r.Counted != nil {
		columns = append(columns, number("counted", 0))
	}
	table := &ui.Table{Columns: columns}
	for _, g := range list {
		table.Add(ui.Text(groupCells(&g)...)...)
	}
	return table
}

// callTable is a list of groups whose usage is recorded for answers, not for them.
func callTable(name string, list []GroupReport) *ui.Table {
	table := &ui.Table{Columns: []ui.Column{
		{Name: name, Cut: ui.InMiddle, Min: 16}, {Name: "sessions", Right: true}, {Name: "calls", Right: true},
		{Name: "errors", Right: true},
	}}
	for _, g := range list {
		table.Add(ui.Text(g.Name, ui.Thousands(g.Sessions), ui.Thousands(g.ToolCalls), ui.Thousands(g.ToolErrors))...)
	}
	return table
}

func groupCells(g *GroupReport) []string {
	turns := ""
	if hasTurns(g.By) {
		turns = ui.Thousands(g.Turns)
	}
	u := g.Recorded
	cells := []string{
		g.Name, ui.Thousands(g.Sessions), ui.Thousands(g.Messages), turns, ui.Thousands(g.ToolCalls),
		ui.Thousands(g.ToolErrors), g.tokenWords(u.Input), g.tokenWords(u.Output), g.tokenWords(u.CacheRead),
		g.tokenWords(u.CacheWrite), g.costWords(),
	}
	if g.Priced != nil {
		cells = append(cells, g.Priced.words(), g.Estimated.words())
	}
	if g.PricedUSD != nil {
		cells = append(cells, pricedWords(&g.TallyReport))
	}
	if g.Counted != nil {
		cells = append(cells, ui.Thousands(g.Counted.Tokens))
	}
	return cells
}

// coverageTable says what the totals cover and what they do not.
func (r *Report) coverageTable() *ui.Table {
	c := &r.Coverage
	table := &ui.Table{Columns: []ui.Column{{Name: "coverage"}, {Name: "", Cut: ui.AtEnd, Min: 40}}}
	add := func(name, format string, args ...any) { table.Add(ui.Text(name, fmt.Sprintf(format, args...))...) }
	add("read", "%s", source.KindCounts(c.Kinds))
	if c.First != nil {
		add("time", "%s to %s: %s with messages, %s without", c.FirstDay, c.LastDay, ui.Count(c.Days, "day"),
			ui.Thousands(c.EmptyDays))
	}
	add("time zone", "%s", r.Timezone)
	add("usage", "%s of %s without usage", ui.Thousands(c.NoUsage), ui.Count(c.Answers, "answer"))
	add("prices", "%s recorded, %s recorded as $0, %s missing",
		ui.Thousands(c.WithPrice), ui.Thousands(c.ZeroPrice), ui.Thousands(c.NoPrice))
	if r.Priced != nil {
		add("list prices", "%s of %s with tokens", ui.Thousands(r.Priced.Answers),
			ui.Count(r.Priced.Answers+r.Priced.lacking, "answer"))
		if len(c.UnpricedModels) > 0 {
			add("no price", "%s", strings.Join(c.UnpricedModels, ", "))
		}
	}
	if c.Unmatched != nil {
		add("your prices", "%s priced, %s without a matching pattern",
			ui.Count(*c.Priced, "answer"), ui.Thousands(*c.Unmatched))
		if len(c.UnmatchedModels) > 0 {
			add("unmatched", "%s", strings.Join(c.UnmatchedModels, ", "))
		}
		for _, m := range c.Misspelled {
			add("misspelled", "%q in your prices is not a known model; did you mean %q?", m.Pattern, m.Nearest)
		}
	}
	joined := "what other programs did: " + ui.Thousands(c.JoinedTokens) + " tokens"
	for _, line := range []struct {
		n         int64
		name      string
		one, many string // what follows the number
	}{
		{c.Copies, "copies", "was counted elsewhere", "were counted elsewhere"},
		{c.Mirrors, "mirrors", "that no model sent is not counted", "that no model sent are not counted"},
		{c.Damaged, "damage", "cannot be read", "cannot be read"},
		{c.Unreadable, "unreadable", "cannot be read", "cannot be read"},
		{int64(c.Problems), "left out", "was not read", "were not read"},
		{c.Harness, "harness", "keeps its tool calls elsewhere", "keep their tool calls elsewhere"},
		{c.Joined, "joined", "includes " + joined, "include " + joined},
		{c.Undated, "undated", "has no time", "have no time"},
	} {
		words := map[bool]string{true: line.one, false: line.many}[line.n == 1]
		if line.n > 0 {
			add(line.name, "%s %s", ui.Count(line.n, coverageNouns[line.name]), words)
		}
	}
	if c.ClaimRatio != nil {
		add("index", "sessions.json claims %s tokens, %.2f times what was recorded",
			ui.Thousands(c.ClaimedInput+c.ClaimedOutput), *c.ClaimRatio)
	}
	if c.Estimate != "" {
		add("count", "%s", c.Estimate)
	}
	return table
}

var coverageNouns = map[string]string{
	"copies": "record", "mirrors": "message", "damage": "line",
	"unreadable": "session", "left out": "path", "harness": "session", "joined": "session", "undated": "message",
}
