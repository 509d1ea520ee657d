package main

import (
	"errors"
	"fmt"
	"strings"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/migrate"
	"clawctl/pkg/source"
)

// newOverviewCommand is what clawctl does without a command. It reads names and indexes. It reads transcripts only to
// find out how many files are in no database, and only if they are few enough to be read at once.
func newOverviewCommand() *command {
	c := &command{
		name: "overview", group: "tool", summary: "Show what is on this machine (also: clawctl without a command)",
		about: "Says in a few lines which sessions this machine has, how they are stored, what looks wrong, how many files " +
			"hold records that are in no database, and what to run next. --json prints the same as one object, in which " +
			"nowhere_else is null if nothing was compared.",
		examples: []example{
			{"What is on this machine?", "clawctl"},
			{"Print the same for a program", "clawctl overview --json"},
		},
		exits:   []int{failure.ExitOK, failure.ExitUsage},
		paged:   true,
		offers:  []string{},
		formats: []string{"text", "json"},
	}
	c.run = func(a *app, operands []string) error {
		if err := c.noOperands(operands); err != nil {
			return err
		}
		return runOverview(a)
	}
	return c
}

func runOverview(a *app) error {
	state, others := a.stateDir()
	o := newOverview(state, others)
	if !state.Exists {
		return printOverview(a, o, o.describeNothing())
	}
	place, err := source.Find(a.ctx, state.Path, source.Options{Fast: true, Home: expandHome("~")})
	if err != nil {
		return inputError(state.Path, err)
	}
	a.keep(place)
	o.count(place)
	noteRemarks(a, place.Problems)
	next := o.compareFiles(a, place)
	if a.ctx.Err() != nil {
		return interrupted(a)
	}
	return printOverview(a, o, o.describe(next))
}

// printOverview prints the object, or lines for people that fit the terminal.
func printOverview(a *app, o *overview, lines []string) error {
	if a.json {
		return a.print(jsonLine(o))
	}
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(wrapLine(ui.EscapeLine(line), a.output.term) + "\n")
	}
	return a.print(b.String())
}

// wrapLine keeps the indentation of a line, and indents what follows it by two more.
func wrapLine(line string, term ui.Terminal) string {
	if !term.Is || ui.Width(line) <= term.Columns {
		return line
	}
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	more := indent + "  "
	return indent + strings.TrimPrefix(ui.Wrap(line, term.Columns, more), more)
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
// in OpenClaw's. It returns a line about that for people.
func (o *overview) compareFiles(a *app, place *source.Place) string {
	files, size := filesOf(place)
	if len(files) == 0 {
		o.NowhereElse = new(0)
		return ""
	}
	target, _, err := openTarget(a, "", place.Path)
	var f *failure.Error
	switch {
	case errors.As(err, &f) && f.Status() != failure.ExitNothing:
		return "Cannot compare the files with a database: " + f.Error()
	case err != nil:
		o.NowhereElse = new(len(files))
		return ui.Are(len(files), "file") + " not in a database yet. To import: clawctl import"
	case size > quickRead:
		return "To check that " + ui.Are(len(files), "file") + " in a database: clawctl verify"
	}
	proofs, err := compareWith(a, files, target, 0, nil)
	if err != nil {
		return ""
	}
	only := 0
	for i := range proofs {
		if !proofs[i].Complete() {
			only++
		}
	}
	o.NowhereElse = &only
	return onlyInFiles(only, len(files), target.Kind)
}

// onlyInFiles says how many of the files have records that a target lacks.
func onlyInFiles(only, files int, target migrate.TargetKind) string {
	where := "OpenClaw's databases"
	if target == migrate.ClawctlStore {
		where = "clawctl's store"
	}
	switch only {
	case 0:
		return "Every record of " + ui.Count(files, "file") + " is in " + where + ". Details: clawctl verify"
	case 1:
		return "1 file has records that are not in " + where + ": clawctl verify --only problems"
	}
	return ui.Count(only, "file") + " have records that are not in " + where + ": clawctl verify --only problems"
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

// describeNothing is for people without a state folder.
func (o *overview) describeNothing() []string {
	lines := []string{fmt.Sprintf("No OpenClaw state folder at %s (%s).", o.State.Path, o.State.From)}
	return append(append(lines, o.otherLines()...), overviewHelp...)
}

// overviewHelp says where to go if there is nothing to show.
var overviewHelp = []string{
	"To look at a transcript, folder or database: clawctl sessions PATH",
	"All commands: clawctl help",
}

// describe sums the state folder up for people; about is a line about the files.
func (o *overview) describe(about string) []string {
	if o.Transcripts == 0 {
		lines := append([]string{o.State.Path + ": no transcripts"}, o.problemLines()...)
		return append(append(lines, o.otherLines()...), overviewHelp...)
	}
	lines := []string{
		fmt.Sprintf("%s: %s of %s, %s",
			o.State.Path, ui.Count(o.Transcripts, "transcript"), ui.Count(o.Agents, "agent"), ui.Bytes(o.Bytes)),
		"  " + kindCounts(o.Kinds),
		"  stored in " + o.storage(),
	}
	if o.Unlisted > 0 {
		lines = append(lines, "  "+ui.Are(o.Unlisted, "live transcript")+" not in sessions.json, so OpenClaw does not see "+
			map[bool]string{true: "it", false: "them"}[o.Unlisted == 1])
	}
	lines = append(append(lines, o.problemLines()...), o.otherLines()...)
	if about != "" {
		lines = append(lines, about)
	}
	return append(lines, "To list the sessions: clawctl sessions")
}

// problemLines counts what is wrong with a place.
func (o *overview) problemLines() (lines []string) {
	for _, code := range source.Codes {
		if n := o.Problems[code]; n > 0 {
			lines = append(lines, fmt.Sprintf("  %s: %s (%s)", ui.Count(n, "problem"), code.Words(), code))
		}
	}
	return lines
}

// otherLines name the state folders that are not in use.
func (o *overview) otherLines() (lines []string) {
	for _, dir := range o.OtherStates {
		lines = append(lines, fmt.Sprintf("Also found: %s (%s). To list its sessions: %s",
			dir.Path, dir.From, failure.Command("clawctl", "sessions", dir.Path)))
	}
	return lines
}

// storage says how the sessions are stored.
func (o *overview) storage() string {
	databases := ui.Count(o.Databases, "SQLite database")
	switch {
	case o.Databases == 0:
		return "JSONL files"
	case o.InDatabase == o.Transcripts:
		return databases
	}
	return fmt.Sprintf("%s (%s) and %s",
		databases, ui.Count(o.InDatabase, "session"), ui.Count(o.Transcripts-o.InDatabase, "JSONL file"))
}
