package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"clawctl/internal/cli"
	"clawctl/internal/ui"
	"clawctl/pkg/stats"
)

// printStats prints the totals in the format that was asked for.
func printStats(a *cli.App, r *stats.Report) error {
	switch a.Format {
	case "json":
		return a.Print(cli.JSONLine(r))
	case "ndjson":
		return a.Print(statsLines(r))
	case "csv":
		return a.PrintReport(groupTable(r, r.Groups()))
	}
	tables := []*cli.Report{totalsTable(r)}
	for _, dimension := range r.Dimensions {
		if dimension == "tool" && a.Output.Term.Is {
			tables = append(tables, toolTable(r.By[dimension]))
			continue
		}
		tables = append(tables, groupTable(r, r.By[dimension]))
	}
	return a.PrintTables(append(tables, coverageTable(r))...)
}

// statsLines is an object for the totals and one for every row of the lists.
func statsLines(r *stats.Report) string {
	var b strings.Builder
	b.WriteString(cli.JSONLine(r.Totals()))
	for _, dimension := range r.Dimensions {
		for _, g := range r.By[dimension] {
			b.WriteString(cli.JSONLine(g))
		}
	}
	if len(r.Dimensions) == 0 {
		b.WriteString(cli.JSONLine(r.Groups()[0]))
	}
	return b.String()
}

// totalsTable is the totals as lines of two columns.
func totalsTable(r *stats.Report) *cli.Report {
	table := cli.NewReport(ui.Column{Name: "total"}, ui.Column{Name: "", Right: true})
	add := func(name, value string) { table.Add(nil, name, value) }
	add("sessions", ui.Thousands(r.Sessions))
	add("records", ui.Thousands(r.Records))
	add("messages", ui.Thousands(r.Messages))
	add("turns", ui.Thousands(r.Turns))
	add("tool calls", ui.Thousands(r.ToolCalls))
	add("tool errors", fmt.Sprintf("%s (%s)", ui.Thousands(r.ToolErrors), ui.Percent(r.ToolErrorRate)))
	add("input tokens", ui.Thousands(r.Recorded.Input))
	add("output tokens", ui.Thousands(r.Recorded.Output))
	add("read from cache", ui.Thousands(r.Recorded.CacheRead))
	add("written to cache", ui.Thousands(r.Recorded.CacheWrite))
	if r.Counted != nil {
		add("counted by clawctl", ui.Thousands(r.Counted.Tokens))
	}
	add("cost", costWords(&r.TallyReport))
	for _, kind := range stats.WorkKinds {
		if u := r.ByWork[kind]; u != nil {
			add("  "+workNames[kind], workWords(u))
		}
	}
	if r.PricedUSD != nil {
		add("priced by you", cmp.Or(pricedWords(&r.TallyReport), "no pattern matches"))
	}
	return table
}

// workNames are the kinds of paid work in the words of the table.
var workNames = map[string]string{
	stats.Reply: "answers", stats.ToolWork: "work of tools", stats.Compaction: "compactions",
	stats.BranchSummary: "summaries of branches", stats.CacheWarm: "keeping the cache warm", stats.OtherWork: "other work",
}

// workWords are what a kind of work cost, or its tokens if no price was recorded.
func workWords(u *stats.Usage) string {
	if u.CostUSD != nil {
		return ui.Dollars(*u.CostUSD)
	}
	return ui.Thousands(u.Total) + " tokens"
}

// costWords are the recorded cost: an amount, or why there is none.
func costWords(t *stats.TallyReport) string {
	switch {
	case t.Prices.Recorded > 0:
		return ui.Dollars(*t.Recorded.CostUSD)
	case t.Prices.Zero > 0:
		return "recorded as $0"
	}
	return "not recorded"
}

// pricedWords are the cost by the user's price list, or "" if it has no price for any answer.
func pricedWords(t *stats.TallyReport) string {
	if t.PricedAnswers == 0 {
		return ""
	}
	return ui.Dollars(*t.PricedUSD)
}

// groupTable is one list. On a narrow terminal it keeps what most people look for: messages, tokens and cost.
func groupTable(r *stats.Report, list []stats.GroupReport) *cli.Report {
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
	if r.PricedUSD != nil {
		columns = append(columns, number("priced by you", 0))
	}
	if r.Counted != nil {
		columns = append(columns, number("counted", 0))
	}
	table := cli.NewReport(columns...)
	for _, g := range list {
		table.Add(g, groupCells(&g)...)
	}
	return table
}

// toolTable is the list of tools on a terminal: usage is recorded for answers, not for tools.
func toolTable(list []stats.GroupReport) *cli.Report {
	table := cli.NewReport(
		ui.Column{Name: "tool", Cut: ui.InMiddle, Min: 16}, ui.Column{Name: "sessions", Right: true},
		ui.Column{Name: "calls", Right: true}, ui.Column{Name: "errors", Right: true},
	)
	for _, g := range list {
		table.Add(nil, g.Name, ui.Thousands(g.Sessions), ui.Thousands(g.ToolCalls), ui.Thousands(g.ToolErrors))
	}
	return table
}

func groupCells(g *stats.GroupReport) []string {
	turns := ""
	if stats.HasTurns(g.By) {
		turns = ui.Thousands(g.Turns)
	}
	cost := ""
	switch {
	case g.Prices.Recorded > 0:
		cost = ui.Dollars(*g.Recorded.CostUSD)
	case g.Prices.Zero > 0:
		cost = ui.Dollars(0)
	case g.Prices.Missing > 0:
		cost = "missing"
	}
	cells := []string{
		g.Name, ui.Thousands(g.Sessions), ui.Thousands(g.Messages), turns, ui.Thousands(g.ToolCalls),
		ui.Thousands(g.ToolErrors), ui.Thousands(g.Recorded.Input), ui.Thousands(g.Recorded.Output),
		ui.Thousands(g.Recorded.CacheRead), ui.Thousands(g.Recorded.CacheWrite), cost,
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
func coverageTable(r *stats.Report) *cli.Report {
	c := &r.Coverage
	table := cli.NewReport(ui.Column{Name: "coverage"}, ui.Column{Name: "", Cut: ui.AtEnd, Min: 40})
	add := func(name, format string, args ...any) { table.Add(nil, name, fmt.Sprintf(format, args...)) }
	add("read", "%s", cli.KindCounts(c.Kinds))
	if c.First != nil {
		add("time", "%s to %s: %s with messages, %s without", c.First.Format(time.DateOnly), c.Last.Format(time.DateOnly),
			ui.Count(c.Days, "day"), ui.Thousands(c.EmptyDays))
	}
	add("usage", "%s of %s without usage", ui.Thousands(c.NoUsage), ui.Count(c.Answers, "answer"))
	add("prices", "%s recorded, %s recorded as $0, %s missing",
		ui.Thousands(c.WithPrice), ui.Thousands(c.ZeroPrice), ui.Thousands(c.NoPrice))
	if c.Unmatched != nil {
		add("your prices", "%s priced, %s without a matching pattern",
			ui.Count(*c.Priced, "answer"), ui.Thousands(*c.Unmatched))
		if len(c.UnmatchedModels) > 0 {
			add("unmatched", "%s", strings.Join(c.UnmatchedModels, ", "))
		}
	}
	for _, line := range []struct {
		n           int64
		name, words string
	}{
		{c.Copies, "copies", "%s were counted elsewhere"},
		{c.Mirrors, "mirrors", "%s that no model sent are not counted"},
		{c.Damaged, "damage", "%s cannot be read"},
		{c.Unreadable, "unreadable", "%s cannot be read"},
		{c.Harness, "harness", "%s keep their tool calls elsewhere"},
		{c.Undated, "undated", "%s have no time"},
	} {
		if line.n > 0 {
			add(line.name, line.words, ui.Count(line.n, coverageNouns[line.name]))
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
	"unreadable": "session", "harness": "session", "undated": "message",
}
