package main

// What a SOURCE argument may be:
//
//   - a FILE of any dialect, suffix or compression; `-` for stdin; a DIR: a state folder or any part of it, a workspace
//     of claw0, any folder with transcripts; a database of OpenClaw's; PLACE#SESSION for one session of a place, by key,
//     id, or the beginning of one. A path that exists wins over `#`.
//   - Without an argument the user's state folder is meant, except where a command reads stdin.
//   - --session, --agent and --kind narrow what is found in a DIR or a database; a FILE is never filtered.

import (
	"os"
	"slices"
	"strings"

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
}

// find resolves the arguments. Places stay open until the run ends.
func (a *app) find(ctx *cli.Context, args []string, defaults []source.Kind) (*found, error) {
	filter, err := sourceFilter(ctx)
	if err != nil {
		return nil, err
	}
	f := &found{}
	for _, arg := range args {
		if err := a.findOne(f, arg, filter, defaults); err != nil {
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

func (a *app) findOne(f *found, arg string, filter source.Filter, defaults []source.Kind) error {
	if arg == "-" {
		f.sessions = append(f.sessions, source.Stream(a.stdin, stdinName))
		return nil
	}
	info, err := os.Stat(arg)
	if at := strings.LastIndexByte(arg, '#'); err != nil && at > 0 {
		if placeInfo, placeErr := os.Stat(arg[:at]); placeErr == nil {
			info, err = placeInfo, nil
			arg, filter.Session = arg[:at], arg[at+1:]
		}
	}
	if err != nil {
		return inputError(arg, err)
	}
	if arg == "" {
		return usageError("clawctl help", "an empty path")
	}
	var place *source.Place
	switch {
	case info.IsDir():
		place, err = source.Find(arg)
	case info.Mode().IsRegular() && source.IsDatabase(arg):
		place, err = source.FindDatabase(arg)
	default:
		f.sessions = append(f.sessions, source.File(arg))
		return nil
	}
	if err != nil {
		return inputError(arg, err)
	}
	a.closers = append(a.closers, place)
	f.places = append(f.places, place)
	selected, err := source.Select(place.Sessions, filter, defaults)
	if err != nil {
		return usageError("clawctl sessions "+shellQuote(arg), "%v", err)
	}
	if len(selected) == 0 && filter.Session != "" {
		return &failure{exit: exitNothing, code: codeNothing, path: arg, text: "no session " + filter.Session, hint: "clawctl sessions " + shellQuote(arg)}
	}
	f.sessions = append(f.sessions, selected...)
	return nil
}

// nothing is the error for a place without any session.
func (f *found) nothing() error {
	for _, p := range f.places {
		for _, problem := range p.Problems {
			if problem.Code == source.BadDatabase {
				return &failure{exit: exitDatabase, code: string(problem.Code), path: problem.Path, text: problem.Detail}
			}
		}
	}
	place := "."
	if len(f.places) > 0 {
		place = f.places[0].Path
	}
	return &failure{exit: exitNothing, code: codeNothing, path: place, text: "no transcripts found there", hint: "clawctl env"}
}

// stateDir returns the user's state folder as the only argument, or an error that names where it was looked for.
func (a *app) stateDir() ([]string, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, usageError("clawctl sessions DIR", "no home folder: %v", err)
	}
	dir, _ := source.FindStateDir(os.Getenv, home)
	if !dir.Exists {
		return nil, &failure{exit: exitNothing, code: codeNotFound, path: dir.Path, text: "there is no state folder of OpenClaw", hint: "clawctl sessions DIR"}
	}
	return []string{dir.Path}, nil
}

// sessionPath is how a report names the place of a session.
func sessionPath(s *source.Session) string {
	if s.InDatabase {
		return s.Path + "#" + s.ID
	}
	return s.Path
}
