package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/change"
	"clawctl/pkg/change/repair"
	"clawctl/pkg/validate"
)

// repairIndexes repairs the indexes of all folders below the arguments.
func (o *repairOptions) repairIndexes(a *cli.App, c *cli.Command, operands []string) error {
	if !a.Output.Options.IsStdout() {
		return c.Conflict("--index", "-o")
	}
	s := cli.Search{SourceOptions: o.SourceOptions, Defaults: cli.LiveOnly}
	arguments, err := cli.ArgumentsOf(a, operands, s)
	if err != nil {
		return err
	}
	r := &indexRepair{app: a, options: o, outcome: &failure.Tally{}, changes: &writing.ChangeList{}}
	for _, argument := range arguments {
		m, err := cli.Find(a, argument, s)
		if err != nil {
			a.Blame(r.outcome, err)
			continue
		}
		for _, p := range m.Places {
			for _, folder := range repair.IndexFolders(p) {
				a.Blame(r.outcome, r.planFolder(folder))
			}
		}
	}
	return r.finish()
}

// An indexRepair is one run of repair --index.
type indexRepair struct {
	app     *cli.App
	options *repairOptions
	outcome *failure.Tally
	changes *writing.ChangeList
	indexes int
	plans   []*repair.IndexPlan
}

// planFolder plans the repair of the index of one folder, if OpenClaw keeps one there.
func (r *indexRepair) planFolder(folder *repair.IndexFolder) error {
	plan, err := folder.Plan(validate.Selection{Only: r.options.selected, Not: r.options.ignored})
	switch {
	case errors.Is(err, repair.ErrUnusedIndex):
		r.app.Note("%s: %v", folder.Path, err)
		return nil
	case err != nil:
		path, _ := filepath.Abs(folder.IndexPath())
		return cli.InputError(path, err)
	case plan == nil:
		return nil
	}
	r.indexes++
	if len(plan.Mends) == 0 {
		return nil
	}
	r.plans = append(r.plans, plan)
	for _, row := range plan.Rows() {
		words := row.Change
		if row.Session != "" {
			words += ": " + row.Session
		}
		r.changes.Add(row, writing.ChangeLine{Path: folder.IndexPath(), Code: row.Code, Words: words, Cost: row.Cost})
	}
	return nil
}

// finish prints the plan, and carries it out if that is wanted.
func (r *indexRepair) finish() error {
	changes := len(r.changes.Lines)
	if err := writing.PrintChanges(r.app, r.changes); err != nil {
		return err
	}
	switch {
	case changes == 0:
		r.app.Note("%s: nothing to repair", ui.Count(r.indexes, "index"))
		return r.outcome.Err()
	case !r.options.Write:
		r.app.Note("%s: %s. Nothing was written.", ui.Count(r.indexes, "index"), ui.Count(changes, "change"))
		r.app.Hint(writing.WriteCommand(r.app))
		if r.outcome.OK() {
			return failure.Findings
		}
		return r.outcome.Err()
	}
	question := fmt.Sprintf("Make %s to %s?", ui.Count(changes, "change"), ui.Count(len(r.plans), "index"))
	if err := writing.Confirm(r.app, writing.Reversible, r.options.Yes, question); err != nil {
		return err
	}
	return r.writeAll()
}

func (r *indexRepair) writeAll() error {
	journal, err := writing.Journal(r.app)
	if err != nil {
		return err
	}
	run := ""
	for _, p := range r.plans {
		receipt, err := r.write(journal, p)
		if receipt != nil {
			run = receipt.Run
		}
		if err != nil {
			r.app.Blame(r.outcome, err)
			continue
		}
		r.app.Note("wrote %s: %s", p.Path, ui.Count(len(p.Mends), "change"))
	}
	if run != "" {
		r.app.Hint(failure.Command("clawctl", "undo", run))
	}
	return r.outcome.Err()
}

// write writes one index, unless OpenClaw runs.
func (r *indexRepair) write(journal *change.Journal, p *repair.IndexPlan) (*change.Receipt, error) {
	lock, err := p.RunningOpenClaw(r.app.Ctx)
	switch {
	case err != nil:
		return nil, cli.InputError(p.StateFolder(), err)
	case lock != nil:
		return nil, failure.New(failure.Locked, "OpenClaw is running (process %d); nothing was changed", lock.PID).
			At(lock.Path).WithHint(failure.Command("ps", "-p", fmt.Sprint(lock.PID)))
	}
	var file *change.Snapshot
	if p.Old != nil {
		if file, err = change.Open(p.Path); err != nil {
			return nil, cli.InputError(p.Path, err)
		}
		defer file.Close()
	}
	receipt, err := p.Write(journal, file)
	if err != nil {
		return receipt, writing.ChangeError(r.app, p.Path, err)
	}
	return receipt, nil
}
