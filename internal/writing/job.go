package writing

import (
	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/pkg/change"
)

// A Job is what one run changes: a plan, a question, the work, and a receipt.
type Job struct {
	App *cli.App
	ChangeOptions
	Kind ChangeKind

	Changes  int          // how many the plan has
	Always   bool         // Do has something to do without changes, and asks nothing then
	Found    bool         // the plan makes the run end with status 1
	Print    func() error // prints the plan, and with --json afterwards what was done instead; may be nil
	Words    string       // sum up the plan if it is not carried out
	Hint     string       // how to carry it out; the same command with --write if it is ""
	Question string
	Do       func() error // carries out the plan

	receipt string
}

// Run carries out the job.
func (j *Job) Run() error {
	isWritten := j.Write && (j.Changes > 0 || j.Always)
	if !isWritten || !j.App.WantsJSON() {
		if err := j.print(); err != nil {
			return err
		}
	}
	if !isWritten {
		return j.endPlan()
	}
	if j.Changes > 0 {
		if err := Confirm(j.App, j.Kind, j.Yes, j.Question); err != nil {
			return err
		}
	}
	err := j.Do()
	if err == nil && j.App.WantsJSON() {
		err = j.print()
	}
	if j.receipt != "" {
		j.App.Hint(failure.Command("clawctl", "undo", j.receipt))
	}
	if err != nil {
		return err
	}
	return j.App.Outcome.Err()
}

func (j *Job) print() error {
	if j.Print == nil {
		return nil
	}
	return j.Print()
}

// endPlan ends a run that changes nothing.
func (j *Job) endPlan() error {
	if j.Words != "" {
		j.App.Note("%s", j.Words)
	}
	switch {
	case j.Changes > 0 && j.Hint != "":
		j.App.Hint(j.Hint)
	case j.Changes > 0:
		j.App.Hint(WriteCommand(j.App))
	}
	if j.Found {
		j.App.Outcome.Take(failure.ExitFindings, true)
	}
	return j.App.Outcome.Err()
}

// Each carries out the parts of a plan, in order. One that fails does not stop the others.
func (j *Job) Each(parts int, do func(i int) error) error {
	for i := range parts {
		if j.App.Ctx.Err() != nil {
			return cli.Interrupted(j.App)
		}
		j.App.Blame(do(i))
	}
	return nil
}

// Keep remembers the run of a receipt, if there is one, by which all of the run can be undone.
func (j *Job) Keep(r *change.Receipt) {
	if r != nil {
		j.receipt = r.Run
	}
}
