package main

// What a SOURCE argument may be:
//
//   - a FILE of any dialect, suffix or compression; `-` for stdin; a DIR: a state folder or any part of it, a workspace
//     of claw0, any folder with transcripts; a database of OpenClaw's; PLACE#SESSION for one session of a place, by key,
//     id, or the beginning of one. A path that exists wins over `#`.
//   - Without an argument the user's state folder is meant, except where a command reads stdin.
//   - --session, --agent and --kind narrow what is found in a DIR or a database; a FILE is never filtered.

import (
	"errors"
	"os"
	"slices"
	"strings"

	"clawctl/pkg/dbfile"
	"clawctl/pkg/source"

	"github.com/urfave/cli/v2"
)

// sourceFlags narrow the sessions of a place.
func sourceFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "session", Usage: "only the session with this `KEY` or id, or the beginning of one"},
		&cli.StringSliceFlag{Name: "agent", Usage: "only sessions of this `AGENT`; may be repeated"},
		&cli.StringSliceFlag{Name: "kind", Usage: "only this `KIND`: " + kindNames() + "; repeat it or separate with commas"},
	}
}

func kindNames() string {
	names := make([]string, len(source.Kinds))
	for i, k := range source.Kinds {
		names[i] = string(k)
	}
	return strings.Join(names, ", ")
}

// found is what the arguments of a command lead to.
type found struct {
	sessions []*source.Session
	places   []*source.Place
	named    bool                     // one session was asked for by name
	given    map[*source.Session]bool // the files and streams that arguments name, unlike what was found in a place
}

func newFound() *found { return &found{given: map[*source.Session]bool{}} }

// find resolves the arguments. Places stay open until the run ends.
func (a *app) find(ctx *cli.Context, args []string, defaults []source.Kind, fast bool) (*found, error) {
	filter, err := sourceFilter(ctx)
	if err != nil {
		return nil, err
	}
	f := newFound()
	for _, arg := range args {
		if err := a.findOne(f, arg, filter, defaults, fast); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func sourceFilter(ctx *cli.Context) (source.Filter, error) {
	f := source.Filter{Session: ctx.String("session"), Agents: ctx.StringSlice("agent")}
	for _, list := range ctx.StringSlice("kind") {
		for _, name := range strings.Split(list, ",") {
			if !slices.Contains(source.Kinds, source.Kind(name)) {
				return f, usageError("clawctl help "+ctx.Command.Name, "--kind is one of %s, not %q", kindNames(), name)
			}
			f.Kinds = append(f.Kinds, source.Kind(name))
		}
	}
	return f, nil
}

func (a *app) findOne(f *found, arg string, filter source.Filter, defaults []source.Kind, fast bool) error {
	if arg == "-" {
		f.give(source.Stream(a.stdin, stdinName))
		return nil
	}
	path, name, info, err := splitPlace(arg)
	if errors.As(err, new(*failure)) {
		return err
	}
	if err != nil {
		return inputError(arg, err)
	}
	if name != "" {
		filter.Session = name
	}
	f.named = filter.Session != ""
	var place *source.Place
	switch opts := (source.Options{Fast: fast || filter.Session != ""}); {
	case info.IsDir():
		place, err = source.Find(a.ctx, path, opts)
	case info.Mode().IsRegular() && dbfile.Is(path):
		place, err = source.FindDatabase(a.ctx, path, opts)
	default:
		s := source.File(path)
		if name != "" && !s.MatchesName(name) {
			return noSession(path, name)
		}
		f.give(s)
		return nil
	}
	if err != nil {
		return inputError(path, err)
	}
	a.keep(place)
	f.places = append(f.places, place)
	selected, err := source.Select(place.Sessions, filter, defaults)
	if err != nil {
		return usageError("clawctl sessions "+shellQuote(path), "%v", err)
	}
	if len(selected) == 0 {
		return nothing(place, filter)
	}
	f.sessions = append(f.sessions, selected...)
	return nil
}

// give adds what an argument names itself.
func (f *found) give(s *source.Session) {
	f.sessions = append(f.sessions, s)
	f.given[s] = true
}

// spool makes sure that every session can be read as often as it takes: what comes through a pipe is kept in a private
// file for this run.
func (a *app) spool(sessions []*source.Session) error {
	for _, s := range sessions {
		if s.CanReopen() {
			continue
		}
		remove, err := s.Spool()
		if err != nil {
			return inputError(s.Path, err)
		}
		a.cleanup = append(a.cleanup, remove)
	}
	return nil
}

// splitPlace takes PLACE#SESSION apart. A path that exists wins, then the longest place that exists.
func splitPlace(arg string) (path, name string, info os.FileInfo, err error) {
	if info, err = os.Stat(arg); err == nil {
		return arg, "", info, nil
	}
	for at := len(arg) - 1; at > 0; at-- {
		if arg[at] != '#' {
			continue
		}
		if placeInfo, placeErr := os.Stat(arg[:at]); placeErr == nil {
			if at == len(arg)-1 {
				return "", "", nil, usageError("clawctl sessions "+shellQuote(arg[:at]), "%s names no session behind #", arg)
			}
			return arg[:at], arg[at+1:], placeInfo, nil
		}
	}
	return arg, "", nil, err
}

func noSession(path, name string) error {
	return &failure{exit: exitNothing, code: codeNothing, path: path, text: "no session " + name, hint: "clawctl sessions " + shellQuote(path)}
}

// nothing is the error for a place in which nothing was found: what cannot be read there, or what was asked for.
func nothing(place *source.Place, filter source.Filter) error {
	for _, problem := range place.Problems {
		if f := problemFailure(problem); f != nil {
			return f
		}
	}
	switch {
	case filter.Session != "":
		return noSession(place.Path, filter.Session)
	case len(place.Sessions) > 0:
		return &failure{exit: exitNothing, code: codeNothing, path: place.Path, text: "none of its transcripts is of that agent and kind", hint: "clawctl sessions " + shellQuote(place.Path)}
	}
	return &failure{exit: exitNothing, code: codeNothing, path: place.Path, text: "no transcripts found there", hint: "clawctl env"}
}

// problemFailure returns the failure that a part of a place is which cannot be read, nil for other problems.
func problemFailure(p source.Problem) *failure {
	switch p.Code {
	case source.BadDatabase:
		var f *failure
		errors.As(inputError(p.Path, p.Err), &f)
		return f
	case source.Unreadable:
		return leftOut(p, "")
	case source.LinkOutside:
		return leftOut(p, "clawctl sessions "+shellQuote(p.Path)) // a link that is named itself is followed
	}
	return nil
}

// leftOut is the failure of something that is skipped.
func leftOut(p source.Problem, hint string) *failure {
	text := p.Code.Words()
	if p.Detail != "" {
		text += ": " + p.Detail
	}
	return &failure{exit: exitDamaged, code: string(p.Code), path: p.Path, text: text, hint: hint, done: true}
}

// stateDir returns the user's state folder as the only argument, or an error that names where it was looked for.
func (a *app) stateDir() ([]string, error) {
	home, _ := os.UserHomeDir() // without one, a variable may still name the folder
	dir, _ := source.FindStateDir(os.Getenv, home)
	if !dir.Exists {
		return nil, &failure{exit: exitNothing, code: codeNotFound, path: dir.Path, text: "there is no state folder of OpenClaw", hint: "clawctl env"}
	}
	return []string{dir.Path}, nil
}
