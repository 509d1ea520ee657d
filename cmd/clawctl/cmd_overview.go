package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/pkg/doctor"
	"clawctl/pkg/source"
)

// newOverviewCommand is what clawctl does without a command. It is not listed: for people it prints what doctor finds,
// in short, and for programs one object.
func newOverviewCommand() *cli.Command {
	c := &cli.Command{
		Name: "overview", Summary: "Show what is on this machine (clawctl without a command)",
		Exits:   []int{failure.ExitOK, failure.ExitUsage},
		Paged:   true,
		Offers:  []string{},
		Formats: []string{"text", "json"},
	}
	c.Run = func(a *cli.App, operands []string) error {
		if err := c.NoOperands(operands); err != nil {
			return err
		}
		if a.JSON {
			return printOverview(a)
		}
		return printShortCheckup(a)
	}
	return c
}

// printShortCheckup prints what doctor would say, without what is well.
func printShortCheckup(a *cli.App) error {
	state, others := a.StateDir()
	if !state.Exists {
		return a.Print(strings.Join(describeNothing(state, others), "\n") + "\n")
	}
	place, report, err := checkup{state: state.Path, isDefault: true, others: others}.run(a)
	if err != nil {
		return err
	}
	notable := slices.DeleteFunc(slices.Clone(report.Checks), func(r doctor.Result) bool { return r.Status == doctor.OK })
	text := checkupText(a.Output.Term, place, notable)
	next := []string{"All checks: clawctl doctor", "To list the sessions: clawctl sessions"}
	if len(place.Sessions) == 0 {
		next = overviewHelp
	}
	return a.PrintStyled(text + strings.Join(next, "\n") + "\n")
}

// describeNothing is for people without a state folder.
func describeNothing(state source.StateDir, others []source.StateDir) []string {
	lines := []string{fmt.Sprintf("No OpenClaw state folder at %s (%s).", state.Path, state.From)}
	for _, dir := range others {
		lines = append(lines, fmt.Sprintf("Also found: %s (%s). To check it: %s",
			dir.Path, dir.From, failure.Command("clawctl", "doctor", dir.Path)))
	}
	return append(lines, overviewHelp...)
}

// overviewHelp says where to go if there is nothing to show.
var overviewHelp = []string{
	"To look at a transcript, folder or database: clawctl sessions PATH",
	"All commands: clawctl help",
}

// printOverview prints the object.
func printOverview(a *cli.App) error {
	state, others := a.StateDir()
	o := newOverview(state, others)
	if !state.Exists {
		return a.Print(cli.JSONLine(o))
	}
	place, err := source.Find(a.Ctx, state.Path, source.Options{Fast: true, Home: cli.ExpandHome("~")})
	if err != nil {
		return cli.InputError(state.Path, err)
	}
	a.Keep(place)
	o.count(place)
	cli.NoteRemarks(a, place.Problems)
	o.compareFiles(a, place)
	if a.Ctx.Err() != nil {
		return cli.Interrupted(a)
	}
	return a.Print(cli.JSONLine(o))
}

// An overview is what was found on this machine, in JSON.
type overview struct {
	SchemaVersion int                 `json:"schema_version"`
	State         stateRow            `json:"state"`
	OtherStates   []stateRow          `json:"other_states"`
	Transcripts   int                 `json:"transcripts"`
	Agents        int                 `json:"agents"`
	Bytes         int64               `json:"bytes"`
	Kinds         map[source.Kind]int `json:"kinds"`
	Databases     int                 `json:"databases"`
	InDatabase    int                 `json:"in_database"`
	Unlisted      int                 `json:"unlisted"`
	Problems      map[source.Code]int `json:"problems"`
	NowhereElse   *int                `json:"nowhere_else"` // files with records in no database; null: not compared
}

// A stateRow is the JSON form of a state folder.
type stateRow struct {
	Path   string `json:"path"`
	From   string `json:"from"`
	Exists bool   `json:"exists"`
}

func newOverview(state source.StateDir, others []source.StateDir) *overview {
	o := &overview{
		SchemaVersion: 1, State: stateRow(state), OtherStates: []stateRow{},
		Kinds: map[source.Kind]int{}, Problems: map[source.Code]int{},
	}
	for _, dir := range others {
		o.OtherStates = append(o.OtherStates, stateRow(dir))
	}
	return o
}

// count counts what a place holds.
func (o *overview) count(p *source.Place) {
	agents := map[string]bool{}
	for _, s := range p.Sessions {
		o.Kinds[s.Kind]++
		agents[s.Agent] = true
		o.Bytes += s.Bytes
		if s.InDatabase {
			o.InDatabase++
		}
		for _, problem := range s.Problems {
			if problem.Code == source.Unlisted {
				o.Unlisted++
			}
		}
	}
	o.Transcripts, o.Agents, o.Databases = len(p.Sessions), len(agents), len(p.Databases)
	for _, problem := range p.Problems {
		o.Problems[problem.Code] += 1 + problem.More
	}
}

// quickRead is how many bytes an overview may read.
const quickRead = 256 << 20

// compareFiles counts the files with records that are in no database: neither in clawctl's store nor, if there is none,
// in OpenClaw's.
func (o *overview) compareFiles(a *cli.App, place *source.Place) {
	files, size := filesOf(place)
	if len(files) == 0 {
		o.NowhereElse = new(0)
		return
	}
	target, _, err := reading.OpenTarget(a, "", place.Path)
	var f *failure.Error
	switch {
	case errors.As(err, &f) && f.Status() != failure.ExitNothing:
		return
	case err != nil:
		o.NowhereElse = new(len(files))
		return
	case size > quickRead:
		return
	}
	proofs, err := reading.CompareWith(a, files, target, 0, nil)
	if err != nil {
		return
	}
	only := 0
	for i := range proofs {
		if !proofs[i].Complete() {
			only++
		}
	}
	o.NowhereElse = &only
}

// filesOf returns the sessions of a place that are files, and their size.
func filesOf(place *source.Place) (files []*source.Session, size int64) {
	for _, s := range place.Sessions {
		if !s.InDatabase {
			files = append(files, s)
			size += s.Bytes
		}
	}
	return files, size
}
