package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/dbfile"
	"clawctl/pkg/doctor"
	"clawctl/pkg/du"
	"clawctl/pkg/source"
)

// A checkup is one look at a state folder, for doctor and for clawctl without a command.
type checkup struct {
	state     string
	isDefault bool // commands find the folder by themselves
	others    []source.StateDir
	deep      bool
	jobs      int
}

// run looks at the folder. Its place stays open until the run ends.
func (c checkup) run(a *cli.App) (*source.Place, *doctor.Report, error) {
	home := doctor.Home{Listing: du.List(c.state), Others: c.others, Unsettled: writing.Unsettled(a, c.state)}
	find := source.Options{Fast: true, Home: cli.ExpandHome("~")}
	if !c.deep {
		find.MeasureUpTo = doctor.MeasureUpTo
	}
	var err error
	if home.Place, err = source.Find(a.Ctx, c.state, find); err != nil {
		return nil, nil, cli.InputError(c.state, err)
	}
	a.Keep(home.Place)
	if len(cli.Unrecognized(home.Place)) > 0 {
		a.WatchSkipped(home.Place)
	}
	c.openStore(a, &home)
	opts := doctor.Options{
		Now: a.Now(), Deep: c.deep, Jobs: c.jobs, IsDefault: c.isDefault,
		Reading: func(task string, sessions []*source.Session) { cli.WatchReading(a, task, sessions) },
	}
	report, err := doctor.Examine(a.Ctx, home, opts)
	a.Progress.End()
	if err != nil {
		return nil, nil, cli.Interrupted(a)
	}
	return home.Place, report, nil
}

// openStore opens clawctl's store. Without it, everything else can still be looked at.
func (c checkup) openStore(a *cli.App, home *doctor.Home) {
	own, err := a.StorePath("")
	if err != nil {
		home.StoreErr = err
		return
	}
	home.StorePath = own.Value
	if _, err := os.Stat(own.Value); errors.Is(err, fs.ErrNotExist) {
		return
	}
	place, err := openOwnStore(a, own.Value)
	if err != nil {
		home.StoreErr = err
		return
	}
	a.Keep(place)
	home.Store = place
}

// openOwnStore opens a file that must be a clawctl store.
func openOwnStore(a *cli.App, path string) (*source.Place, error) {
	if !dbfile.Is(path) {
		return nil, dbfile.ErrForeign
	}
	place, err := source.FindDatabase(a.Ctx, path, source.Options{Fast: true})
	if err == nil && place.Store() == nil {
		place.Close()
		return nil, dbfile.ErrForeign
	}
	return place, err
}

// checkMarks say how a check went, each in its style.
var checkMarks = map[doctor.Status]struct {
	mark  string
	style ui.Style
}{
	doctor.OK: {"✓", ui.Good}, doctor.Info: {"·", ui.Dim}, doctor.Warn: {"!", ui.Warning}, doctor.Error: {"✗", ui.Error},
}

// checkLine is the line of a check: a mark, a sentence, and a command, which has a line of its own if it does not fit.
func checkLine(term ui.Terminal, r doctor.Result) string {
	const indent, arrow = "  ", "→ "
	message, command := ui.EscapeLine(r.Message), ui.EscapeLine(r.Command)
	mark := checkMarks[r.Status]
	line := term.Paint(mark.style, mark.mark) + " "
	help := term.Paint(ui.Dim, arrow) + term.Paint(ui.Hint, command)
	if !term.Is || ui.Width(indent+message+"  "+arrow+command) <= term.Columns {
		return line + message + "  " + help + "\n"
	}
	wrapped := strings.TrimPrefix(ui.Wrap(message, term.Columns, indent), indent)
	return line + wrapped + "\n" + indent + help + "\n"
}

// checkupText is a line about a place, and one for every check.
func checkupText(term ui.Terminal, place *source.Place, results []doctor.Result) string {
	var b strings.Builder
	b.WriteString(cli.Labelled(term, "", ui.EscapeLine(describePlace(place))) + "\n")
	for _, r := range results {
		b.WriteString(checkLine(term, r))
	}
	return b.String()
}

// describePlace sums up in a line what a place has.
func describePlace(place *source.Place) string {
	agents, kinds := map[string]bool{}, map[source.Kind]int{}
	for _, s := range place.Sessions {
		agents[s.Agent] = true
		kinds[s.Kind]++
	}
	if len(place.Sessions) == 0 {
		return place.Path + ": no transcripts"
	}
	return fmt.Sprintf("%s: %s of %s (%s)", place.Path, ui.Count(len(place.Sessions), "transcript"),
		ui.Count(len(agents), "agent"), source.KindCounts(kinds))
}

// notFolder is the failure of a STATE that is not a folder.
func notFolder(path string) error {
	return failure.Usage(failure.Command("clawctl", "validate", path), "STATE must be a folder, got %s", path)
}
