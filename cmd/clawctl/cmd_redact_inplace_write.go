package main

import (
	"errors"
	"os"
	"slices"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/change/scrub"
)

// write carries out the plan, looks again, and returns what is left.
func (r *inPlaceRun) write(choice scrub.Choice) (*scrub.Plan, *scrub.Summary, error) {
	run := &scrub.Run{Plan: r.plan, Keep: r.Originals, KeepCheckpoints: r.Keep}
	err := run.CarryOut(r.Ctx, func(it *scrub.Item, err error) {
		r.Blame(r.changeError(it, err))
	})
	if err != nil {
		return nil, nil, r.failed(err)
	}
	left, err := scrub.NewPlan(r.Ctx, choice, r.where)
	if err != nil {
		return nil, nil, r.failed(err)
	}
	run.Explain(left)
	summary := r.plan.Summary()
	summary.Written, summary.Receipt, summary.Left = run.Written, run.Receipt, len(left.Items)
	summary.Rotate = r.plan.Rotate()
	summary.Checkpoints, summary.CheckpointsKept = run.Counts.Checkpoints, run.Counts.CheckpointsKept
	writing.BlameLost(r.App, run.Counts)
	if run.Written > 0 {
		still, _ := left.Places()
		r.Note("Removed %s from %s, and searched everything again: %s.", ui.Count(summary.Values, "value"),
			ui.Count(max(0, summary.Places-still), "place"), scrub.Forms)
	} else {
		r.Note("Nothing was removed.")
	}
	r.nameCopies(run)
	r.blameLeft(left)
	r.rotate()
	return left, summary, nil
}

// changeError says why a place was not changed.
func (r *inPlaceRun) changeError(it *scrub.Item, err error) *failure.Error {
	if it.Kind == scrub.Stored || it.Kind == scrub.StoreRest {
		if f := failure.From(it.Path, writing.StoreError(r.App, it.Path, err)); f != nil {
			return f
		}
	}
	return writing.ChangeError(r.App, it.Path, err)
}

// nameCopies says how OpenClaw gets the sessions of its databases without the values.
func (r *inPlaceRun) nameCopies(run *scrub.Run) {
	if len(run.Copies) == 0 {
		return
	}
	var imports, deletions, compactions []string
	for _, c := range run.Copies {
		if c.IsImported {
			r.Note("OpenClaw has imported %s without the values, and still has it with them.", c.Key)
		} else {
			r.Note("OpenClaw's database was not changed. The session without the values is in %s", c.Path)
			imports = append(imports, writing.ImportCommand(r.App, c.Path, c.Agent))
		}
		deletions = append(deletions, writing.DeleteCommand(r.App, c.Path, c.Agent, c.Key))
		compactions = append(compactions, writing.CompactCommand(r.App, c.Path, c.Agent))
	}
	r.Note("OpenClaw has to import it and to delete the old one, which it archives in a file. Then run this again.")
	for _, list := range [][]string{imports, deletions, compactions} {
		for _, command := range slices.Compact(slices.Sorted(slices.Values(list))) {
			r.Hint(command)
		}
	}
}

// blameLeft names what still has a value.
func (r *inPlaceRun) blameLeft(left *scrub.Plan) {
	const shown = 20
	rows := left.Rows()
	if len(rows) == 0 {
		return
	}
	places, _ := left.Places()
	r.Say("Values are left in %s:", ui.Count(places, "place"))
	for _, row := range rows[:min(shown, len(rows))] {
		r.Say("  %s %s (%s): %s", row.Fingerprint, ui.EscapeLine(row.Path), row.Kind.Words(), row.WhyLeft())
	}
	if more := len(rows) - shown; more > 0 {
		r.Say("  and %d more", more)
	}
	r.Blame(failure.Findings)
}

// rotate lists what has to be replaced by something new.
func (r *inPlaceRun) rotate() {
	r.Say("Rotate these now, because backups, logs and other machines may still have them:")
	for _, row := range r.plan.Rotate() {
		r.Say("  %s %s, was in %s", row.Fingerprint, row.Rule, ui.Count(row.Places, "place"))
	}
	if path := r.Values; path != "" {
		r.Note("%s still has the values; delete it when they are rotated", path)
	}
	if _, err := os.Stat(r.Originals); r.Originals != "" && !errors.Is(err, os.ErrNotExist) {
		r.Note("The originals, with the values, are in %s", r.Originals)
	}
}
