package reading

// How commands follow sessions (tail -f, cat -f):
//
//   - They look at files and databases several times a second (pkg/read/follow). Nothing runs in the background.
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
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/follow"
	"clawctl/pkg/source"
	"clawctl/pkg/source/harness"
)

// A Follower has the sessions that a command follows.
type Follower struct {
	App     *cli.App
	Search  cli.Search
	Group   follow.Group
	Members []*follow.Member // that were there from the start
	Places  int              // arguments that are places, whose sessions come and go

	workers map[*source.Session]bool // sessions of other programs that did the work of members
}

// Check refuses what cannot be followed.
func (f *Follower) Check(operands []string) error {
	for _, operand := range operands {
		if operand == "-" {
			return failure.Usage("clawctl cat -", "--follow takes no stdin; cat prints that as it comes")
		}
	}
	if !f.App.Output.Options.IsStdout() {
		return cli.Conflict("--follow", "--output")
	}
	return nil
}

// Add resolves an argument and follows its sessions.
func (f *Follower) Add(argument string) error {
	if IsAwaited(argument) {
		f.App.Note("waiting for %s", argument)
		f.join(source.File(argument))
		return nil
	}
	m, err := cli.Find(f.App, argument, f.Search)
	var none *failure.Error
	if errors.As(err, &none) && none.Code == failure.Nothing && f.isPlace(argument) {
		f.App.Note("no sessions in %s yet", argument)
		f.watch(&follow.Scope{Path: argument}, nil)
		return nil
	}
	if err != nil {
		return err
	}
	members := f.JoinAll(m.Sessions)
	if err := f.AddLinked(m.Sessions); err != nil {
		return err
	}
	if scope := f.scopeOf(m); scope != nil {
		f.watch(scope, members)
	}
	return nil
}

func (f *Follower) join(s *source.Session) *follow.Member {
	m := f.Group.Add(s)
	f.Members = append(f.Members, m)
	return m
}

// JoinAll follows sessions.
func (f *Follower) JoinAll(sessions []*source.Session) (members []*follow.Member) {
	for _, s := range sessions {
		members = append(members, f.join(s))
	}
	return members
}

// AddLinked also follows the sessions of the programs that did the work of sessions, if the search asks for that.
func (f *Follower) AddLinked(sessions []*source.Session) error {
	if f.Search.Harness == nil {
		return nil
	}
	linked, err := cli.LinkedTo(f.App, sessions, *f.Search.Harness)
	if err != nil {
		return err
	}
	f.JoinAll(linked)
	if f.workers == nil {
		f.workers = map[*source.Session]bool{}
	}
	for _, s := range sessions {
		for i := range s.Bindings {
			f.workers[s.Bindings[i].Session] = true
		}
	}
	return nil
}

// IsEcho reports whether a record repeats one of another session that is followed: what OpenClaw copied from the
// program that did the work, and the prompts that this program got from OpenClaw.
func (f *Follower) IsEcho(s *source.Session, rec *jsonl.Record) bool {
	return f.workers != nil && harness.IsEcho(s, rec, f.workers[s])
}

// IsAwaited reports whether an argument is the path of a file that does not exist yet, in a folder that does.
func IsAwaited(argument string) bool {
	if !source.LooksLikePath(argument) || cli.IsPath(argument) {
		return false
	}
	_, err := os.Lstat(argument)
	folder, folderErr := os.Stat(filepath.Dir(argument))
	return errors.Is(err, fs.ErrNotExist) && folderErr == nil && folder.IsDir()
}

// isPlace reports whether an argument is all of a folder or a database.
func (f *Follower) isPlace(argument string) bool {
	_, name, _, err := source.SplitPlace(argument)
	return err == nil && name == "" && f.Search.Session == ""
}

// scopeOf returns where sessions of a match come and go, nil if they do not.
func (f *Follower) scopeOf(m *source.Match) *follow.Scope {
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
func (f *Follower) watch(scope *follow.Scope, members []*follow.Member) {
	q := f.Search.Query()
	scope.Filter.Agents, scope.Filter.Kinds, scope.Kinds = q.Agents, q.Filter.Kinds, q.Kinds
	scope.UserHome = cli.ExpandHome("~")
	if scope.Filter.Session == "" {
		f.Places++
	}
	f.Group.Watch(scope, members)
}

// Run follows until it is interrupted. take gets every record and, after it was explained, everything else that
// happened. flush is called when everything that is new was given to take.
func (f *Follower) Run(take func(*follow.Member, *follow.Event) error, flush func() error) error {
	ticks := time.NewTicker(f.App.PollEvery)
	defer ticks.Stop()
	for {
		err := f.Group.Poll(f.App.Ctx, func(m *follow.Member, e follow.Event) error {
			if e.Record == nil {
				f.explain(m, e)
			}
			return take(m, &e)
		})
		if err == nil {
			err = flush()
		}
		switch {
		case f.App.Ctx.Err() != nil:
			return failure.Stopped
		case err != nil:
			return err
		case cli.IsAbandoned(f.App.Output.Stdout):
			return syscall.EPIPE
		}
		select {
		case <-ticks.C:
		case <-f.App.Ctx.Done():
			return failure.Stopped
		}
	}
}

// explain says what happened to a session other than that it grew.
func (f *Follower) explain(m *follow.Member, e follow.Event) {
	place := m.Session.Place()
	switch {
	case e.Err != nil:
		f.App.Complain(cli.InputError(place, e.Err))
	case e.Change == follow.Truncated:
		f.App.Note("%s was cut or rewritten; printing it from its start", place)
	case e.Change == follow.Replaced:
		f.App.Note("%s is another file now; printing it from its start", place)
	case e.Change == follow.Removed:
		f.App.Note("%s was removed or renamed", place)
	case e.Change == follow.Continued:
		f.App.Note("%s continues with a new session; printing it from its start", place)
	}
}
