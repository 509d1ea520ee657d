package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/change"
	"clawctl/pkg/repair"
	"clawctl/pkg/source"
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
			r.planPlace(p)
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

// planPlace plans the repair of the indexes of a place.
func (r *indexRepair) planPlace(p *source.Place) {
	folders := map[string][]*source.Session{}
	for _, s := range p.Sessions {
		if s.Kind == source.Live && s.IsFile() && s.IsTranscript() {
			folders[filepath.Dir(s.Path)] = append(folders[filepath.Dir(s.Path)], s)
		}
	}
	for _, problem := range p.Problems { // of an index without transcripts beside it
		if filepath.Base(problem.Path) == "sessions.json" && folders[filepath.Dir(problem.Path)] == nil {
			folders[filepath.Dir(problem.Path)] = []*source.Session{}
		}
	}
	var names []string
	for name := range folders {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if err := r.planFolder(name, folders[name]); err != nil {
			r.app.Blame(r.outcome, err)
		}
	}
}

// planFolder plans the repair of the index of one folder, if OpenClaw keeps one there.
func (r *indexRepair) planFolder(folder string, sessions []*source.Session) error {
	absolute, err := filepath.Abs(folder)
	if err != nil {
		return cli.InputError(folder, err)
	}
	path := filepath.Join(absolute, "sessions.json")
	agent := filepath.Dir(absolute)
	old, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !isAgentFolder(absolute), cli.IsThere(filepath.Join(agent, "sessions.json")):
		return nil // not OpenClaw's layout, or claw0's
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return cli.InputError(path, err)
	case cli.IsThere(filepath.Join(agent, "agent", "openclaw-agent.sqlite")):
		r.app.Note("%s: OpenClaw keeps the sessions of this agent in a database and does not read sessions.json", folder)
		return nil
	}
	r.indexes++
	selection := validate.Selection{Only: r.options.selected, Not: r.options.ignored}
	plan := repair.NewIndex(path, old, sessions, selection, cli.IsThere)
	if len(plan.Mends) == 0 {
		return nil
	}
	r.plans = append(r.plans, plan)
	for _, m := range plan.Mends {
		row := indexRow{1, "planned", path, m.Entry, m.Code, m.Change, m.Cost}
		words := m.Change
		if m.Entry != "" {
			words += ": " + m.Entry
		}
		r.changes.Add(row, writing.ChangeLine{Path: filepath.Join(folder, "sessions.json"), Code: m.Code, Words: words,
			Cost: m.Cost})
	}
	return nil
}

// isAgentFolder reports whether a folder is where OpenClaw keeps the sessions of an agent.
func isAgentFolder(path string) bool {
	return filepath.Base(path) == "sessions" && filepath.Base(filepath.Dir(filepath.Dir(path))) == "agents"
}

// An indexRow is the JSON form of a change of an index.
type indexRow struct {
	SchemaVersion int    `json:"schema_version"`
	State         string `json:"state"` // planned
	Path          string `json:"path"`
	Session       string `json:"session,omitempty"`
	Code          string `json:"code"`
	Change        string `json:"change"`
	Cost          string `json:"cost,omitempty"`
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

// writeAll writes the indexes.
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

// write writes one index.
func (r *indexRepair) write(journal *change.Journal, p *repair.IndexPlan) (*change.Receipt, error) {
	if err := r.checkLocks(p.Path); err != nil {
		return nil, err
	}
	if p.Old == nil {
		receipt, err := journal.Create(p.Path, "repair --index", p.New)
		if err != nil {
			return receipt, writing.ChangeError(r.app, p.Path, err)
		}
		return receipt, nil
	}
	snapshot, err := change.Open(p.Path)
	if err != nil {
		return nil, cli.InputError(p.Path, err)
	}
	defer snapshot.Close()
	text, err := io.ReadAll(io.NewSectionReader(snapshot, 0, snapshot.Size))
	if err == nil && !bytes.Equal(text, p.Old) {
		err = change.ErrChanged
	}
	if err != nil {
		return nil, writing.ChangeError(r.app, p.Path, err)
	}
	receipt, err := journal.Write(change.Change{
		Snapshot: snapshot, Command: "repair --index", Edits: change.Edits{change.Replace(0, p.Old, p.New)},
		Beside: []change.NewFile{{Path: source.KeptIndexPath(p.Path, p.Old), Data: p.Old}}, Whole: true,
	})
	if err != nil {
		return receipt, writing.ChangeError(r.app, p.Path, err)
	}
	return receipt, nil
}

// checkLocks refuses to change an index while OpenClaw runs, because it would write its own version over it.
func (r *indexRepair) checkLocks(index string) error {
	state := filepath.Dir(index)
	if isAgentFolder(state) {
		state = filepath.Dir(filepath.Dir(filepath.Dir(state)))
	}
	place, err := source.Find(r.app.Ctx, state, source.Options{Fast: true, NamesOnly: true})
	if err != nil {
		return cli.InputError(state, err)
	}
	defer place.Close()
	for _, lock := range place.Locks {
		if lock.IsAlive() {
			return failure.New(failure.Locked, "OpenClaw is running (process %d); nothing was changed", lock.PID).At(lock.Path).
				WithHint(failure.Command("ps", "-p", fmt.Sprint(lock.PID)))
		}
	}
	return nil
}
