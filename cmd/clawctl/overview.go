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
		about:    "Says in a few lines which sessions this machine has, how they are stored, what looks wrong about that, what to run next, and how many files hold records that are in no database: see clawctl verify.",
		examples: []string{"clawctl", "clawctl overview"},
		exits:    []int{exitOK, exitUsage},
		operands: []string{},
		run:      runOverview,
	}
}

func runOverview(a *app, ctx *cli.Context) error {
	if err := noOperands(ctx); err != nil {
		return err
	}
	home, _ := os.UserHomeDir() // without one, a variable may still name the folder
	state, others := source.FindStateDir(os.Getenv, home)
	if !state.Exists {
		text := fmt.Sprintf("No state folder of OpenClaw at %s (%s).\n", state.Path, state.From)
		return a.print(escapeControls(text) + otherLines(others) + "\n" + overviewHelp())
	}
	place, err := source.Find(a.ctx, state.Path, source.Options{Fast: true})
	if err != nil {
		return inputError(state.Path, err)
	}
	a.keep(place)
	return a.print(escapeControls(describePlace(place) + otherLines(others) + a.nowhereElse(place)))
}

// quickRead is how much a summary may read.
const quickRead = 256 << 20

// nowhereElse counts the files whose records are in no database: neither clawctl's store nor, without one, OpenClaw's.
func (a *app) nowhereElse(place *source.Place) string {
	var files []*source.Session
	var size int64
	for _, s := range place.Sessions {
		if !s.InDatabase {
			files = append(files, s)
			size += s.Bytes
		}
	}
	if len(files) == 0 {
		return ""
	}
	target, _, err := a.verifyTarget("", place.Path)
	var f *failure
	switch {
	case errors.As(err, &f) && f.exit != exitNothing:
		return fmt.Sprintf("The database cannot be compared with: %s\n", f.Error())
	case err != nil:
		return fmt.Sprintf("%s in no database: clawctl import\n", areOrIs(len(files), "file"))
	case size > quickRead:
		return fmt.Sprintf("Is each of the %s in a database? clawctl verify\n", count(len(files), "file"))
	}
	proofs, err := a.verify(files, target, 0)
	if err != nil {
		return ""
	}
	only := 0
	for i := range proofs {
		if !proofs[i].Safe() {
			only++
		}
	}
	if only == 0 {
		return fmt.Sprintf("Every record of %s is in a database: clawctl verify\n", count(len(files), "file"))
	}
	return fmt.Sprintf("%s records found nowhere else: clawctl verify --only problems\n", holds(only, "file"))
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

// describePlace sums a place up.
func describePlace(p *source.Place) string {
	var b strings.Builder
	kinds, agents := map[source.Kind]int{}, map[string]bool{}
	var size int64
	unlisted, inDatabase := 0, 0
	for _, s := range p.Sessions {
		kinds[s.Kind]++
		agents[s.Agent] = true
		size += s.Bytes
		if s.InDatabase {
			inDatabase++
		}
		for _, problem := range s.Problems {
			if problem.Code == source.Unlisted {
				unlisted++
			}
		}
	}
	if len(p.Sessions) == 0 {
		fmt.Fprintf(&b, "%s: no transcripts\n", p.Path)
		return b.String() + problemLines(p) + overviewHelp()
	}
	fmt.Fprintf(&b, "%s: %s of %s, %s\n", p.Path, count(len(p.Sessions), "transcript"), count(len(agents), "agent"), byteSize(size))
	fmt.Fprintf(&b, "  %s\n", kindCounts(kinds))
	fmt.Fprintf(&b, "  stored in %s\n", era(p, inDatabase))
	if unlisted > 0 {
		fmt.Fprintf(&b, "  %s not listed in any sessions.json: OpenClaw does not see them\n", areOrIs(unlisted, "live transcript"))
	}
	b.WriteString(problemLines(p))
	b.WriteString("Next:  clawctl sessions\n")
	return b.String()
}

// problemLines counts what is wrong with a place.
func problemLines(p *source.Place) string {
	var b strings.Builder
	problems := map[source.Code]int{}
	for _, problem := range p.Problems {
		problems[problem.Code]++
	}
	for _, code := range source.Codes {
		if n := problems[code]; n > 0 {
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
func era(p *source.Place, inDatabase int) string {
	switch {
	case len(p.Databases) == 0:
		return "JSONL files, as OpenClaw wrote them until 2026.6"
	case inDatabase == len(p.Sessions):
		return count(len(p.Databases), "SQLite database")
	}
	return fmt.Sprintf("%s (%s) and %s", count(len(p.Databases), "SQLite database"), count(inDatabase, "session"), count(len(p.Sessions)-inDatabase, "JSONL file"))
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
