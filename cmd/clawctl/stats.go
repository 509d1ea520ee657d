package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"clawctl/pkg/source"
	"clawctl/pkg/stats"
	"clawctl/pkg/tokens"

	"github.com/urfave/cli/v2"
)

func statsCommand() *command {
	return &command{
		name: "stats", group: "look", args: "[SOURCE]...", summary: "totals of sessions, messages, tool calls, tokens and prices, and what they do not cover",
		about: "Adds up what providers recorded, and with --count what our own counter says beside it. Every record is counted once, however many copies of it lie in live files, " +
			"archives, checkpoints, backups and OpenClaw's database; messages that no model sent are counted apart. Prices are those that were recorded; none is invented. " +
			"Input does not include what came from a cache.\n\n" +
			"--by parts the totals: " + strings.Join(stats.Dimensions, ", ") + "; repeat it for several lists. Days, weeks and months are those of UTC.\n\n" +
			"--fail-if takes a condition on the fields of --json, such as 'recorded.input > 5e6', and exits 1 where it holds. Without SOURCE it looks at your state folder.",
		examples: []string{
			"clawctl stats",
			"clawctl stats --by model --by day --since 30d",
			"clawctl stats ~/.openclaw --by tool --top 10 --format markdown >> $GITHUB_STEP_SUMMARY",
			"clawctl stats --since 1d --fail-if 'recorded.cost_usd > 20'",
		},
		exits: []int{exitOK, exitFindings, exitUsage, exitDamaged, exitNothing, exitDatabase, exitLocked, exitInterrupted},
		flags: append([]cli.Flag{
			&cli.StringSliceFlag{Name: "by", Usage: "a list by `DIMENSION`; repeat it or separate with commas"},
			&cli.IntFlag{Name: "top", Usage: "only the `N` largest of each list"},
			&cli.BoolFlag{Name: "count", Usage: "count the tokens of every message too"},
			&cli.StringFlag{Name: "encoding", Value: "cl100k_base", Usage: "what --count counts with: `NAME` is cl100k_base, o200k_base or heuristic"},
			&cli.StringFlag{Name: "since", Usage: "only records from this `TIME` on: RFC 3339, a date, 7d, yesterday"},
			&cli.StringFlag{Name: "until", Usage: "only records before this `TIME`"},
			&cli.StringSliceFlag{Name: "fail-if", Usage: "exit 1 where a `CONDITION` holds"},
			&cli.BoolFlag{Name: "strict", Usage: "exit 3 where some input was damaged or could not be read"},
			&cli.IntFlag{Name: "jobs", Usage: "read `N` transcripts at a time; default: one a core"},
		}, sourceFlags()...),
		formats: reportFormats,
		run:     runStats,
	}
}

func runStats(a *app, ctx *cli.Context) error {
	opts, err := a.statsOptions(ctx)
	if err != nil {
		return err
	}
	conditions, err := readConditions(ctx.StringSlice("fail-if"), opts)
	if err != nil {
		return err
	}
	args := ctx.Args().Slice()
	if len(args) == 0 {
		if args, err = a.stateDir(); err != nil {
			return err
		}
	}
	worst := &reported{done: true}
	f, err := a.findEach(ctx, args, ctx.Bool("fast"), worst)
	if err != nil {
		return err
	}
	if len(f.sessions) == 0 {
		return worst
	}
	result, err := a.collect(f.sessions, opts)
	if err != nil {
		return errInterrupted
	}
	report := stats.NewReport(result, opts, ctx.Int("top"))
	report.Coverage.Problems = len(f.problems())
	if err := a.printStats(report); err != nil {
		return err
	}
	return a.judgeStats(report, conditions, ctx.Bool("strict"), worst)
}

// problems lists what is wrong with the places that were searched.
func (f *found) problems() (list []source.Problem) {
	for _, p := range f.places {
		for _, problem := range p.Problems {
			if problemFailure(problem) != nil {
				list = append(list, problem)
			}
		}
	}
	return list
}

// statsOptions reads the flags.
func (a *app) statsOptions(ctx *cli.Context) (opts stats.Options, err error) {
	for _, list := range ctx.StringSlice("by") {
		for _, name := range strings.Split(list, ",") {
			if name = strings.TrimSpace(name); !slices.Contains(stats.Dimensions, name) {
				return opts, usageError("clawctl help stats", "--by is one of %s, not %q", strings.Join(stats.Dimensions, ", "), name)
			}
			if !slices.Contains(opts.By, name) {
				opts.By = append(opts.By, name)
			}
		}
	}
	span, err := a.parseRange(ctx)
	if err != nil {
		return opts, err
	}
	opts.Since, opts.Until, opts.Jobs = span.since, span.until, ctx.Int("jobs")
	counter, err := counterNamed(ctx)
	if ctx.Bool("count") || ctx.IsSet("encoding") {
		opts.Counter = counter
	}
	return opts, err
}

// counters are the counters by name.
var counters = map[string]tokens.Counter{"cl100k_base": tokens.CL100K, "o200k_base": tokens.O200K, "heuristic": tokens.Heuristic{}}

// counterNamed returns the counter of --encoding.
func counterNamed(ctx *cli.Context) (tokens.Counter, error) {
	c, known := counters[ctx.String("encoding")]
	if !known {
		return nil, usageError("clawctl help "+ctx.Command.Name, "--encoding is cl100k_base, o200k_base or heuristic, not %q", ctx.String("encoding"))
	}
	return c, nil
}

// collect reads the sessions with a progress bar.
func (a *app) collect(sessions []*source.Session, opts stats.Options) (*stats.Result, error) {
	var total, read int64
	for _, s := range sessions {
		total += s.Bytes
	}
	defer a.progress.clear()
	return stats.Collect(a.ctx, sessions, opts, func(s *source.Session) {
		read += s.Bytes
		a.progress.show("reading", read, total)
	})
}

// printStats prints the totals in the format that was asked for.
func (a *app) printStats(s *stats.Report) error {
	switch a.format {
	case "json":
		return a.print(jsonLine(s))
	case "ndjson":
		return a.print(statsLines(s))
	case "csv":
		return a.printReport(statsTable(s, s.Groups()))
	}
	var b strings.Builder
	parts := []*report{statsOverview(s)}
	for _, dimension := range s.Dimensions {
		parts = append(parts, statsTable(s, s.By[dimension]))
	}
	parts = append(parts, statsCoverage(s))
	for i, part := range parts {
		if i > 0 {
			b.WriteByte('\n')
		}
		text, err := a.layOut(part)
		if err != nil {
			return err
		}
		b.WriteString(text)
	}
	return a.print(b.String())
}

// statsLines is an object for the totals and one for every row of the lists.
func statsLines(s *stats.Report) string {
	var b strings.Builder
	b.WriteString(jsonLine(s.Totals()))
	for _, g := range s.Groups() {
		b.WriteString(jsonLine(g))
	}
	return b.String()
}

// statsOverview is the totals as lines of two columns.
func statsOverview(s *stats.Report) *report {
	r := &report{columns: []column{{name: "total"}, {name: "", right: true}}}
	add := func(name, value string) { r.add(nil, name, value) }
	add("sessions", group(s.Sessions))
	add("records", group(s.Records))
	add("messages", group(s.Messages))
	add("turns", group(s.Turns))
	add("tool calls", group(s.ToolCalls))
	add("tool errors", fmt.Sprintf("%s (%.1f %%)", group(s.ToolErrors), 100*s.ToolErrorRate))
	add("input tokens", group(s.Recorded.Input))
	add("output tokens", group(s.Recorded.Output))
	add("read from cache", group(s.Recorded.CacheRead))
	add("written to cache", group(s.Recorded.CacheWrite))
	if s.Counted != nil {
		add("counted by us", group(s.Counted.Tokens))
	}
	add("cost", cost(s.Recorded.CostUSD))
	return r
}

// statsTable is one list.
func statsTable(s *stats.Report, list []stats.GroupReport) *report {
	name := "name"
	if len(list) > 0 {
		name = list[0].By
	}
	r := &report{columns: []column{{name: name}, {"sessions", true}, {"messages", true}, {"turns", true}, {"calls", true}, {"errors", true}, {"input", true}, {"output", true}, {"cache read", true}, {"cache write", true}, {"cost", true}}}
	if s.Counted != nil {
		r.columns = append(r.columns, column{"counted", true})
	}
	for _, g := range list {
		price := ""
		if g.Recorded.CostUSD != nil {
			price = cost(g.Recorded.CostUSD)
		}
		cells := []string{g.Name, group(g.Sessions), group(g.Messages), group(g.Turns), group(g.ToolCalls), group(g.ToolErrors),
			group(g.Recorded.Input), group(g.Recorded.Output), group(g.Recorded.CacheRead), group(g.Recorded.CacheWrite), price}
		if g.Counted != nil {
			cells = append(cells, group(g.Counted.Tokens))
		}
		r.add(g, cells...)
	}
	return r
}

// statsCoverage says what the totals do not cover.
func statsCoverage(s *stats.Report) *report {
	c := &s.Coverage
	r := &report{columns: []column{{name: "coverage"}, {name: ""}}}
	add := func(name, format string, args ...any) { r.add(nil, name, fmt.Sprintf(format, args...)) }
	var kinds []string
	for _, k := range source.Kinds {
		if c.Kinds[k] > 0 {
			kinds = append(kinds, fmt.Sprintf("%d %s", c.Kinds[k], k))
		}
	}
	add("read", "%s", strings.Join(kinds, ", "))
	if c.First != nil {
		add("time", "%s to %s: %d days with messages, %d without", c.First.Format(time.DateOnly), c.Last.Format(time.DateOnly), c.Days, c.EmptyDays)
	}
	add("usage", "%d of %d answers recorded none", c.NoUsage, c.Answers)
	if s.Recorded.CostUSD == nil {
		add("price", "no price recorded")
	} else {
		add("price", "%d answers recorded none", c.NoPrice)
	}
	for _, line := range []struct {
		n     int64
		name  string
		words string
	}{
		{c.Copies, "copies", "%d records were counted elsewhere"}, {c.Mirrors, "mirrors", "%d messages that no model sent are not counted"},
		{c.Damaged, "damage", "%d lines cannot be read"}, {c.Unreadable, "unreadable", "%d sessions cannot be read"},
		{c.Harness, "harness", "%d sessions keep their tool calls elsewhere"}, {c.Undated, "undated", "%d messages have no time"},
	} {
		if line.n > 0 {
			add(line.name, line.words, line.n)
		}
	}
	if c.ClaimRatio != nil {
		add("claims", "registrations say %s tokens for %d sessions, %.2f times what those recorded", group(c.ClaimedInput+c.ClaimedOutput), c.Claims, *c.ClaimRatio)
	}
	if c.Estimate != "" {
		add("count", "%s", c.Estimate)
	}
	return r
}

// group writes a number with commas.
func group(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// cost writes a price.
func cost(usd *float64) string {
	if usd == nil {
		return "no price recorded"
	}
	return fmt.Sprintf("$%.4f", *usd)
}

// readConditions reads --fail-if.
func readConditions(texts []string, opts stats.Options) (list []stats.Condition, err error) {
	for _, text := range texts {
		c, err := stats.ParseCondition(text, opts)
		if err != nil {
			return nil, conditionError(err)
		}
		list = append(list, c)
	}
	return list, nil
}

// conditionError explains what is wrong with a condition.
func conditionError(err error) error {
	hint := "clawctl stats --json"
	var e *stats.ConditionError
	if errors.As(err, &e) && (e.Problem == stats.ConditionForm || e.Problem == stats.ConditionNumber) {
		hint = "clawctl help stats"
	}
	return usageError(hint, "--fail-if: %v", err)
}

// judgeStats decides the exit code.
func (a *app) judgeStats(s *stats.Report, conditions []stats.Condition, strict bool, worst *reported) error {
	for _, c := range conditions {
		if c.Holds(s) {
			a.complain(&failure{code: codeCondition, text: "--fail-if holds: " + c.String()})
			return &reported{exit: exitFindings, done: true}
		}
	}
	if strict && (s.Coverage.Damaged > 0 || s.Coverage.Unreadable > 0 || s.Coverage.Problems > 0) {
		a.blame(worst, errDamaged)
	}
	if worst.exit == exitOK {
		return nil
	}
	return worst
}
