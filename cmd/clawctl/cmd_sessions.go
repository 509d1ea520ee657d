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
	return &cli.Command{
		Paged:   true,
		Options: &sessionsOptions{Sort: "last"},
		Formats: append(slices.Clone(cli.ReportFormats), asNames),
	}
}

// sessionsOptions are the flags of sessions.
type sessionsOptions struct {
	Sort     string `flag:"sort"`
	Fast     bool   `flag:"fast: read only the ends of transcripts"`
	Copies   bool   `flag:"copies: list the copies of sessions too"`
	Strict   bool   `flag:"strict: exit 3 if a transcript is damaged"`
	Findings bool   `flag:"findings: count what validate finds in each session"`
	Skipped  bool   `flag:"skipped: list the files that are not transcripts instead"`
	Harness  cli.HarnessOption
	Jobs     int `flag:"jobs N: how many transcripts to read at a time" default:"one per core"`
	Excerpt  cli.ExcerptOptions
	Span     cli.RangeOptions `usage:"sessions with records"`
	cli.SourceOptions
}

// OwnFlags makes the flags.
func (o *sessionsOptions) OwnFlags() []cli.Flag {
	return cli.FlagsOf(o,
		cli.ChoiceFlag(&o.Sort, "sort", "ORDER", catalog.Orders(), "order of the list"))
}

// Run runs the command.
func (o *sessionsOptions) Run(a *cli.App, operands []string) error {
	if o.Fast && o.Findings {
		return cli.Usage("--fast and --findings cannot be combined")
	}
	span, err := o.Span.Resolve(a)
	if err != nil {
		return err
	}
	s := cli.Search{SourceOptions: o.SourceOptions, Defaults: cli.EveryKind, Fast: o.Fast, Ends: o.Fast,
		Harness: &o.Harness, Names: o.Fast}
	if o.Skipped {
		return cli.PrintSkipped(a, operands, s)
	}
	m, err := cli.FindHosts(a, operands, s)
	if err != nil {
		return err
	}
	list, err := reading.ListSessions(a, m, o.Jobs, o.Fast)
	if err != nil {
		return err
	}
	if o.Findings {
		alone := source.Alone(m.Sessions)
		err := reading.JudgeAll(a, alone, o.Jobs, validate.Selection{}, func(i int, j reading.Judgement) error {
			count := j.Count()
			list.Rows[i].Findings = &count
			return nil
		})
		if err != nil {
			return err
		}
	}
	list.Keep(span.Since, span.Until)
	list.Sort(o.Sort)
	if len(list.Rows) > 0 || a.Outcome.OK() {
		if err := o.print(a, list); err != nil {
			return err
		}
	}
	if cli.NoteProblems(a, m.Places) {
		list.Damaged = true
	}
	if list.Damaged && o.Strict {
		a.Blame(failure.Damaged)
	}
	return a.Outcome.Err()
}

// print prints the list. Programs get every row, people the copies only if they ask for them.
func (o *sessionsOptions) print(a *cli.App, l *catalog.List) error {
	if !o.Copies && !a.WantsJSON() && a.Format != "csv" {
		l.Fold()
	}
	l.Rows = cli.Excerpt(l.Rows, o.Excerpt)
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
