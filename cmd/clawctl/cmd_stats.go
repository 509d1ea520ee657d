package main

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"clawctl/internal/calendar"
	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/internal/ui"
	"clawctl/pkg/report/stats"
	"clawctl/pkg/source"
)

func newStatsCommand() *cli.Command {
	return &cli.Command{
		Missing: func() string { return strings.Join(stats.Dimensions(), ", ") },
		Paged:   true,
		Options: &statsOptions{},
		Formats: append(slices.Clone(cli.ReportFormats), "html"),
	}
}

// statsOptions are the flags of stats.
type statsOptions struct {
	By                    []string    `flag:"by"`
	Cross                 [][2]string `flag:"cross"`
	Compare               string      `flag:"compare PERIOD: compare with this period, such as last-month"`
	Top                   int         `flag:"top N: only the N largest of each list"`
	Prices                string      `flag:"prices FILE: add what the tokens cost by the prices in FILE"`
	Compactions           bool        `flag:"compactions: list the compactions of each session instead of the totals"`
	Count                 bool        `flag:"count: count the tokens of every message too"`
	reading.CounterOption `usage:"what --count counts with" default:"cl100k_base"`
	FailIf                []string `flag:"fail-if CONDITION: exit 1 if this holds; repeat it for several"`
	FailIfAny             []string `flag:"fail-if-any CONDITION: exit 1 if this holds for a row of --by"`
	Strict                bool     `flag:"strict: exit 3 if some input was damaged or could not be read"`
	Harness               cli.HarnessOption
	Jobs                  int              `flag:"jobs N: how many transcripts to read at a time" default:"one per core"`
	Span                  cli.RangeOptions `usage:"records"`
	cli.SourceOptions
}

// OwnFlags makes the flags.
func (o *statsOptions) OwnFlags() []cli.Flag {
	return cli.FlagsOf(o,
		cli.ChoicesFlag(&o.By, "by", "DIMENSION", stats.Dimensions(), "list the totals by this"),
		cli.PairsFlag(&o.Cross, "cross", "A,B", stats.Dimensions(), "list the costs by two dimensions, such as day,model"))
}

// Run runs the command.
func (o *statsOptions) Run(a *cli.App, operands []string) error {
	q, err := o.prepare(a)
	if err != nil {
		return err
	}
	if err := o.checkForm(a); err != nil {
		return err
	}
	s := cli.Search{SourceOptions: o.SourceOptions, Defaults: cli.EveryKind, Harness: &o.Harness}
	m, err := cli.FindHosts(a, operands, s)
	if err != nil {
		return err
	}
	if len(m.Sessions) == 0 {
		return a.Outcome.Err()
	}
	hint := failure.Command(slices.Concat([]string{"clawctl", "stats"}, operands, []string{"--json"})...)
	if a.Format == "html" {
		r, err := o.writeReport(a, m.Sessions, q.opts)
		if err != nil {
			return err
		}
		return o.judge(a, r, q.conditions, hint)
	}
	if o.Compactions {
		return o.listCompactions(a, m.Sessions, cli.TimeRange{Since: q.opts.Since, Until: q.opts.Until})
	}
	return o.answer(a, &q, m, hint)
}

// answer counts, and prints what was asked.
func (o *statsOptions) answer(
	a *cli.App, q *statsQuestion, m *source.Match, hint string,
) error {
	opts := q.opts
	cli.WatchReading(a, "Reading", m.Sessions)
	result, err := stats.Collect(a.Ctx, m.Sessions, opts)
	a.Progress.End()
	if err != nil {
		return err
	}
	r, full := stats.NewReport(result, opts, o.Top), stats.NewReport(result, opts, 0)
	if q.compared.Name != "" {
		opts.Since, opts.Until, opts.Cross = q.compared.Since, q.compared.Until, nil
		before, err := stats.Collect(a.Ctx, m.Sessions, opts)
		if err != nil {
			return err
		}
		r.Compare(q.compared, full, stats.NewReport(before, opts, 0), o.Top)
	}
	for _, p := range m.Places {
		for _, problem := range p.Problems {
			if f := cli.ProblemFailure(problem); f != nil {
				a.Note("%s: %s %s", f.Path, f.Code, f.Text)
				r.Coverage.Problems++
			}
		}
	}
	for _, p := range m.Places {
		cli.NoteRemarks(a, p.Problems)
	}
	for _, unread := range result.Coverage.Unreadable {
		place := unread.Session.Place()
		f := cli.InputError(place, unread.Err)
		a.Note("%s: %s %s", place, f.Code, f.Text)
		r.Coverage.Unread = append(r.Coverage.Unread, stats.UnreadRow{Path: place, Code: f.Code, Message: f.Text})
	}
	for _, far := range r.Coverage.FarPrices {
		a.Note("%s %s", failure.FarPrice, far.Words())
	}
	if err := q.print(a, r); err != nil {
		return err
	}
	cli.NoteUnread(a, m.Sessions)
	holds := judgeRows(a, full, q.any, hint)
	if err := o.judge(a, r, q.conditions, hint); !holds {
		return err
	}
	return failure.Findings
}

// A statsQuestion is what was asked, as far as it can be wrong before any transcript is read.
type statsQuestion struct {
	opts            stats.Options
	conditions, any []stats.Condition // of --fail-if and --fail-if-any
	compared        calendar.Period   // without a name if there is none
}

// prepare reads everything that can be wrong before any transcript is read.
func (o *statsOptions) prepare(a *cli.App) (q statsQuestion, err error) {
	span, err := o.Span.Resolve(a)
	if err != nil {
		return q, err
	}
	if err := a.NeedZone(); err != nil {
		return q, err
	}
	q.opts = stats.Options{
		By: o.By, Cross: o.Cross, Since: span.Since, Until: span.Until, Zone: a.Zone, Jobs: o.Jobs,
	}
	if q.opts.Catalogue, err = a.Catalogue(); err != nil {
		return q, err
	}
	if o.Count || o.Encoding != "" {
		q.opts.Counter = o.Counter()
	}
	if o.Prices != "" {
		text, err := cli.ReadFlagFile(a, "prices", o.Prices)
		if err != nil {
			return q, err
		}
		if q.opts.Prices, err = stats.ParsePrices(text); err != nil {
			return q, cmp.Or(failure.From(o.Prices, err), cli.Usage("%v", err).At(o.Prices))
		}
	}
	if o.Compare != "" {
		if q.compared, err = cli.ParsePeriod(a, "--compare", o.Compare); err != nil {
			return q, err
		}
		if span.IsAll() {
			now := map[int]string{4: "this-year", 7: "this-month", 8: "this-week", 10: "today"}[len(q.compared.Name)]
			return q, failure.Usage(a.CommandLine("--during", now), "--compare needs the period to compare with it")
		}
	}
	if q.conditions, err = parseConditions(a, "--fail-if", o.FailIf, q.opts); err != nil {
		return q, err
	}
	if q.any, err = parseConditions(a, "--fail-if-any", o.FailIfAny, q.opts); err != nil {
		return q, err
	}
	return q, o.checkRows(a, q.any)
}

// checkRows refuses conditions on rows if there are none.
func (o *statsOptions) checkRows(a *cli.App, any []stats.Condition) error {
	if len(any) > 0 && len(o.By) == 0 {
		return failure.Usage(a.CommandLine("--by", "agent"), "--fail-if-any needs --by")
	}
	for _, c := range any {
		if err := c.OfRows(); err != nil {
			return cli.Usage("--fail-if-any: %v", err)
		}
	}
	return nil
}

func parseConditions(a *cli.App, flag string, texts []string, opts stats.Options) (list []stats.Condition, err error) {
	for _, text := range texts {
		c, err := stats.ParseCondition(text, opts)
		if err != nil {
			var wrong *stats.ConditionError
			f := cli.Usage("%s: %v", flag, err)
			if errors.As(err, &wrong) && (wrong.Problem == stats.ConditionUnknown || wrong.Problem == stats.ConditionText) {
				f.Hint = a.CommandWithout(flag, "--json")
			}
			return nil, f
		}
		list = append(list, c)
	}
	return list, nil
}

// print prints the totals in the format that was asked for.
func (q *statsQuestion) print(a *cli.App, r *stats.Report) error {
	isPart := !q.opts.Since.IsZero() || !q.opts.Until.IsZero()
	switch a.Format {
	case "json":
		return a.PrintJSON(r)
	case "ndjson":
		return a.PrintReport(&cli.Report{Objects: r.Objects()})
	case "csv":
		return a.PrintReport(&cli.Report{Objects: r.Objects()[1:]})
	}
	if isPart && r.Records == 0 && (r.Comparison == nil || r.Comparison.IsEmpty()) {
		return a.Print(r.EmptyWords(q.opts) + "\n")
	}
	var tables []*cli.Report
	term := a.Output.Term
	if a.Format == "markdown" {
		term = ui.Terminal{} // a document is not for looking at
	}
	for _, t := range r.Tables(term) {
		tables = append(tables, &cli.Report{Table: *t})
	}
	return a.PrintTables(tables...)
}

// judgeRows tests every row, names those for which a condition holds, and reports whether there is one.
func judgeRows(a *cli.App, r *stats.Report, conditions []stats.Condition, hint string) bool {
	holds := false
	for _, c := range conditions {
		for _, g := range r.Groups() {
			v := c.CheckRow(&g)
			switch {
			case v.Holds:
				holds = true
				f := failure.New(failure.ConditionHolds, "--fail-if-any holds for %s %s: %s", g.By, g.Name, c)
				a.Blame(f.AfterWork())
			case v.IsUnknown:
				a.Blame(failure.New(failure.ConditionUnknown, "--fail-if-any: %s of %s %s is not known: %s", c.Field(),
					g.By, g.Name, "there are answers, but none has it").WithHint(hint).AfterWork())
			}
		}
	}
	return holds
}

// judge decides the exit status. hint is the command that shows all numbers.
func (o *statsOptions) judge(
	a *cli.App, r *stats.Report, conditions []stats.Condition, hint string,
) error {
	for _, c := range conditions {
		v := c.Check(r)
		switch {
		case v.IsUnknown:
		case v.IsAbsent:
			a.Note("--fail-if: %s has no value, because there is nothing to compare", c.Field())
		case v.Lacking > 0:
			a.Note("--fail-if: %s covers only a part: %s of %s have not recorded it", c.Field(), ui.Thousands(v.Lacking),
				ui.Count(r.Work, "answer"))
		}
		if v.Holds {
			a.Blame(failure.New(failure.ConditionHolds, "--fail-if holds: %s", c).AfterWork())
			return failure.Findings
		}
		if v.IsUnknown {
			a.Blame(failure.New(failure.ConditionUnknown, "--fail-if: %s is not known: %s", c.Field(),
				"there are answers, but none has recorded it").WithHint(hint).AfterWork())
		}
	}
	if c := &r.Coverage; o.Strict && (c.Damaged > 0 || c.Unreadable > 0 || c.Problems > 0) {
		a.Blame(failure.Damaged)
	}
	return a.Outcome.Err()
}
