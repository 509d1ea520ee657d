package main

import (
	"os"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/openfile"
	"clawctl/internal/reading"
	"clawctl/internal/writing"
	"clawctl/pkg/report/doctor"
	"clawctl/pkg/source"
	"clawctl/pkg/source/openclaw"
)

func newDoctorCommand() *cli.Command {
	o := &doctorOptions{}
	c := &cli.Command{
		Operands: "[STATE]",
		About: "Looks at a state folder and prints a line for each check that found something: a mark, a sentence, and a " +
			"command that helps. · is worth knowing, ! needs a look, ✗ cannot be read. --all also prints what is good, with " +
			"✓. Without STATE it looks at your state folder. Nothing is changed.\n\n" +
			"The checks: how the history is stored and what the gateway uses; which files have records that are in no " +
			"database, clawctl's store included; when that store was last updated; history that OpenClaw keeps outside of " +
			"sessions; which other programs did the work of sessions, and whether their files are there (--harness reads " +
			"them); which of the sessions used last cannot be continued; damaged transcripts, databases and indexes; " +
			"locks, changes and migrations that were left over; what could not be read; the space on disk, and how much of " +
			"it can be freed.\n\n" +
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
		Paged:   true,
		Flags:   o.flags,
		Formats: []string{"text", "json"},
	}
	c.Run = func(a *cli.App, operands []string) error { return o.run(a, c, operands) }
	return c
}

// doctorOptions are the flags of doctor.
type doctorOptions struct {
	harness   cli.HarnessOption
	deep, all bool
	jobs      int
}

func (o *doctorOptions) flags() []cli.Flag {
	return []cli.Flag{
		cli.SwitchFlag(&o.deep, "deep", "read everything"),
		cli.SwitchFlag(&o.all, "all", "print every check, also those that found nothing"),
		o.harness.Flag(),
		cli.JobsFlag(&o.jobs, "how many transcripts to read at a time"),
	}
}

func (o *doctorOptions) run(a *cli.App, c *cli.Command, operands []string) error {
	state, others := a.StateDir()
	if err := checkOperands(a, c, operands, state); err != nil {
		return err
	}
	folder, isDefault := state.Path, true
	if len(operands) > 0 {
		folder, isDefault, others = operands[0], openfile.IsSame(operands[0], state.Path), nil
	}
	place, report, err := reading.Examine(a, folder,
		doctor.Home{Others: others, Unsettled: writing.Unsettled(a, folder), Created: writing.Created(a, folder),
			Trashed: writing.Trashed(a, folder)},
		doctor.Options{Deep: o.deep, Jobs: o.jobs, IsDefault: isDefault}, o.harness)
	if err != nil {
		return err
	}
	if a.JSON {
		err = a.Print(cli.JSONLine(report.Object(place.Path, o.deep)))
	} else {
		shown := report.Notable()
		if o.all {
			shown = report.Checks
		}
		err = a.PrintStyled(doctor.Text(a.Output.Term, place, shown) + report.Words(len(shown)) + "\n")
	}
	if err != nil {
		return err
	}
	if !report.OK() {
		return failure.Findings
	}
	return nil
}

// checkOperands refuses what is not one folder. Without an operand, the user's state folder must exist.
func checkOperands(a *cli.App, c *cli.Command, operands []string, state openclaw.StateDir) error {
	switch {
	case len(operands) > 1:
		return c.Usage("doctor takes one STATE, got %q", operands[1])
	case len(operands) == 0 && !state.Exists:
		return a.NoStateDir()
	case len(operands) == 0:
		return nil
	}
	info, err := os.Stat(operands[0])
	if err != nil {
		return a.MissingPath(operands[0], err, "clawctl env")
	}
	if !info.IsDir() {
		hint := a.ListCommand()
		if source.File(operands[0]).IsTranscript() {
			hint = failure.Command("clawctl", "validate", operands[0])
		}
		return failure.Usage(hint, "STATE must be a folder, got %s", operands[0])
	}
	return nil
}
