package main

import (
	"fmt"
	"os"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/pkg/doctor"
)

func newDoctorCommand() *cli.Command {
	o := &doctorOptions{}
	c := &cli.Command{
		Name: "doctor", Group: "check", Operands: "[STATE]", Summary: "Check on one screen whether your history is safe",
		About: "Looks at a state folder and prints a line per check: a mark, a sentence, and a command that helps. " +
			"✓ is good, · is worth knowing, ! needs a look, ✗ cannot be read. Without STATE it looks at your state folder. " +
			"Nothing is changed.\n\n" +
			"The checks: how the history is stored and what the gateway uses; which files have records that are in no " +
			"database, clawctl's store included; when that store was last updated; which of the sessions used last would be " +
			"refused by OpenClaw or the API as they are; damaged transcripts, databases and indexes; locks and migrations " +
			"that were left over; what could not be read; and the space on disk.\n\n" +
			"It takes about a second, because it looks at names, indexes and databases. Of transcripts it reads the ends of " +
			"live files, the 10 sessions used last, and files that differ from what a database has, up to 24 MiB each time. " +
			"--deep reads everything. It also compares OpenClaw's databases with clawctl's store record by record, checks " +
			"every line and every database, and looks for keys and passwords in clear text.",
		Examples: []cli.Example{
			{"Is my history safe?", "clawctl doctor"},
			{"Read everything, also in a backup", "clawctl doctor --deep /backup/openclaw"},
			{"Print what needs a look, for a script",
				`clawctl doctor --json | jq -r '.checks[] | select(.status=="warn" or .status=="error") | .message'`},
		},
		Exits: []int{
			failure.ExitOK, failure.ExitFindings, failure.ExitUsage, failure.ExitNothing, failure.ExitInterrupted,
		},
		Outcomes: map[int]string{
			failure.ExitOK: "healthy", failure.ExitFindings: "something needs a look", failure.ExitNothing: "no such folder",
		},
		Paged: true,
		Flags: []cli.Flag{
			cli.SwitchFlag(&o.deep, "deep", "read everything"),
			cli.JobsFlag(&o.jobs, "how many transcripts to read at a time"),
		},
		Formats: []string{"text", "json"},
	}
	c.Run = func(a *cli.App, operands []string) error { return o.run(a, c, operands) }
	return c
}

// doctorOptions are the flags of doctor.
type doctorOptions struct {
	deep bool
	jobs int
}

func (o *doctorOptions) run(a *cli.App, c *cli.Command, operands []string) error {
	check, err := o.checkup(a, c, operands)
	if err != nil {
		return err
	}
	place, report, err := check.run(a)
	if err != nil {
		return err
	}
	if a.JSON {
		err = a.Print(cli.JSONLine(newDoctorObject(place.Path, o.deep, report)))
	} else {
		err = a.PrintStyled(checkupText(a.Output.Term, place, report.Checks) + describeReport(report) + "\n")
	}
	if err == nil && !report.OK() {
		err = failure.Findings
	}
	return err
}

// checkup says what to look at: the folder that was named, or the user's.
func (o *doctorOptions) checkup(a *cli.App, c *cli.Command, operands []string) (check checkup, err error) {
	state, others := a.StateDir()
	check = checkup{state: state.Path, isDefault: true, others: others, deep: o.deep, jobs: o.jobs}
	switch {
	case len(operands) > 1:
		return check, c.Usage("doctor takes one STATE, got %q", operands[1])
	case len(operands) == 0 && !state.Exists:
		return check, a.NoStateDir()
	case len(operands) == 0:
		return check, nil
	}
	info, err := os.Stat(operands[0])
	if err != nil {
		return check, a.MissingPath(operands[0], err, "clawctl env")
	}
	if !info.IsDir() {
		return check, notFolder(operands[0])
	}
	check.state, check.isDefault, check.others = operands[0], cli.IsSameFile(operands[0], state.Path), nil
	return check, nil
}

// A doctorObject is the JSON form of a report.
type doctorObject struct {
	SchemaVersion int             `json:"schema_version"`
	OK            bool            `json:"ok"`
	State         string          `json:"state"`
	Deep          bool            `json:"deep"`
	Checks        []doctor.Result `json:"checks"`
	OnlyInFiles   *int            `json:"only_in_files"` // null: not known without --deep
}

func newDoctorObject(state string, deep bool, r *doctor.Report) doctorObject {
	return doctorObject{1, r.OK(), state, deep, r.Checks, r.OnlyInFiles}
}

// describeReport is the last line.
func describeReport(r *doctor.Report) string {
	n := 0
	for _, c := range r.Checks {
		if c.Status.NeedsLook() {
			n++
		}
	}
	switch n {
	case 0:
		return fmt.Sprintf("%d checks, and nothing needs a look.", len(r.Checks))
	case 1:
		return fmt.Sprintf("1 of %d checks needs a look.", len(r.Checks))
	}
	return fmt.Sprintf("%d of %d checks need a look.", n, len(r.Checks))
}
