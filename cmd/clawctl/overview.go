package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"clawctl/pkg/source"

	"github.com/urfave/cli/v2"
)

// overviewCommand is what clawctl does without a command: in a few lines, what was found on this machine, in which form
// it is stored, what looks wrong, what to run next, and how many files hold records that are nowhere else. It reads names
// and registrations; transcripts only for the last, and only where they are few enough to be read at once.
func overviewCommand() *command {
	return &command{
		name: "overview", group: "tool", summary: "what was found on this machine; what clawctl does without a command",
		about:    "Says in a few lines which sessions this machine has, how they are stored, what looks wrong about that, what to run next, and how many files hold records that are in no database: see clawctl verify. --json gives the same as one object; nowhere_else is null where that was not compared.",
		examples: []string{"clawctl", "clawctl overview --json"},
		exits:    []int{exitOK, exitUsage},
		operands: []string{},
		formats:  []string{"text", "json"},
		run:      runOverview,
	}
}

func runOverview(a *app, ctx *cli.Context) error {
	if err := noOperands(ctx); err != nil {
		return err
	}
	home, _ := os.UserHomeDir() // without one, a variable may still name the folder
	state, others := source.FindStateDir(os.Getenv, home)
	o := newOverview(state, others)
	if !state.Exists {
		text := fmt.Sprintf("No state folder of OpenClaw at %s (%s).\n", state.Path, state.From)
		return a.printOverview(o, text+otherLines(others)+"\n"+overviewHelp())
	}
	place, err := source.Find(a.ctx, state.Path, source.Options{Fast: true})
	if err != nil {
		return inputError(state.Path, err)
	}
	a.keep(place)
	o.take(place)
	only, words := a.nowhereElse(place)
	o.NowhereElse = only
	return a.printOverview(o, o.describe()+otherLines(others)+words)
}

func (a *app) printOverview(o *overview, text string) error {
	if a.json {
		return a.print(jsonLine(o))
	}
	return a.print(escapeControls(text))
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
	NowhereElse   *int                `json:"nowhere_else"` // files with records that are in no database; null: not compared
}

// A stateRow is the JSON form of a state folder.
type stateRow struct {
	Path   string `json:"path"`
	From   string `json:"from"`
	Exists bool   `json:"exists"`
}

func newOverview(state source.StateDir, others []source.StateDir) *overview {
	o := &overview{SchemaVersion: 1, State: stateRow(state), OtherStates: []stateRow{}, Kinds: map[source.Kind]int{}, Problems: map[source.Code]int{}}
	for _, dir := range others {
		o.OtherStates = append(o.OtherStates, stateRow(dir))
	}
	return o
}

// take counts what a place holds.
func (o *overview) take(p *source.Place) {
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
		o.Problems[problem.Code]++
	}
}

// quickRead is how much a summary may read.
const quickRead = 256 << 20

// nowhereElse counts the files whose records are in no database: neither clawctl's store nor, without one, OpenClaw's.
// only is nil where they were not compared; words say the same to people.
func (a *app) nowhereElse(place *source.Place) (only *int, words string) {
	var files []*source.Session
	var size int64
	for _, s := range place.Sessions {
		if !s.InDatabase {
			files = append(files, s)
			size += s.Bytes
		}
	}
	if len(files) == 0 {
		return new(0), ""
	}
	target, _, err := a.verifyTarget("", place.Path)
	var f *failure
	switch {
	case errors.As(err, &f) && f.exit != exitNothing:
		return nil, fmt.Sprintf("The database cannot be compared with: %s\n", f.Error())
	case err != nil:
		return new(len(files)), fmt.Sprintf("%s in no database: clawctl import\n", areOrIs(len(files), "file"))
	case size > quickRead:
		return nil, fmt.Sprintf("Is each of the %s in a database? clawctl verify\n", count(len(files), "file"))
	}
	proofs, err := a.verify(files, target, 0)
	if err != nil {
		return nil, ""
	}
	n := 0
	for i := range proofs {
		if !proofs[i].Safe() {
			n++
		}
	}
	if n == 0 {
		return &n, fmt.Sprintf("Every record of %s is in a database: clawctl verify\n", count(len(files), "file"))
	}
	return &n, fmt.Sprintf("%s records found nowhere else: clawctl verify --only problems\n", holds(n, "file"))
}

func holds(n int, noun string) string {
	if n == 1 {
		return count(n, noun) + " holds"
	}
	return count(n, noun) + " hold"
}

func overviewHelp() string {
	return "Look at any transcript, folder or database:  clawctl sessions PATH\nAll commands:                                clawctl help\n"
}

// otherLines name the state folders that are not in force.
func otherLines(others []source.StateDir) string {
	var b strings.Builder
	for _, dir := range others {
		fmt.Fprintf(&b, "There is also %s (%s): clawctl sessions %s\n", dir.Path, dir.From, shellQuote(dir.Path))
	}
	return b.String()
}

// describe sums the state folder up for people.
func (o *overview) describe() string {
	var b strings.Builder
	if o.Transcripts == 0 {
		fmt.Fprintf(&b, "%s: no transcripts\n", o.State.Path)
		return b.String() + o.problemLines() + overviewHelp()
	}
	fmt.Fprintf(&b, "%s: %s of %s, %s\n", o.State.Path, count(o.Transcripts, "transcript"), count(o.Agents, "agent"), byteSize(o.Bytes))
	fmt.Fprintf(&b, "  %s\n", kindCounts(o.Kinds))
	fmt.Fprintf(&b, "  stored in %s\n", o.era())
	if o.Unlisted > 0 {
		fmt.Fprintf(&b, "  %s not listed in any sessions.json: OpenClaw does not see them\n", areOrIs(o.Unlisted, "live transcript"))
	}
	b.WriteString(o.problemLines())
	b.WriteString("Next:  clawctl sessions\n")
	return b.String()
}

// problemLines counts what is wrong with a place.
func (o *overview) problemLines() string {
	var b strings.Builder
	for _, code := range source.Codes {
		if n := o.Problems[code]; n > 0 {
			fmt.Fprintf(&b, "  %d x %s: %s\n", n, code, code.Words())
		}
	}
	return b.String()
}

func kindCounts(kinds map[source.Kind]int) string {
	var parts []string
	for _, kind := range source.Kinds {
		if n := kinds[kind]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, kind))
		}
	}
	return strings.Join(parts, ", ")
}

// era says in which form the sessions are stored.
func (o *overview) era() string {
	switch {
	case o.Databases == 0:
		return "JSONL files, as OpenClaw wrote them until 2026.6"
	case o.InDatabase == o.Transcripts:
		return count(o.Databases, "SQLite database")
	}
	return fmt.Sprintf("%s (%s) and %s", count(o.Databases, "SQLite database"), count(o.InDatabase, "session"), count(o.Transcripts-o.InDatabase, "JSONL file"))
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func areOrIs(n int, noun string) string {
	if n == 1 {
		return count(n, noun) + " is"
	}
	return count(n, noun) + " are"
}
