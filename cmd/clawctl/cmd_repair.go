package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"clawctl/internal/atomicfile"
	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/parallel"
	"clawctl/internal/reading"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/change"
	"clawctl/pkg/change/repair"
	"clawctl/pkg/source"
	"clawctl/pkg/validate"
)

func newRepairCommand() *cli.Command {
	return &cli.Command{
		OpensOutput: true, Options: &repairOptions{}, Formats: writing.PlanFormats,
	}
}

// repairOptions are the flags of repair.
type repairOptions struct {
	writing.ChangeOptions
	Selected []string `flag:"select"`
	Ignored  []string `flag:"ignore"`
	Index    bool     `flag:"index: repair sessions.json instead of transcripts"`
	reading.ProgramOption
	reading.APIOption
	Jobs int `flag:"jobs N: how many transcripts to read at a time" default:"one per core"`
	cli.SourceOptions
}

// OwnFlags makes the flags.
func (o *repairOptions) OwnFlags() []cli.Flag {
	return cli.FlagsOf(o,
		reading.RuleFlag(&o.Selected, "select", "mend only problems with these codes"),
		reading.RuleFlag(&o.Ignored, "ignore", "leave problems with these codes alone"))
}

// Run runs the command.
func (o *repairOptions) Run(a *cli.App, operands []string) error {
	defer reading.KeepSmall()()
	if err := o.Check(a); err != nil {
		return err
	}
	if o.Write {
		if err := writing.BeginChanges(a); err != nil {
			return err
		}
	}
	if o.Index {
		return o.repairIndexes(a, operands)
	}
	s := cli.Search{SourceOptions: o.SourceOptions, Defaults: cli.LiveOnly, Mends: true}
	r := &repairRun{App: a, repairOptions: o, changes: &writing.ChangeList{}}
	m, err := cli.FindTranscripts(a, operands, s)
	if err != nil {
		return err
	}
	if !m.ByName {
		cli.BlameProblems(a, m.Places)
	}
	if err := r.planAll(m.Sessions); err != nil {
		return err
	}
	return r.finish(len(m.Sessions))
}

type repairRun struct {
	*cli.App
	*repairOptions
	changes *writing.ChangeList
	plans   []*repair.SessionPlan // with something to say
	refused int                   // sessions without a plan
	summary *repair.Summary
	job     *writing.Job
	apis    validate.APINames
}

// A plannedRepair is a plan, or the reason why there is none.
type plannedRepair struct {
	plan *repair.SessionPlan
	err  error
}

// planAll plans the repair of sessions, several at a time, and keeps the plans in their order.
func (r *repairRun) planAll(sessions []*source.Session) error {
	cli.WatchReading(r.App, "Checking", sessions)
	defer r.Progress.End()
	options := repair.Options{Now: r.Now(), Selection: validate.Selection{
		Only: r.Selected, Not: r.Ignored, Program: r.Forced(), API: r.Asked()}}
	plan := func(ctx context.Context, _ struct{}, i int) plannedRepair {
		o := options
		o.Session = sessions[i]
		p, err := repair.NewSession(ctx, o)
		if err != nil {
			err = cli.InputError(o.Session.Place(), err)
		}
		return plannedRepair{p, err}
	}
	err := parallel.Ordered(r.Ctx, len(sessions), r.Jobs, func() struct{} { return struct{}{} }, plan,
		func(_ int, p plannedRepair) error {
			r.take(p)
			return nil
		})
	if r.Ctx.Err() != nil {
		return cli.Interrupted(r.App)
	}
	return err
}

// take adds a plan to the report.
func (r *repairRun) take(planned plannedRepair) {
	if planned.err != nil {
		r.refused++
		r.Blame(planned.err)
		return
	}
	p := planned.plan
	r.apis.Add(p.Plan.API)
	wantsCopy := !r.Output.Options.IsStdout()
	if len(p.Plan.Mends)+len(p.Plan.Left) > 0 || p.Plan.After.State == validate.Stuck || wantsCopy {
		r.plans = append(r.plans, p)
	}
	for _, row := range p.Rows(r.Verbose) {
		r.changes.Add(row, writing.ChangeLine{
			Path: row.Path, Line: row.Line, Code: row.Code, Words: row.Words(), Cost: row.Cost, Left: row.State == repair.Left,
		})
	}
}

// finish prints the plan, and carries it out if that is wanted.
func (r *repairRun) finish(sessions int) error {
	s := repair.Summarize(sessions-r.refused, r.plans)
	r.summary, s.APIs = s, r.apis
	r.job = &writing.Job{
		App: r.App, ChangeOptions: r.ChangeOptions, Changes: s.Changes,
		Found: s.Changes+s.Left > 0, Do: r.writeAll,
		Print:    func() error { return writing.PrintChanges(r.App, r.changes) },
		Question: fmt.Sprintf("Make %s to %s?", ui.Count(s.Changes, "change"), ui.Count(s.Files, "session")),
	}
	if s.Sessions > 0 || r.refused == 0 {
		r.job.Words = s.PlanWords(r.apis.Remark())
	}
	if !r.Output.Options.IsStdout() {
		return r.writeCopies()
	}
	r.changes.AddObject(s)
	return r.job.Run()
}

// writeAll carries out the plans.
func (r *repairRun) writeAll() error {
	journal, err := writing.Journal(r.App)
	if err != nil {
		return err
	}
	err = r.job.Each(len(r.plans), func(i int) error {
		p := r.plans[i]
		if len(p.Plan.Mends) == 0 {
			return nil
		}
		receipt, err := r.write(journal, p)
		if receipt != nil {
			r.summary.Receipt = receipt.Run
		}
		if err == nil && receipt != nil {
			r.job.Keep(receipt)
			r.summary.Written += len(p.Plan.Mends)
		}
		return err
	})
	if err == nil && r.summary.Written > 0 { // otherwise the errors say why
		r.Note("%s", r.summary.DoneWords(r.apis.Remark()))
	}
	r.blameLeft()
	return err
}

// blameLeft makes the run end with status 1 if something is left alone.
func (r *repairRun) blameLeft() {
	if r.summary.Left > 0 {
		r.Outcome.Take(failure.ExitFindings, true)
	}
}

// write repairs one session. There is no receipt if an earlier run has done that already.
func (r *repairRun) write(journal *change.Journal, p *repair.SessionPlan) (*change.Receipt, error) {
	switch s := p.Session; {
	case s.InDatabase && !s.InStore():
		return r.writeBeside(journal, p)
	case !p.IsWritable():
		hint := failure.Command("clawctl", "repair", s.Place(), "-o", s.ID+".jsonl")
		return nil, failure.New(failure.NotWritable, "").At(s.Place()).WithHint(hint)
	}
	file, err := change.Open(p.Session.Path)
	if err != nil {
		return nil, cli.InputError(p.Session.Path, err)
	}
	defer file.Close()
	receipt, err := p.Write(r.Ctx, journal, file)
	if err != nil {
		return receipt, writing.ChangeError(r.App, p.Session.Path, err)
	}
	return receipt, nil
}

// writeCopies writes a repaired copy of every session to the file or folder of -o.
func (r *repairRun) writeCopies() error {
	target := r.Output.Options.Path
	isFolder := len(r.plans) > 1 || writing.IsFolderOutput(target, true)
	err := r.job.Each(len(r.plans), func(i int) error {
		p, path := r.plans[i], target
		if isFolder {
			path = filepath.Join(target, p.CopyName())
		}
		err := r.writeCopy(p, path)
		if err == nil {
			r.Note("wrote %s: %s", path, ui.Count(len(p.Plan.Mends), "change"))
		}
		return err
	})
	if err != nil {
		return err
	}
	var report strings.Builder // for programs; people read the notes
	if r.WantsJSON() {
		for _, object := range r.changes.Objects {
			report.WriteString(cli.JSONLine(object))
		}
	}
	if err := r.Output.PrintToStdout(report.String()); err != nil {
		return err
	}
	r.blameLeft()
	return r.Outcome.Err()
}

// writeCopy writes a repaired copy of a session and its quarantine.
func (r *repairRun) writeCopy(p *repair.SessionPlan, path string) error {
	text, err := p.OpenCopy(r.Ctx)
	switch {
	case errors.Is(err, change.ErrChanged):
		return writing.ChangeError(r.App, p.Session.Path, err)
	case err != nil:
		return cli.InputError(p.Session.Place(), err)
	}
	defer text.Close()
	if err := atomicfile.MkdirAll(filepath.Dir(path)); err != nil {
		return cli.OutputError(path, err)
	}
	policy := atomicfile.ReplaceNothing
	if r.Output.Options.Force {
		policy = atomicfile.ReplaceRegular
	}
	return writing.WriteNew(r.App, path, policy, text, p.Beside(path))
}

// writeBeside writes the repaired text of a session in OpenClaw's database to a new file, which OpenClaw imports.
func (r *repairRun) writeBeside(journal *change.Journal, p *repair.SessionPlan) (*change.Receipt, error) {
	receipt, path, err := p.WriteBeside(r.Ctx, journal)
	switch {
	case err != nil && path == "":
		return nil, cli.InputError(p.Session.Place(), err)
	case err != nil:
		return receipt, writing.ChangeError(r.App, path, err)
	case receipt == nil:
		r.Note("OpenClaw's database was not changed. The repaired session is there already, in %s", path)
	default:
		r.Note("OpenClaw's database was not changed. The repaired session is in %s", path)
	}
	r.Hint(writing.ImportCommand(r.App, path, p.Session.Agent))
	return receipt, nil
}
