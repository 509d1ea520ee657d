package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"clawctl/pkg/jsonl"
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
	conditions, err := readConditions(ctx.StringSlice("fail-if"))
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
	report := newStatsReport(result, opts, ctx.Int("top"))
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
	if opts.Jobs <= 0 {
		opts.Jobs = runtime.GOMAXPROCS(0)
	}
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

// A statsReport is the JSON form of the totals. Fields are added, never renamed.
type statsReport struct {
	SchemaVersion int `json:"schema_version"`
	tallyReport
	By       map[string][]groupReport `json:"by"`
	Coverage coverageReport           `json:"coverage"`

	order []string // of the lists
}

// A tallyReport is the JSON form of a tally.
type tallyReport struct {
	Sessions      int64          `json:"sessions"`
	Records       int64          `json:"records"`
	Messages      int64          `json:"messages"`
	Turns         int64          `json:"turns"`
	ToolCalls     int64          `json:"tool_calls"`
	ToolErrors    int64          `json:"tool_errors"`
	ToolErrorRate float64        `json:"tool_error_rate"`
	Recorded      *recordedUsage `json:"recorded"`
	Counted       *countedReport `json:"counted,omitempty"`
}

type countedReport struct {
	Tokens int64 `json:"tokens"`
}

type groupReport struct {
	SchemaVersion int    `json:"schema_version"`
	By            string `json:"by"`
	Name          string `json:"name"`
	tallyReport
}

// A coverageReport says what was counted and what was not.
type coverageReport struct {
	Kinds          map[source.Kind]int64 `json:"kinds"`
	First          *time.Time            `json:"first"`
	Last           *time.Time            `json:"last"`
	Days           int64                 `json:"days"`
	EmptyDays      int64                 `json:"empty_days"`
	Answers        int64                 `json:"answers"`
	NoUsage        int64                 `json:"answers_without_usage"`
	NoPrice        int64                 `json:"answers_without_price"`
	Copies         int64                 `json:"copied_records"`
	CopiedSessions int64                 `json:"copied_sessions"`
	Mirrors        int64                 `json:"mirrors"`
	Damaged        int64                 `json:"damaged_lines"`
	Undated        int64                 `json:"undated_messages"`
	Harness        int64                 `json:"harness_sessions"`
	Unreadable     int64                 `json:"unreadable_sessions"`
	Problems       int                   `json:"problems"`
	Claims         int64                 `json:"claims"`
	ClaimedInput   int64                 `json:"claimed_input"`
	ClaimedOutput  int64                 `json:"claimed_output"`
	ClaimRatio     *float64              `json:"claimed_to_recorded"`
	Estimate       string                `json:"estimate,omitempty"`
}

func newStatsReport(r *stats.Result, opts stats.Options, top int) *statsReport {
	counted := opts.Counter != nil
	s := &statsReport{SchemaVersion: 1, tallyReport: newTallyReport(&r.Total, counted), By: map[string][]groupReport{}, order: opts.By}
	for dimension, names := range r.By {
		s.By[dimension] = groupReports(dimension, names, counted, top)
	}
	cov := &r.Coverage
	for _, kind := range source.Kinds {
		cov.Kinds[kind] += 0 // a condition may name a kind that there is none of
	}
	s.Coverage = coverageReport{
		Kinds: cov.Kinds, Days: cov.Days, Answers: r.Total.Answers, NoUsage: r.Total.NoUsage, NoPrice: r.Total.NoPrice, Copies: cov.Copies, CopiedSessions: cov.CopiedFiles,
		Mirrors: cov.Mirrors.Messages, Damaged: cov.Damaged, Undated: cov.Undated, Harness: cov.Harness, Unreadable: int64(len(cov.Unreadable)),
		Claims: cov.Claims, ClaimedInput: cov.ClaimedInput, ClaimedOutput: cov.ClaimedOutput,
	}
	if !cov.First.IsZero() {
		first, last := cov.First.UTC(), cov.Last.UTC()
		s.Coverage.First, s.Coverage.Last = &first, &last
		s.Coverage.EmptyDays = int64(last.Truncate(24*time.Hour).Sub(first.Truncate(24*time.Hour)).Hours()/24) + 1 - cov.Days
	}
	if recorded := cov.ClaimsOf.Input + cov.ClaimsOf.Output; recorded > 0 && cov.Claims > 0 {
		ratio := float64(cov.ClaimedInput+cov.ClaimedOutput) / float64(recorded)
		s.Coverage.ClaimRatio = &ratio
	}
	if counted {
		s.Coverage.Estimate = "counted tokens are exact for OpenAI's encodings and an estimate for other models"
	}
	return s
}

func newTallyReport(t *stats.Tally, counted bool) tallyReport {
	r := tallyReport{
		Sessions: t.Sessions, Records: t.Records, Messages: t.Messages, Turns: t.Turns, ToolCalls: t.ToolCalls, ToolErrors: t.ToolErrors,
		Recorded: recorded(t.Recorded),
	}
	if t.ToolCalls > 0 {
		r.ToolErrorRate = float64(t.ToolErrors) / float64(t.ToolCalls)
	}
	if counted {
		r.Counted = &countedReport{t.Counted}
	}
	return r
}

// groupReports orders a list: days and the like by time, the rest by the tokens that were recorded, then by messages.
func groupReports(dimension string, names map[string]*stats.Tally, counted bool, top int) []groupReport {
	order := slices.Sorted(maps.Keys(names))
	byTime := slices.Contains([]string{"day", "week", "month"}, dimension)
	weight := func(name string) (int64, int64) {
		t := names[name]
		return spent(t.Recorded), t.Messages + t.ToolCalls
	}
	if !byTime || top > 0 {
		slices.SortStableFunc(order, func(a, b string) int {
			ta, ma := weight(a)
			tb, mb := weight(b)
			return cmp.Or(cmp.Compare(tb, ta), cmp.Compare(mb, ma))
		})
	}
	if top > 0 && len(order) > top {
		order = order[:top]
	}
	if byTime {
		slices.Sort(order)
	}
	list := make([]groupReport, len(order))
	for i, name := range order {
		list[i] = groupReport{1, dimension, name, newTallyReport(names[name], counted)}
	}
	return list
}

// spent is all that was sent and received.
func spent(u jsonl.Usage) int64 { return u.Input + u.Output + u.CacheRead + u.CacheWrite }

// printStats prints the totals in the format that was asked for.
func (a *app) printStats(s *statsReport) error {
	switch a.format {
	case "json":
		return a.print(jsonLine(s))
	case "ndjson":
		return a.print(s.ndjson())
	case "csv":
		return a.printReport(s.table(s.allGroups()))
	}
	var b strings.Builder
	parts := []*report{s.overview()}
	for _, dimension := range s.order {
		parts = append(parts, s.table(s.By[dimension]))
	}
	parts = append(parts, s.coverageTable())
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

// ndjson is an object for the totals and one for every row of the lists.
func (s *statsReport) ndjson() string {
	var b strings.Builder
	lists := s.By
	s.By = map[string][]groupReport{}
	b.WriteString(jsonLine(s))
	s.By = lists
	for _, g := range s.allGroups() {
		b.WriteString(jsonLine(g))
	}
	return b.String()
}

// allGroups are the rows of all lists; the totals where there is no list.
func (s *statsReport) allGroups() (all []groupReport) {
	for _, dimension := range s.order {
		all = append(all, s.By[dimension]...)
	}
	if len(s.order) == 0 {
		all = []groupReport{{1, "total", "total", s.tallyReport}}
	}
	return all
}

// overview is the totals as lines of two columns.
func (s *statsReport) overview() *report {
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

// table is one list.
func (s *statsReport) table(list []groupReport) *report {
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

// coverageTable says what the totals do not cover.
func (s *statsReport) coverageTable() *report {
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

// A condition is one of --fail-if.
type condition struct {
	text, path, operator string
	value                float64
}

var conditionForm = regexp.MustCompile(`^\s*([A-Za-z_][\w.]*)\s*(>=|<=|==|!=|>|<)\s*([-+0-9.eE_]+)\s*$`)

func readConditions(texts []string) (list []condition, err error) {
	for _, text := range texts {
		m := conditionForm.FindStringSubmatch(text)
		if m == nil {
			return nil, usageError("clawctl help stats", "--fail-if is like 'recorded.input > 5e6', not %q", text)
		}
		value, err := strconv.ParseFloat(strings.ReplaceAll(m[3], "_", ""), 64)
		if err != nil {
			return nil, usageError("clawctl help stats", "--fail-if: %q is no number", m[3])
		}
		list = append(list, condition{text, m[1], m[2], value})
	}
	return list, nil
}

// holds looks the field up and compares it. Of what is not known, such as a price that was not recorded, nothing holds.
func (c condition) holds(fields map[string]any) (bool, error) {
	var at any = fields
	for _, name := range strings.Split(c.path, ".") {
		object, _ := at.(map[string]any)
		var ok bool
		if at, ok = object[name]; !ok {
			return false, usageError("clawctl stats --json", "--fail-if: there is no field %s", c.path)
		}
	}
	if at == nil {
		return false, nil
	}
	number, ok := at.(float64)
	if !ok {
		return false, usageError("clawctl stats --json", "--fail-if: the field %s is no number", c.path)
	}
	switch c.operator {
	case ">":
		return number > c.value, nil
	case ">=":
		return number >= c.value, nil
	case "<":
		return number < c.value, nil
	case "<=":
		return number <= c.value, nil
	case "==":
		return number == c.value, nil
	}
	return number != c.value, nil
}

// judgeStats decides the exit code.
func (a *app) judgeStats(s *statsReport, conditions []condition, strict bool, worst *reported) error {
	var fields map[string]any
	if err := json.Unmarshal([]byte(jsonLine(s)), &fields); err != nil {
		return err
	}
	for _, c := range conditions {
		holds, err := c.holds(fields)
		if err != nil {
			return err
		}
		if holds {
			a.complain(&failure{code: codeCondition, text: "--fail-if holds: " + c.text})
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
