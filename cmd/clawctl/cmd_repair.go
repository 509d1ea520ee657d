package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/parallel"
	"clawctl/internal/reading"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/repair"
	"clawctl/pkg/source"
	"clawctl/pkg/validate"
)

func newRepairCommand() *cli.Command {
	o := &repairOptions{}
	c := &cli.Command{
		Name: "repair", Group: "mend", Operands: "[SOURCE]...", Summary: "Repair transcripts, with a plan first and an undo",
		About: "Mends what validate reports as an error and what the API that the session uses refuses: damaged lines, " +
			"NUL bytes, wrong encodings, headers, repeated ids, broken links, tool calls and results, empty messages, " +
			"signatures, names, and images. It prints a line for every change with its code and what it costs. " +
			"Without --write nothing is changed.\n\n" +
			"The API of the last answer decides what can be sent. --api applies the rules of another one.\n\n" +
			"--write makes the changes and asks first if it runs on a terminal. The new file replaces the old one in one " +
			"step, so an interruption leaves one of them whole. Lines that cannot be saved go to a quarantine file beside " +
			"the transcript. A receipt in clawctl's data folder keeps everything that was replaced, and " +
			"clawctl undo restores the original. -o writes repaired copies instead, without receipts: to a file for one " +
			"session, to a folder for several.\n\n" +
			"Records keep their ids and their place if possible. A message that only disturbs the conversation is " +
			"marked as excluded from the context and keeps its text. What cannot be mended without a guess is left alone.\n\n" +
			"Refused are sessions that a running OpenClaw has locked, and files that change meanwhile. Databases and " +
			"compressed files are never changed. For a session in OpenClaw's database, --write puts a repaired JSONL file " +
			"beside it and prints the command that imports it.\n\n" +
			"--index repairs sessions.json instead: it registers the transcripts of a folder that are not listed, and keeps " +
			"the old index beside the new one.",
		Examples: []cli.Example{
			{"Show what would be changed", "clawctl repair SESSION.jsonl"},
			{"Repair a session, and undo that", "clawctl repair SESSION.jsonl --write && clawctl undo"},
			{"Mend only broken links, in all sessions", "clawctl repair ~/.openclaw --select links --write"},
			{"List the sessions that disappeared again", "clawctl repair --index ~/.openclaw --write"},
		},
		Exits: []int{
			failure.ExitOK, failure.ExitFindings, failure.ExitUsage, failure.ExitDamaged, failure.ExitNothing,
			failure.ExitDatabase, failure.ExitLocked, failure.ExitInterrupted,
		},
		Outcomes: map[int]string{
			failure.ExitOK:       "nothing to repair, or everything was repaired",
			failure.ExitFindings: "something would be changed, or was left alone",
			failure.ExitLocked:   "a session is in use",
		},
		OpensOutput: true, Flags: o.flags(), Formats: writing.PlanFormats,
	}
	c.Run = func(a *cli.App, operands []string) error { return o.run(a, c, operands) }
	return c
}

// repairOptions are the flags of repair.
type repairOptions struct {
	cli.SourceOptions
	reading.ProgramOption
	reading.APIOption
	writing.ChangeOptions
	selected, ignored []string
	index             bool
	jobs              int
}

func (o *repairOptions) flags() []cli.Flag {
	flags := append(o.ChangeOptions.Flags(),
		reading.RuleFlag(&o.selected, "select", "mend only problems with these codes"),
		reading.RuleFlag(&o.ignored, "ignore", "leave problems with these codes alone"),
		cli.SwitchFlag(&o.index, "index", "repair sessions.json instead of transcripts"),
		o.ProgramOption.Flag(),
		o.APIOption.Flag(),
		cli.JobsFlag(&o.jobs, "how many transcripts to read at a time"),
	)
	return append(flags, o.SourceOptions.Flags()...)
}

func (o *repairOptions) run(a *cli.App, c *cli.Command, operands []string) error {
	defer reading.KeepSmall()()
	if err := o.Check(a, c); err != nil {
		return err
	}
	if o.Write {
		if err := writing.BeginChanges(a); err != nil {
			return err
		}
	}
	if o.index {
		return o.repairIndexes(a, c, operands)
	}
	s := cli.Search{SourceOptions: o.SourceOptions, Defaults: cli.LiveOnly, Mends: true}
	arguments, err := cli.ArgumentsOf(a, operands, s)
	if err != nil {
		return err
	}
	r := &repairing{app: a, options: o, command: c, outcome: &failure.Tally{}, changes: &writing.ChangeList{}}
	m, err := cli.FindTranscripts(a, arguments, s, r.outcome)
	if err != nil {
		return err
	}
	if !m.ByName {
		cli.BlameProblems(a, r.outcome, m.Places)
	}
	if err := r.planAll(m.Sessions); err != nil {
		return err
	}
	return r.finish()
}

// A repairing is one run of repair.
type repairing struct {
	app      *cli.App
	options  *repairOptions
	command  *cli.Command
	outcome  *failure.Tally
	changes  *writing.ChangeList
	sessions int
	plans    []*repairPlan // with something to say
	receipt  string        // of the last change
	made     int           // changes
	apis     reading.APINames
}

// A repairPlan is what would be done with one session.
type repairPlan struct {
	*repair.Plan
	session *source.Session
	sha256  string // of the file that was read; "" if it is not one that can be changed
	err     error
}

func (o *repairOptions) repairing(a *cli.App, s *source.Session) repair.Options {
	return repair.Options{
		Selection: validate.Selection{Only: o.selected, Not: o.ignored, Program: o.Forced(), API: o.Asked()},
		Session:   s, Now: a.Now(),
	}
}

// planAll plans the repair of sessions, several at a time, and keeps the plans in their order.
func (r *repairing) planAll(sessions []*source.Session) error {
	cli.WatchReading(r.app, "Checking", sessions)
	defer r.app.Progress.End()
	plan := func(ctx context.Context, _ struct{}, i int) *repairPlan { return r.plan(ctx, sessions[i]) }
	err := parallel.Ordered(r.app.Ctx, len(sessions), r.options.jobs, func() struct{} { return struct{}{} }, plan,
		func(_ int, p *repairPlan) error {
			r.take(p)
			return nil
		})
	if r.app.Ctx.Err() != nil {
		return cli.Interrupted(r.app)
	}
	return err
}

// plan plans the repair of one session.
func (r *repairing) plan(ctx context.Context, s *source.Session) *repairPlan {
	text, err := openText(ctx, s)
	if err != nil {
		return &repairPlan{session: s, err: cli.InputError(s.Place(), err)}
	}
	defer text.Close()
	p, err := repair.New(ctx, text, text.size, r.options.repairing(r.app, s))
	if err != nil {
		return &repairPlan{session: s, err: cli.InputError(s.Place(), err)}
	}
	return &repairPlan{Plan: p, session: s, sha256: text.sha256}
}

// take adds a plan to the report.
func (r *repairing) take(p *repairPlan) {
	r.sessions++
	if p.err != nil {
		r.app.Blame(r.outcome, p.err)
		return
	}
	r.apis.Add(p.API)
	wantsCopy := !r.app.Output.Options.IsStdout()
	if len(p.Mends)+len(p.Left) > 0 || wantsCopy {
		r.plans = append(r.plans, p)
	}
	for _, row := range p.rows(r.app.Verbose) {
		r.addRow(row)
	}
}

// rows returns what is done and what is left alone, in the order of lines.
func (p *repairPlan) rows(withNotes bool) (rows []repairRow) {
	for _, m := range p.Mends {
		rows = append(rows, repairRow{
			SchemaVersion: 1, State: "planned", Path: p.session.Place(), Line: m.Line, EntryID: m.Entry, Code: m.Code,
			Change: m.Change, Cost: m.Cost, AlsoLines: m.Also,
		})
	}
	add := func(state string, rest []repair.Rest) {
		for _, l := range rest {
			rows = append(rows, repairRow{
				SchemaVersion: 1, State: state, Path: p.session.Place(), Line: l.Line, EntryID: l.Entry, Code: l.Code,
				Change: "left alone: " + l.Reason,
			})
		}
	}
	add("left", p.Left)
	if withNotes {
		add("note", p.Notes)
	}
	for i := range rows {
		rows[i].JudgedBy = p.API.String()
	}
	slices.SortStableFunc(rows, func(a, b repairRow) int { return cmp.Compare(a.Line, b.Line) })
	return rows
}

// A repairRow is the JSON form of a change.
type repairRow struct {
	SchemaVersion int     `json:"schema_version"`
	State         string  `json:"state"` // planned, left or note
	Path          string  `json:"path"`
	Line          int64   `json:"line,omitempty"`
	EntryID       string  `json:"entry_id,omitempty"`
	Code          string  `json:"code"`
	Change        string  `json:"change"`
	Cost          string  `json:"cost,omitempty"`
	AlsoLines     []int64 `json:"also_lines,omitempty"` // that change with it
	JudgedBy      string  `json:"judged_by,omitempty"`  // the API whose rules decide what can be sent
}

func (r *repairing) addRow(row repairRow) {
	words := row.Change + alsoWords(row.AlsoLines)
	r.changes.Add(row, writing.ChangeLine{
		Path: row.Path, Line: row.Line, Code: row.Code, Words: words, Cost: row.Cost, Left: row.State == "left",
	})
}

// alsoWords names the lines that change with another one.
func alsoWords(lines []int64) string {
	const shown = 3
	switch {
	case len(lines) == 0:
		return ""
	case len(lines) > shown:
		return fmt.Sprintf("; also changes %d other lines from line %d on", len(lines), lines[0])
	}
	numbers := make([]string, len(lines))
	for i, line := range lines {
		numbers[i] = fmt.Sprint(line)
	}
	return "; also changes line " + strings.Join(numbers, ", ")
}

// counts returns how much would be changed, and how much is left alone.
func (r *repairing) counts() (changes, files, left int) {
	for _, p := range r.plans {
		changes += len(p.Mends)
		left += len(p.Left)
		if len(p.Mends) > 0 {
			files++
		}
	}
	return changes, files, left
}

// finish prints the plan, and carries it out if that is wanted.
func (r *repairing) finish() error {
	changes, files, _ := r.counts()
	switch {
	case !r.app.Output.Options.IsStdout():
		return r.writeCopies()
	case !r.options.Write || changes == 0:
		return r.showPlan()
	}
	if !r.app.WantsJSON() {
		if err := writing.PrintChanges(r.app, r.changes); err != nil {
			return err
		}
	}
	question := fmt.Sprintf("Make %s to %s?", ui.Count(changes, "change"), ui.Count(files, "session"))
	if err := writing.Confirm(r.app, writing.Reversible, r.options.Yes, question); err != nil {
		return err
	}
	return r.writeAll()
}

// showPlan prints what would be done.
func (r *repairing) showPlan() error {
	changes, files, left := r.counts()
	r.changes.AddObject(repairSummary{SchemaVersion: 1, State: "summary", Sessions: r.sessions, Changes: changes,
		Files: files, Left: left, APIs: r.apis})
	if err := writing.PrintChanges(r.app, r.changes); err != nil {
		return err
	}
	r.app.Note("%s", planWords(ui.Count(r.sessions, "session")+r.apis.Remark(), changes, files, left))
	if changes > 0 {
		r.app.Hint(writing.WriteCommand(r.app))
	}
	return r.status(changes + left)
}

// status is the outcome of a run that found something, or left it.
func (r *repairing) status(found int) error {
	if r.outcome.OK() && found > 0 {
		return failure.Findings
	}
	return r.outcome.Err()
}

// A repairSummary sums up a run.
type repairSummary struct {
	SchemaVersion int    `json:"schema_version"`
	State         string `json:"state"` // summary
	Sessions      int    `json:"sessions"`
	Changes       int    `json:"changes"`
	Files         int    `json:"files"` // with changes
	Left          int    `json:"left"`
	Written       int    `json:"written"`           // changes that were made
	Receipt       string `json:"receipt,omitempty"` // for clawctl undo

	APIs []string `json:"apis,omitempty"` // whose rules decided what can be sent
}

// planWords sum up a plan for sessions, which are counted in words.
func planWords(sessions string, changes, files, left int) string {
	text := sessions + ": "
	switch {
	case changes == 0 && left == 0:
		return text + "nothing to repair"
	case changes == 0:
		text += "nothing that can be repaired"
	default:
		text += fmt.Sprintf("%s in %s", ui.Count(changes, "change"), ui.Count(files, "session"))
	}
	if left > 0 {
		text += ", " + ui.Count(left, "problem") + " left alone"
	}
	return text + ". Nothing was written."
}
