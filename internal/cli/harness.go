package cli

import (
	"os"
	"slices"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/dialect"
	"clawctl/pkg/source"
	"clawctl/pkg/source/harness"
)

// A HarnessOption is the flag that allows to read the folders of the programs that did the work of OpenClaw's sessions.
// The setting sources.harness is the same for every run.
type HarnessOption struct{ Harness bool }

// Flag is --harness.
func (o *HarnessOption) Flag() Flag {
	return SwitchFlag(&o.Harness, "harness", "also read what Claude Code and Codex did for OpenClaw, in their own folders")
}

// harnessFolders are the folders of the programs that do work for OpenClaw.
func harnessFolders() map[*dialect.Program]string {
	folders := map[*dialect.Program]string{}
	home, _ := os.UserHomeDir() // without one, a variable may still name the folder
	for _, p := range dialect.Table {
		if p.Folder != nil {
			folders[p] = ExpandHome(p.Folder(os.Getenv, home))
		}
	}
	return folders
}

// FindBindings finds out which programs did the work of sessions, and whether their files are there. No transcript is
// read. The configuration is asked only if it matters.
func FindBindings(a *App, sessions []*source.Session, o HarnessOption) error {
	_, err := findBindings(a, sessions, o)
	return err
}

// findBindings also returns what has found them.
func findBindings(a *App, sessions []*source.Session, o HarnessOption) (*harness.Finder, error) {
	f := &harness.Finder{Allowed: o.Harness, Folders: harnessFolders(), Known: a.known}
	f.Find(a.Ctx, sessions)
	if o.Harness || a.inner != nil || !slices.ContainsFunc(sessions, isUnread) {
		return f, nil
	}
	c, err := a.Configuration()
	if err != nil || !c.Sources.Harness {
		return f, err
	}
	f.Allowed = true
	f.Find(a.Ctx, sessions)
	return f, nil
}

// FindLinked finds out which programs did the work of sessions, and their files with those of their subagents.
func FindLinked(a *App, sessions []*source.Session, o HarnessOption) error {
	f, err := findBindings(a, sessions, o)
	if err != nil {
		return err
	}
	f.Subagents(a.Ctx, sessions)
	return nil
}

// isUnread reports whether a binding of a session leads to where nothing may be read.
func isUnread(s *source.Session) bool {
	return slices.ContainsFunc(s.Bindings, func(b source.Binding) bool { return b.State == source.BindingNotAllowed })
}

// JoinHarness makes sessions read what other programs recorded about them, as far as that may be read.
func JoinHarness(a *App, sessions []*source.Session, o HarnessOption) error {
	sessions = slices.DeleteFunc(slices.Clone(sessions), func(s *source.Session) bool { return s.JoinedLines() > 0 })
	if err := FindLinked(a, sessions, o); err != nil {
		return err
	}
	linked := slices.DeleteFunc(sessions, func(s *source.Session) bool { return !isLinked(s) })
	if len(linked) == 0 {
		return nil
	}
	j, err := harness.NewJoiner(os.TempDir())
	if err != nil {
		return InputError(os.TempDir(), err)
	}
	a.AtEnd(func() { j.Close() })
	for _, s := range linked {
		if err := j.Join(a.Ctx, s); err != nil && a.Ctx.Err() == nil {
			f := InputError(s.Place(), err)
			a.Note("%s: %s %s", s.Name(), f.Code, f.Text)
		}
	}
	if a.Ctx.Err() != nil {
		return Interrupted(a)
	}
	return nil
}

// LinkedTo returns the sessions of other programs that did the work of sessions, with those of their subagents. What
// leads to another conversation is left out.
func LinkedTo(a *App, sessions []*source.Session, o HarnessOption) ([]*source.Session, error) {
	if err := FindLinked(a, sessions, o); err != nil {
		return nil, err
	}
	for _, s := range sessions {
		if err := harness.Judge(a.Ctx, s); err != nil && a.Ctx.Err() == nil {
			return nil, InputError(s.Place(), err)
		}
		s.DropOtherBindings()
	}
	NoteUnread(a, sessions)
	return source.Linked(sessions), nil
}

// ContextOf returns the session whose context the model of a session sees: that of the program that did the work of the
// last turn, if there is one, or the session itself.
func ContextOf(a *App, s *source.Session, o HarnessOption) (*source.Session, error) {
	if err := FindBindings(a, []*source.Session{s}, o); err != nil {
		return nil, err
	}
	b, err := harness.LastWorker(a.Ctx, s)
	if err != nil {
		return nil, InputError(s.Place(), err)
	}
	if b == nil {
		NoteUnread(a, []*source.Session{s})
		return s, nil
	}
	a.Note("measuring the context of %s in %s, which did the last turn of %s", b.Title(), b.File, s.Name())
	return b.Session, nil
}

// join joins sessions as the search asks for.
func (s *Search) join(a *App, sessions []*source.Session) error {
	switch {
	case s.Harness == nil:
		return nil
	case s.Names:
		return FindBindings(a, sessions, *s.Harness)
	case s.Linked:
		return FindLinked(a, sessions, *s.Harness)
	}
	return JoinHarness(a, sessions, *s.Harness)
}

// ShowCommand is the command that shows the messages around an entry of a session. A session of a place that is joined
// with others is named by that place.
func ShowCommand(s *source.Session, name, entry string) string {
	words := []string{"clawctl", "show", name}
	if s.JoinedLines() > 0 {
		place := s.Root
		if s.InDatabase || s.InBundle() {
			place = s.Path
		}
		if s.Listed {
			words[2] = place + "#" + s.Name()
		}
		words = append(words, "--harness")
	}
	return failure.Command(append(words, "--around", entry)...)
}

// isLinked reports whether a binding of a session has led to a file.
func isLinked(s *source.Session) bool {
	return slices.ContainsFunc(s.Bindings, func(b source.Binding) bool { return b.State == source.BindingFound })
}

// NoteUnread says that other programs did the work of some sessions and may not be read, and which command reads them.
func NoteUnread(a *App, sessions []*source.Session) {
	var programs []string
	n := 0
	for _, s := range sessions {
		found := len(programs)
		for i := range s.Bindings {
			if b := &s.Bindings[i]; b.State == source.BindingNotAllowed {
				programs = append(programs, b.Title())
			}
		}
		if len(programs) > found {
			n++
		}
	}
	if n == 0 {
		return
	}
	slices.Sort(programs)
	a.Note("did not read what %s recorded for %s", ui.List(slices.Compact(programs)), ui.Count(n, "session"))
	a.Hint(a.CommandLine("--harness"))
}
