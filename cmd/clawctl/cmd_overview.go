package main

import (
	"errors"
	"fmt"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/internal/writing"
	"clawctl/pkg/migrate"
	"clawctl/pkg/report/doctor"
	"clawctl/pkg/source"
)

// newOverviewCommand is what clawctl does without a command. It is not listed: for people it prints what doctor finds,
// in short, and for programs one object.
func newOverviewCommand() *cli.Command {
	return &cli.Command{
		Paged:   true,
		Formats: []string{"text", "json"},
		Run: func(a *cli.App, _ []string) error {
			if a.JSON {
				return printOverview(a)
			}
			return printShortCheckup(a)
		},
	}
}

// printShortCheckup prints what doctor would say, without what is well.
func printShortCheckup(a *cli.App) error {
	state, others := a.StateDir()
	if !state.Exists {
		text := fmt.Sprintf("No OpenClaw state folder at %s (%s).\n", state.Path, state.From)
		for _, dir := range others {
			text += fmt.Sprintf("Also found: %s (%s). To check it: %s\n",
				dir.Path, dir.From, failure.Command("clawctl", "doctor", dir.Path))
		}
		return a.Print(text + overviewHelp)
	}
	place, report, err := reading.Examine(a, state.Path,
		doctor.Home{
			Others: others, Unsettled: writing.Unsettled(a, state.Path), Created: writing.Created(a, state.Path),
		}, doctor.Options{IsDefault: true}, cli.HarnessOption{})
	if err != nil {
		return err
	}
	text := doctor.Text(a.Output.Term, place, report.Notable())
	next := "All checks: clawctl doctor\nTo list the sessions: clawctl sessions\n"
	if len(place.Sessions) == 0 {
		next = overviewHelp
	}
	return a.PrintStyled(text + next)
}

// overviewHelp says where to go if there is nothing to show.
const overviewHelp = "To look at a transcript, folder or database: clawctl sessions PATH\nAll commands: clawctl help\n"

// printOverview prints the object.
func printOverview(a *cli.App) error {
	state, others := a.StateDir()
	o := doctor.NewOverview(state, others)
	if !state.Exists {
		return a.PrintJSON(o)
	}
	place, err := source.Find(a.Ctx, state.Path, source.Options{Fast: true, Home: cli.ExpandHome("~")})
	if err != nil {
		return cli.InputError(state.Path, err)
	}
	a.Keep(place)
	o.Count(place)
	cli.NoteRemarks(a, place.Problems)
	o.NowhereElse = compareFiles(a, place)
	if a.Ctx.Err() != nil {
		return cli.Interrupted(a)
	}
	return a.PrintJSON(o)
}

// quickRead is how many bytes an overview may read.
const quickRead = 256 << 20

// compareFiles counts the files with records that are in no database: neither in clawctl's store nor, if there is none,
// in OpenClaw's. It returns nil if they were not compared.
func compareFiles(a *cli.App, place *source.Listing) *int {
	files := doctor.FilesOf(place)
	if len(files) == 0 {
		return new(0)
	}
	target, _, err := reading.OpenTarget(a, "", place.Path)
	var f *failure.Error
	switch {
	case errors.As(err, &f) && f.Status() != failure.ExitNothing:
		return nil
	case err != nil:
		return new(len(files))
	case source.TotalBytes(files) > quickRead:
		return nil
	}
	proofs, err := reading.CompareWith(a, files, target, 0, nil)
	if err != nil {
		return nil
	}
	sums := migrate.SumProofs(proofs, target.Path)
	return new(sums.Incomplete())
}
