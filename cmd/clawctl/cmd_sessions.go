package main

import (
	"slices"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/pkg/report/catalog"
	"clawctl/pkg/source"
	"clawctl/pkg/validate"
)

// asNames is the format of one name a line.
const asNames = "names"

func newSessionsCommand() *cli.Command {
	o := &sessionsOptions{sort: "last"}
	return &cli.Command{
		Paged:   true,
		Flags:   o.flags,
		Formats: append(slices.Clone(cli.ReportFormats), asNames),
		Run:     o.run,
	}
}

// sessionsOptions are the flags of sessions.
type sessionsOptions struct {
	cli.SourceOptions
	span                   cli.RangeOptions
	sort                   string
	fast, strict, findings bool
	skipped, copies        bool
	jobs                   int
	excerpt                cli.ExcerptOptions
	harness                cli.HarnessOption
}

func (o *sessionsOptions) flags() []cli.Flag {
	flags := []cli.Flag{
		cli.ChoiceFlag(&o.sort, "sort", "ORDER", catalog.Orders(), "order of the list"),
		cli.SwitchFlag(&o.fast, "fast", "read only the ends of transcripts"),
		cli.SwitchFlag(&o.copies, "copies", "list the copies of sessions too"),
		cli.SwitchFlag(&o.strict, "strict", "exit 3 if a transcript is damaged"),
		cli.SwitchFlag(&o.findings, "findings", "count what validate finds in each session"),
		cli.SwitchFlag(&o.skipped, "skipped", "list the files that are not transcripts instead"),
		o.harness.Flag(),
		cli.JobsFlag(&o.jobs, "how many transcripts to read at a time"),
	}
	return slices.Concat(flags, o.excerpt.Flags(), o.span.Flags("sessions with records"), o.SourceOptions.Flags())
}

func (o *sessionsOptions) run(a *cli.App, operands []string) error {
	if o.fast && o.findings {
		return cli.Usage("--fast and --findings cannot be combined")
	}
	span, err := o.span.Resolve(a)
	if err != nil {
		return err
	}
	s := cli.Search{SourceOptions: o.SourceOptions, Defaults: cli.EveryKind, Fast: o.fast, Ends: o.fast,
		Harness: &o.harness, Names: o.fast}
	if o.skipped {
		return cli.PrintSkipped(a, operands, s)
	}
	m, err := cli.FindHosts(a, operands, s)
	if err != nil {
		return err
	}
	list, err := o.list(a, m)
	if err != nil {
		return err
	}
	list.Keep(span.Since, span.Until)
	list.Sort(o.sort)
	if len(list.Rows) > 0 || a.Outcome.OK() {
		if err := o.print(a, list); err != nil {
			return err
		}
	}
	if cli.NoteProblems(a, m.Places) {
		list.Damaged = true
	}
	if list.Damaged && o.strict {
		a.Blame(failure.Damaged)
	}
	return a.Outcome.Err()
}

// list describes the sessions.
func (o *sessionsOptions) list(a *cli.App, m *source.Match) (*catalog.List, error) {
	list, err := reading.ListSessions(a, m, o.jobs, o.fast)
	if !o.findings || err != nil {
		return list, err
	}
	alone := source.Alone(m.Sessions)
	return list, reading.JudgeAll(a, alone, o.jobs, validate.Selection{}, func(i int, j reading.Judgement) error {
		count := j.Count()
		list.Rows[i].Findings = &count
		return nil
	})
}

// print prints the list. Programs get every row, people the copies only if they ask for them.
func (o *sessionsOptions) print(a *cli.App, l *catalog.List) error {
	if !o.copies && !a.WantsJSON() && a.Format != "csv" {
		l.Fold()
	}
	l.Rows = cli.Excerpt(l.Rows, o.excerpt)
	if a.Format == asNames {
		return a.Print(l.Lines())
	}
	r := cli.NewReport(l.Columns()...)
	cells := l.Cells(a.Date)
	for _, row := range l.Rows {
		r.AddCells(row, cells(row)...)
	}
	return a.PrintReport(r)
}
