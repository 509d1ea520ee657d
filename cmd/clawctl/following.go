package main

// How commands follow sessions (tail -f, cat -f):
//
//   - They look at files and databases several times a second (pkg/follow). Nothing runs in the background.
//   - An argument is resolved as always. A name is followed as a key, so that it goes on after a reset. A folder or
//     database is followed with the sessions that appear in it later, and a file may appear later too.
//   - What happens to a file, and errors of one session, are said on stderr and end nothing.
//   - They run until Ctrl-C, which is exit status 130 without a message, or until nobody reads their output.

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/pkg/follow"
	"clawctl/pkg/source"
)

// A following is the sessions that a command follows.
type following struct {
	app     *cli.App
	search  cli.Search
	group   follow.Group
	members []*follow.Member // that were there from the start
	places  int              // arguments that are places, whose sessions come and go
}

// check refuses what cannot be followed.
func (f *following) check(c *cli.Command, operands []string) error {
	for _, operand := range operands {
		if operand == "-" {
			return failure.Usage("clawctl cat -", "--follow takes no stdin; cat prints that as it comes")
		}
	}
	if !f.app.Output.Options.IsStdout() {
		return c.Conflict("--follow", "--output")
	}
	return nil
}

// add resolves an argument and follows its sessions.
func (f *following) add(argument string) error {
	if isAwaited(argument) {
		f.app.Note("waiting for %s", argument)
		f.join(source.File(argument))
		return nil
	}
	m, err := cli.Find(f.app, argument, f.search)
	var none *failure.Error
	if errors.As(err, &none) && none.Code == failure.Nothing && f.isPlace(argument) {
		f.app.Note("no sessions in %s yet", argument)
		f.watch(&follow.Scope{Path: argument}, nil)
		return nil
	}
	if err != nil {
		return err
	}
	members := f.joinAll(m.Sessions)
	if scope := f.scopeOf(m); scope != nil {
		f.watch(scope, members)
	}
	return nil
}

func (f *following) join(s *source.Session) *follow.Member {
	m := f.group.Add(s)
	f.members = append(f.members, m)
	return m
}

func (f *following) joinAll(sessions []*source.Session) (members []*follow.Member) {
	for _, s := range sessions {
		members = append(members, f.join(s))
	}
	return members
}

// isAwaited reports whether an argument is the path of a file that does not exist yet, in a folder that does.
func isAwaited(argument string) bool {
	if !source.LooksLikePath(argument) || cli.IsPath(argument) {
		return false
	}
	_, err := os.Lstat(argument)
	folder, folderErr := os.Stat(filepath.Dir(argument))
	return errors.Is(err, fs.ErrNotExist) && folderErr == nil && folder.IsDir()
}

// isPlace reports whether an argument is all of a folder or a database.
func (f *following) isPlace(argument string) bool {
	_, name, _, err := source.SplitPlace(argument)
	return err == nil && name == "" && f.search.Session == ""
}

// scopeOf returns where sessions of a match come and go, nil if they do not.
func (f *following) scopeOf(m *source.Match) *follow.Scope {
	if len(m.Places) == 0 {
		return nil
	}
	scope := &follow.Scope{Path: m.Places[0].Path}
	if m.ByName {
		if m.Sessions[0].Kind != source.Live {
			return nil // an archive does not go on
		}
		scope.Filter = source.Filter{Session: m.Sessions[0].Key, Exact: true}
	}
	return scope
}

// watch looks for new sessions in a scope.
func (f *following) watch(scope *follow.Scope, members []*follow.Member) {
	q := f.search.Query()
	scope.Filter.Agents, scope.Filter.Kinds, scope.Kinds = q.Agents, q.Filter.Kinds, q.Kinds
	scope.UserHome = cli.ExpandHome("~")
	if scope.Filter.Session == "" {
		f.places++
	}
	f.group.Watch(scope, members)
}

// run follows until it is interrupted. take gets every record and, after it was explained, everything else that
// happened. flush is called when everything that is new was given to take.
func (f *following) run(take func(*follow.Member, *follow.Event) error, flush func() error) error {
	ticks := time.NewTicker(f.app.PollEvery)
	defer ticks.Stop()
	for {
		err := f.group.Poll(f.app.Ctx, func(m *follow.Member, e follow.Event) error {
			if e.Record == nil {
				f.explain(m, e)
			}
			return take(m, &e)
		})
		if err == nil {
			err = flush()
		}
		switch {
		case f.app.Ctx.Err() != nil:
			return failure.Stopped
		case err != nil:
			return err
		case cli.IsAbandoned(f.app.Output.Stdout):
			return syscall.EPIPE
		}
		select {
		case <-ticks.C:
		case <-f.app.Ctx.Done():
			return failure.Stopped
		}
	}
}

// explain says what happened to a session other than that it grew.
func (f *following) explain(m *follow.Member, e follow.Event) {
	place := m.Session.Place()
	switch {
	case e.Err != nil:
		f.app.Complain(cli.InputError(place, e.Err))
	case e.Change == follow.Truncated:
		f.app.Note("%s was cut or rewritten; printing it from its start", place)
	case e.Change == follow.Replaced:
		f.app.Note("%s is another file now; printing it from its start", place)
	case e.Change == follow.Removed:
		f.app.Note("%s was removed or renamed", place)
	case e.Change == follow.Continued:
		f.app.Note("%s continues with a new session; printing it from its start", place)
	}
}
