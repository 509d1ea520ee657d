package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/internal/ui"
	"clawctl/pkg/catalog"
	"clawctl/pkg/source"
	"clawctl/pkg/validate"
)

func newSessionsCommand() *cli.Command {
	o := &sessionsOptions{sort: "last"}
	return &cli.Command{
		Name: "sessions", Group: "read", Operands: "[SOURCE]...", Summary: "List sessions, live and archived",
		About: "Lists every transcript in a folder or database: those that OpenClaw still uses, and the resets, " +
			"deletions, backups, checkpoints and archives that it left behind. Without SOURCE it lists your state folder.\n\n" +
			"Every transcript is read once for its records, messages, recorded tokens, times and title. With --fast, only " +
			"names, indexes, sizes and the last records are read. A transcript that equals another, or is the beginning of " +
			"it, is marked as its copy. Tokens are those that providers recorded, cached ones included, and blank if none " +
			"were recorded. OpenClaw's own mirrors of messages are not counted (see clawctl help numbers).\n\n" +
			"A file is recognized by its first records, so renamed and moved copies are listed too. Files " +
			"that are not transcripts are counted at the end, and --skipped lists them.\n\n" +
			"With several SOURCEs, a column names the host of each session: its folder or file, or NAME in NAME=SOURCE.\n\n" +
			"On a terminal, long keys are shown as short names such as 1446f8af@reset, which every command accepts.",
		Examples: []cli.Example{
			{"What is there? The newest comes first", "clawctl sessions"},
			{"The largest sessions of one agent", "clawctl sessions --sort size ~/.openclaw/agents/main"},
			{"The five sessions used last", "clawctl sessions --fast --kind live --limit 5"},
			{"The sessions of two homes and a bundle", "clawctl sessions web1 web2 team.tar.zst"},
			{"The files of all resets and deletions", "clawctl sessions --json --kind reset,deleted | jq -r .path"},
		},
		Exits: []int{
			failure.ExitOK, failure.ExitUsage, failure.ExitDamaged, failure.ExitNothing, failure.ExitDatabase,
			failure.ExitLocked, failure.ExitInterrupted,
		},
		Paged:   true,
		Flags:   o.flags(),
		Formats: cli.ReportFormats,
		Run:     o.run,
	}
}

// sessionsOptions are the flags of sessions.
type sessionsOptions struct {
	cli.SourceOptions
	span                   cli.RangeOptions
	sort                   string
	fast, strict, findings bool
	skipped                bool
	jobs                   int
	excerpt                cli.ExcerptOptions
	harness                cli.HarnessOption
}

func (o *sessionsOptions) flags() []cli.Flag {
	flags := []cli.Flag{
		cli.ChoiceFlag(&o.sort, "sort", "ORDER", catalog.Orders(), "order of the list"),
		cli.SwitchFlag(&o.fast, "fast", "read only the ends of transcripts"),
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
		return failure.Usage("", "--fast and --findings cannot be combined")
	}
	span, err := o.span.Resolve(a)
	if err != nil {
		return err
	}
	s := cli.Search{SourceOptions: o.SourceOptions, Defaults: cli.EveryKind, Fast: o.fast, Harness: &o.harness,
		Names: o.fast}
	arguments, err := cli.ArgumentsOf(a, operands, s)
	if err != nil {
		return err
	}
	if o.skipped {
		return cli.PrintSkipped(a, arguments, s)
	}
	outcome := &failure.Tally{}
	m, err := cli.FindHosts(a, arguments, s, outcome)
	if err != nil {
		return err
	}
	list, err := o.list(a, m)
	if err != nil {
		return err
	}
	list.Keep(span.Since, span.Until)
	list.Sort(o.sort)
	list.Rows = cli.Excerpt(list.Rows, o.excerpt)
	if len(list.Rows) > 0 || outcome.OK() {
		if err := a.PrintReport(listReport(a, list)); err != nil {
			return err
		}
	}
	if noteProblems(a, m.Places) {
		list.Damaged = true
	}
	if list.Damaged && o.strict {
		a.Blame(outcome, failure.Damaged)
	}
	return outcome.Err()
}

// list reads the sessions, unless they are to be listed fast, and describes them.
func (o *sessionsOptions) list(a *cli.App, m *source.Match) (*catalog.List, error) {
	var facts []catalog.Facts
	if !o.fast {
		cli.WatchReading(a, "Reading", m.Sessions)
		facts = catalog.Read(a.Ctx, m.Sessions, o.jobs)
		a.Progress.End()
	}
	if a.Ctx.Err() != nil {
		return nil, cli.Interrupted(a)
	}
	list := catalog.New(m, facts, func(s *source.Session, err error) string { return cli.InputError(s.Place(), err).Text })
	list.AddCommands(facts, a.Programs())
	if !o.findings {
		return list, nil
	}
	alone := source.Alone(m.Sessions)
	return list, reading.JudgeAll(a, alone, o.jobs, validate.Selection{}, func(i int, j reading.Judgement) error {
		count := j.Count()
		list.Rows[i].Findings = &count
		return nil
	})
}

// listReport lays the list out. A terminal shows names that can be pasted back and how long ago a session was used.
func listReport(a *cli.App, l *catalog.List) *cli.Report {
	r := cli.NewReport(
		ui.Column{Name: "key", Cut: ui.InMiddle, Min: 20},
		ui.Column{Name: "kind", Rank: 2},
		ui.Column{Name: "messages", Right: true},
		ui.Column{Name: "tokens", Right: true, Rank: 4},
		ui.Column{Name: "size", Right: true},
		ui.Column{Name: "last"},
		ui.Column{Name: "notes", Cut: ui.AtEnd, Rank: 3},
		ui.Column{Name: "title", Cut: ui.AtEnd, Min: 16},
	)
	hasHosts, hasProjects := l.HasHosts(), l.HasProjects()
	if hasHosts {
		r.Columns = slices.Insert(r.Columns, 0, ui.Column{Name: "host", Cut: ui.InMiddle, Min: 8})
	}
	if hasProjects {
		r.Columns = append(r.Columns, ui.Column{Name: "project", Cut: ui.InMiddle, Min: 12, Rank: 1})
	}
	for _, row := range l.Rows {
		cells := rowCells(a, l, row)
		if hasHosts {
			cells = slices.Insert(cells, 0, ui.Cell{Text: row.Host})
		}
		if hasProjects {
			cells = append(cells, ui.Cell{Text: row.Project})
		}
		r.AddCells(row, cells...)
	}
	return r
}

// rowCells are the cells that every list has.
func rowCells(a *cli.App, l *catalog.List, row *catalog.Row) []ui.Cell {
	messages, tokens, last := "", "", ""
	if row.Counts() {
		messages = ui.Thousands(*row.Messages)
	}
	if row.UsageKnown != nil && *row.UsageKnown {
		tokens = ui.Short(row.Recorded.Total)
	}
	if row.Last != nil {
		last = a.When(*row.Last)
	}
	name := func(s *source.Session) string { return filepath.Base(s.Place()) }
	if a.Output.Term.Is {
		name = l.ShortName
	}
	cells := ui.Text(row.Key, string(row.Kind), messages, tokens, ui.Bytes(row.Bytes), last, row.Notes(name), row.Title)
	if a.Output.Term.Is {
		cells[0] = ui.Cell{Text: row.Session.Name(), Short: l.ShortName(row.Session)}
	}
	return cells
}

// noteProblems says what is wrong with places: what cannot be read as an error, the rest as a remark for each kind of
// problem, or all of it as JSON. It reports whether some part of a place cannot be read.
func noteProblems(a *cli.App, places []*source.Place) (unreadable bool) {
	for _, p := range places {
		for _, code := range source.Codes {
			of := slices.DeleteFunc(slices.Clone(p.Problems), func(problem source.Problem) bool { return problem.Code != code })
			if len(of) == 0 {
				continue
			}
			failed := cli.ProblemFailure(of[0]) != nil
			unreadable = unreadable || failed
			switch {
			case a.JSON:
				for _, problem := range of {
					cli.SayProblem(a, problem)
				}
			case failed:
				for _, problem := range of {
					a.Complain(cli.ProblemFailure(problem))
				}
			case !cli.IsRemark(code):
				a.Note("%s: %s %s: %s", p.Path, code, code.Words(), firstOf(of))
			default:
				cli.NoteRemarks(a, of)
			}
		}
	}
	return unreadable
}

// firstOf names the first of several problems.
func firstOf(of []source.Problem) string {
	what := cmp.Or(of[0].Key, of[0].Path)
	if of[0].Detail != "" {
		what += " (" + of[0].Detail + ")"
	}
	if more := len(of) - 1 + of[len(of)-1].More; more > 0 {
		what += fmt.Sprintf(" and %d more", more)
	}
	return what
}
