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
	return &cli.Command{
		Paged:   true,
		Options: &doctorOptions{},
		Formats: []string{"text", "json"},
	}
}

// doctorOptions are the flags of doctor.
type doctorOptions struct {
	Deep    bool `flag:"deep: read everything"`
	All     bool `flag:"all: print every check, also those that found nothing"`
	Harness cli.HarnessOption
	Jobs    int `flag:"jobs N: how many transcripts to read at a time" default:"one per core"`
}

// Run runs the command.
func (o *doctorOptions) Run(a *cli.App, operands []string) error {
	state, others := a.StateDir()
	if err := checkOperands(a, operands, state); err != nil {
		return err
	}
	folder, isDefault := state.Path, true
	if len(operands) > 0 {
		folder, isDefault, others = operands[0], openfile.IsSame(operands[0], state.Path), nil
	}
	place, report, err := reading.Examine(a, folder,
		doctor.Home{Others: others, Unsettled: writing.Unsettled(a, folder), Created: writing.Created(a, folder),
			Trashed: writing.Trashed(a, folder)},
		doctor.Options{Deep: o.Deep, Jobs: o.Jobs, IsDefault: isDefault}, o.Harness)
	if err != nil {
		return err
	}
	if a.JSON {
		err = a.PrintJSON(report.Object(place.Path, o.Deep))
	} else {
		shown := report.Notable()
		if o.All {
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
func checkOperands(a *cli.App, operands []string, state openclaw.StateDir) error {
	switch {
	case len(operands) > 1:
		return cli.Usage("doctor takes one STATE, got %q", operands[1])
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
