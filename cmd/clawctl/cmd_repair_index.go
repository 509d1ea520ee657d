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
func (o *repairOptions) repairIndexes(a *cli.App, operands []string) error {
	if !a.Output.Options.IsStdout() {
		return cli.Conflict("--index", "-o")
	}
	s := cli.Search{SourceOptions: o.SourceOptions, Defaults: cli.LiveOnly}
	arguments, err := cli.ArgumentsOf(a, operands, s)
	if err != nil {
		return err
	}
	r := &indexRepair{App: a, repairOptions: o, changes: &writing.ChangeList{}}
	for _, argument := range arguments {
		m, err := cli.Find(a, argument, s)
		if err != nil {
			a.Blame(err)
			continue
		}
		for _, p := range m.Places {
			for _, folder := range repair.IndexFolders(p) {
				a.Blame(r.planFolder(folder))
			}
		}
	}
	return r.finish()
}

// An indexRepair is one run of repair --index.
type indexRepair struct {
	*cli.App
	*repairOptions
	changes *writing.ChangeList
	indexes int
	plans   []*repair.IndexPlan
}

// planFolder plans the repair of the index of one folder, if OpenClaw keeps one there.
func (r *indexRepair) planFolder(folder *repair.IndexFolder) error {
	plan, err := folder.Plan(validate.Selection{Only: r.Selected, Not: r.Ignored})
	switch {
	case errors.Is(err, repair.ErrUnusedIndex):
		r.Note("%s: %v", folder.Path, err)
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
	for _, row := range plan.Mends {
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
	indexes, changes := ui.Count(r.indexes, "index"), len(r.changes.Lines)
	job := &writing.Job{
		App: r.App, ChangeOptions: r.ChangeOptions, Changes: changes, Found: changes > 0,
		Print:    func() error { return writing.PrintChanges(r.App, r.changes) },
		Words:    fmt.Sprintf("%s: %s. Nothing was written.", indexes, ui.Count(changes, "change")),
		Question: fmt.Sprintf("Make %s to %s?", ui.Count(changes, "change"), ui.Count(len(r.plans), "index")),
	}
	if changes == 0 {
		job.Words = indexes + ": nothing to repair"
	}
	job.Do = func() error {
		journal, err := writing.Journal(r.App)
		if err != nil {
			return err
		}
		return job.Each(len(r.plans), func(i int) error {
			p := r.plans[i]
			receipt, err := r.write(journal, p)
			if job.Keep(receipt); err == nil {
				r.Note("wrote %s: %s", p.Path, ui.Count(len(p.Mends), "change"))
			}
			return err
		})
	}
	return job.Run()
}

// write writes one index, unless OpenClaw runs.
func (r *indexRepair) write(journal *change.Journal, p *repair.IndexPlan) (*change.Receipt, error) {
	lock, err := p.RunningOpenClaw(r.Ctx)
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
		return receipt, writing.ChangeError(r.App, p.Path, err)
	}
	return receipt, nil
}
