package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/internal/ui"
	"clawctl/pkg/source"
	"clawctl/pkg/stats"
	"clawctl/pkg/store"
	"clawctl/pkg/validate"
)

func newSessionsCommand() *cli.Command {
	o := &sessionsOptions{sort: "last"}
	return &cli.Command{
		Name: "sessions", Group: "read", Operands: "[SOURCE]...", Summary: "List sessions, live and archived",
		About: "Lists every transcript in a folder or database: those that OpenClaw still uses, and the resets, " +
			"deletions, backups, checkpoints and archives that it left behind. Without SOURCE it lists your state folder.\n\n" +
			"Every transcript is read once for its records, messages, recorded tokens, times and title. With --fast, only " +
			"names, indexes and sizes are read. A transcript that equals another, or is the beginning of it, is marked " +
			"as its copy. Tokens are those that providers recorded, without cached ones. OpenClaw's own mirrors of messages " +
			"are not counted.\n\n" +
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
}

func (o *sessionsOptions) flags() []cli.Flag {
	flags := []cli.Flag{
		cli.ChoiceFlag(&o.sort, "sort", "ORDER", sortNames(), "order of the list"),
		cli.SwitchFlag(&o.fast, "fast", "do not read the transcripts"),
		cli.SwitchFlag(&o.strict, "strict", "exit 3 if a transcript is damaged"),
		cli.SwitchFlag(&o.findings, "findings", "count what validate finds in each session"),
		cli.SwitchFlag(&o.skipped, "skipped", "list the files that are not transcripts instead"),
		cli.JobsFlag(&o.jobs, "how many transcripts to read at a time"),
	}
	return slices.Concat(flags, o.excerpt.Flags(), o.span.Flags("sessions with records"), o.SourceOptions.Flags())
}

// A sessionRow is the JSON form of a session in the list. Fields are added, never renamed.
type sessionRow struct {
	SchemaVersion int              `json:"schema_version"`
	Key           string           `json:"key"`
	ID            string           `json:"id"`
	Agent         string           `json:"agent"`
	Kind          source.Kind      `json:"kind"`
	Generation    string           `json:"generation,omitempty"`
	Path          string           `json:"path"`
	Dialect       string           `json:"dialect,omitempty"`
	Records       *int64           `json:"records"`
	Messages      *int64           `json:"messages"`
	Damaged       *int64           `json:"damaged"`
	Bytes         int64            `json:"bytes"`
	Recorded      *stats.Usage     `json:"recorded"`
	First         *time.Time       `json:"first"`
	Last          *time.Time       `json:"last"`
	Title         string           `json:"title"`
	Listed        bool             `json:"listed"`
	CopyOf        string           `json:"copy_of,omitempty"`
	Problems      []cli.ProblemRow `json:"problems"`
	Findings      *int             `json:"findings"`
	Project       string           `json:"project,omitempty"`
	ForkedFrom    string           `json:"forked_from,omitempty"`
	Host          string           `json:"host"`
	CopyOfHost    string           `json:"copy_of_host,omitempty"` // if the original is on another one

	session  *source.Session
	original *source.Session // that it is a copy of
}

// A sessionOrder is a value of --sort.
type sessionOrder struct {
	name    string
	compare func(a, b *sessionRow) int
}

var sessionOrders = []sessionOrder{
	{"last", func(a, b *sessionRow) int { return timeOf(b.Last).Compare(timeOf(a.Last)) }},
	{"size", func(a, b *sessionRow) int { return cmp.Compare(b.Bytes, a.Bytes) }},
	{"messages", func(a, b *sessionRow) int { return cmp.Compare(intOf(b.Messages), intOf(a.Messages)) }},
	{"key", nil}, // the order in which they are found
}

func sortNames() (names []string) {
	for _, o := range sessionOrders {
		names = append(names, o.name)
	}
	return names
}

func (o *sessionsOptions) run(a *cli.App, operands []string) error {
	if o.fast && o.findings {
		return failure.Usage("", "--fast and --findings cannot be combined")
	}
	span, err := o.span.Resolve(a.Now())
	if err != nil {
		return err
	}
	s := cli.Search{SourceOptions: o.SourceOptions, Defaults: cli.EveryKind, Fast: o.fast}
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
	list.rows = slices.DeleteFunc(list.rows, func(r *sessionRow) bool { return !overlaps(r, span) })
	list.sort(o.sort)
	list.rows = cli.Excerpt(list.rows, o.excerpt)
	if len(list.rows) > 0 || outcome.OK() {
		if err := a.PrintReport(list.report(a)); err != nil {
			return err
		}
	}
	if noteProblems(a, m.Places) {
		list.damaged = true
	}
	if list.damaged && o.strict {
		a.Blame(outcome, failure.Damaged)
	}
	return outcome.Err()
}

// A sessionList is what the command prints.
type sessionList struct {
	rows    []*sessionRow
	short   map[*source.Session]string
	damaged bool // some part of a transcript cannot be read
}

// list reads the sessions, unless they are to be listed fast, and describes them.
func (o *sessionsOptions) list(a *cli.App, m *source.Match) (*sessionList, error) {
	list := &sessionList{short: shortNames(m)}
	facts := make([]source.Facts, len(m.Sessions))
	if !o.fast {
		cli.WatchReading(a, "Reading", m.Sessions)
		facts = source.Inspect(a.Ctx, m.Sessions, o.jobs)
		a.Progress.End()
	}
	for i, s := range m.Sessions {
		row := newSessionRow(s)
		if !o.fast {
			row.read(s, &facts[i])
			list.damaged = list.damaged || facts[i].Damaged > 0 || facts[i].Err != nil
		}
		list.rows = append(list.rows, row)
	}
	if a.Ctx.Err() != nil {
		return nil, cli.Interrupted(a)
	}
	if !o.findings {
		return list, nil
	}
	return list, reading.JudgeAll(a, m.Sessions, o.jobs, validate.Selection{}, func(i int, j reading.Judgement) error {
		count := len(j.Findings)
		for _, f := range j.Findings {
			count += f.More
		}
		list.rows[i].Findings = &count
		return nil
	})
}

// shortNames are the short names of all sessions of the places that were searched.
func shortNames(m *source.Match) map[*source.Session]string {
	all := slices.Clone(m.Sessions)
	for _, p := range m.Places {
		all = append(all, p.Sessions...)
	}
	return source.ShortNames(all)
}

// sort orders the rows; "key" is the order in which they are found.
func (l *sessionList) sort(order string) {
	for _, o := range sessionOrders {
		if o.name == order && o.compare != nil {
			slices.SortStableFunc(l.rows, o.compare)
		}
	}
}

// overlaps reports whether a session has records in a time range, as far as is known.
func overlaps(r *sessionRow, span cli.TimeRange) bool {
	last, first := timeOf(r.Last), timeOf(r.First)
	return !last.Before(span.Since) && (span.Until.IsZero() || first.Before(span.Until))
}

// newSessionRow describes what is known without reading.
func newSessionRow(s *source.Session) *sessionRow {
	row := &sessionRow{
		SchemaVersion: 1, Key: s.Key, ID: s.ID, Agent: s.Agent, Kind: s.Kind, Generation: s.Generation,
		Path: s.Place(), Bytes: s.Bytes, Title: s.Title(), Listed: s.Listed, Problems: []cli.ProblemRow{}, session: s,
		Host: s.Host,
	}
	if last := cmp.Or(s.Entry.UpdatedAt, s.Modified); !last.IsZero() {
		last = last.UTC()
		row.Last = &last
	}
	for _, p := range s.Problems {
		row.problem(p.Code, p.Detail)
	}
	return row
}

func (r *sessionRow) problem(code source.Code, detail string) {
	r.Problems = append(r.Problems, cli.ProblemRow{Code: code, Message: code.Words(), Detail: detail})
}

// read adds what reading told.
func (r *sessionRow) read(s *source.Session, f *source.Facts) {
	r.Dialect, r.Records, r.Messages, r.Damaged = f.Dialect.String(), &f.Records, &f.Messages, &f.Damaged
	r.Recorded = stats.NewUsage(f.Recorded)
	r.Bytes = cmp.Or(r.Bytes, f.Bytes) // of a stream the size shows only now
	r.Title = cmp.Or(f.Name, s.Title(), f.FirstText)
	r.Project, r.ForkedFrom = f.Project, f.Parent
	if !f.First.IsZero() {
		first, last := f.First.UTC(), f.Last.UTC()
		r.First, r.Last = &first, &last
	}
	if f.CopyOf != nil {
		r.CopyOf, r.original = f.CopyOf.Name(), f.CopyOf
		if f.CopyOf.Host != s.Host {
			r.CopyOfHost = f.CopyOf.Host
		}
	}
	if f.HeaderID != "" && f.HeaderID != s.ID && s.NamedByID() && s.Kind == source.Live {
		r.problem(source.IDMismatch, f.HeaderID)
	}
	if f.Err != nil && !errors.Is(f.Err, store.ErrIncomplete) { // that is among the problems already
		r.problem(source.Unreadable, cli.InputError(r.Path, f.Err).Text)
	}
}

// report lays the list out. A terminal shows names that can be pasted back and how long ago a session was used.
func (l *sessionList) report(a *cli.App) *cli.Report {
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
	hosts := l.hosts()
	if len(hosts) > 1 {
		r.Columns = slices.Insert(r.Columns, 0, ui.Column{Name: "host", Cut: ui.InMiddle, Min: 8})
	}
	projects := slices.ContainsFunc(l.rows, func(row *sessionRow) bool { return row.Project != "" })
	if projects {
		r.Columns = append(r.Columns, ui.Column{Name: "project", Cut: ui.InMiddle, Min: 12, Rank: 1})
	}
	name := func(s *source.Session) string { return filepath.Base(s.Place()) }
	if a.Output.Term.Is {
		name = func(s *source.Session) string { return l.short[s] }
	}
	for _, row := range l.rows {
		messages, tokens, last := "", "", ""
		if row.Messages != nil {
			messages, tokens = ui.Thousands(*row.Messages), ui.Short(row.Recorded.Input+row.Recorded.Output)
		}
		key := ui.Cell{Text: row.Key}
		if row.Last != nil {
			last = a.When(*row.Last)
		}
		if a.Output.Term.Is {
			key = ui.Cell{Text: row.session.Name(), Short: l.short[row.session]}
		}
		cells := ui.Text(row.Key, string(row.Kind), messages, tokens, ui.Bytes(row.Bytes), last, row.notes(name), row.Title)
		cells[0] = key
		if len(hosts) > 1 {
			cells = slices.Insert(cells, 0, ui.Cell{Text: row.Host})
		}
		if projects {
			cells = append(cells, ui.Cell{Text: row.Project})
		}
		r.AddCells(row, cells...)
	}
	return r
}

// hosts are the hosts of the rows.
func (l *sessionList) hosts() map[string]bool {
	hosts := map[string]bool{}
	for _, row := range l.rows {
		hosts[row.Host] = true
	}
	return hosts
}

// notes are the remarks of a row in a few words.
func (r *sessionRow) notes(name func(*source.Session) string) string {
	var notes []string
	if r.original != nil {
		note := "copy of " + name(r.original)
		if r.CopyOfHost != "" {
			note += " on " + r.CopyOfHost
		}
		notes = append(notes, note)
	}
	if r.ForkedFrom != "" {
		notes = append(notes, "fork of "+forkName(r.ForkedFrom))
	}
	if r.Damaged != nil && *r.Damaged > 0 {
		notes = append(notes, fmt.Sprintf("%d damaged", *r.Damaged))
	}
	for _, p := range r.Problems {
		notes = append(notes, p.Code.Label())
	}
	return strings.Join(slices.Compact(notes), ", ")
}

// forkName is the id of the session in the file that a fork names, or the name of the file.
func forkName(path string) string {
	base := path[strings.LastIndexAny(path, `/\`)+1:]
	if name, ok := source.ParseName(base); ok {
		return name.ID
	}
	return base
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

func timeOf(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

func intOf(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}
