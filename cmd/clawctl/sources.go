package main

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/dbfile"
	"clawctl/pkg/source"
)

// sourceOptions narrow the sessions of a place.
type sourceOptions struct {
	session string
	agents  []string
	kinds   []source.Kind
}

func (o *sourceOptions) flags() []flag {
	return []flag{
		requiredTextFlag(&o.session, "session", "NAME",
			"only the session with this key or id, the beginning of one, or @last"),
		listFlag(&o.agents, "agent", "AGENT", "only sessions of this agent; repeat it for several", false),
		kindFlag(&o.kinds),
	}
}

// allKinds is the value of --kind that stands for every kind.
const allKinds source.Kind = "all"

// kindFlag is --kind.
func kindFlag(dst *[]source.Kind) flag {
	choices := append(slices.Clone(source.Kinds), allKinds)
	return choicesFlag(dst, "kind", "KIND", choices, "only sessions of this kind").checked(func() error {
		if slices.Contains(*dst, allKinds) {
			*dst = slices.Clone(source.Kinds)
		}
		return nil
	})
}

// narrows reports whether any of the flags was given.
func (o *sourceOptions) narrows() bool {
	return o.session != "" || len(o.agents) > 0 || len(o.kinds) > 0
}

// A search is how a command looks for its sessions. The rules are those of source.Lookup; `clawctl help sources` tells
// them to users.
type search struct {
	sourceOptions
	defaults []source.Kind // the kinds that are looked at without --kind
	fast     bool          // leave out what takes time with the size of a place
	stdin    bool          // read stdin if nothing names a source
	store    bool          // look names up in clawctl's store only
	exact    bool          // take only whole keys and ids, because something is written
	anyText  bool          // take files and streams that are named, even if they are not transcripts
	legible  bool          // refuse files and streams that are named if none of their records is whole
	mends    bool          // findTranscripts takes those, because the command can mend them
	// byDefault takes the session of the configuration if nothing names a source and stdin is a terminal.
	byDefault bool
}

// live and everything are the kinds that commands look at without --kind.
var (
	live       = []source.Kind{source.Live}
	everything = source.Kinds
)

func (s search) query() source.Query {
	return source.Query{
		Filter: source.Filter{Session: s.session, Exact: s.exact, Agents: s.agents, Kinds: s.kinds},
		Kinds:  s.defaults, Fast: s.fast, StoreOnly: s.store, AnyText: s.anyText, Legible: s.legible,
	}
}

// home is the argument that stands for the state folder and the store. No path contains a NUL.
const home = "\x00"

// argumentsOf returns the operands of a command, or what is meant without any.
func argumentsOf(a *app, operands []string, s search) ([]string, error) {
	switch {
	case len(operands) > 0:
		return operands, nil
	case !s.stdin || s.store || s.narrows():
		return []string{home}, nil
	case ui.IsTerminal(a.stdin):
		return configuredSession(a, s)
	}
	return []string{"-"}, nil
}

// configuredSession is the session that the configuration names, for commands that use it on a terminal.
func configuredSession(a *app, s search) ([]string, error) {
	if s.byDefault {
		c, err := a.configuration()
		if err != nil {
			return nil, err
		}
		if key := c.Session.DefaultKey; key != "" {
			return []string{key}, nil
		}
	}
	return nil, failure.Usage("clawctl sessions", "no transcript given, and stdin is a terminal")
}

// find resolves one argument. Places stay open until the run ends.
func find(a *app, argument string, s search) (m *source.Match, err error) {
	lookup, err := newLookup(a, argument)
	if err != nil {
		return nil, err
	}
	if argument == home {
		m, err = lookup.Home(a.ctx, s.query())
	} else {
		m, err = lookup.Argument(a.ctx, argument, s.query())
	}
	if err != nil {
		var none *source.NoSessionError
		if errors.As(err, &none) && none.Place != nil && none.Query.Session == "" {
			a.watchSkipped(none.Place)
		}
		return nil, lookupError(a, argument, err, s.store)
	}
	if err := a.keepInputs(m); err != nil {
		return nil, err
	}
	a.noteRead(m)
	if !m.ByName {
		a.watchSkipped(m.Places...)
	}
	switch {
	case m.AlsoIn != "" && m.ByName:
		a.note("reading %s from %s; %s has it too", m.Sessions[0].Name(), m.Places[0].Path, m.AlsoIn)
	case m.AlsoIn != "":
		a.note("reading %s; %s also has matching sessions", m.Places[0].Path, m.AlsoIn)
	}
	return m, nil
}

// noteRead remembers what is read, for the remarks at the end of the run.
func (a *app) noteRead(m *source.Match) {
	for _, p := range m.Places {
		a.read = append(a.read, p.Path)
	}
	if len(m.Places) == 0 {
		for _, s := range m.Sessions {
			a.read = append(a.read, s.Path)
		}
	}
}

// keepInputs refuses an output that would replace one of the inputs.
func (a *app) keepInputs(m *source.Match) error {
	if a.output.options.isStdout() {
		return nil
	}
	paths := map[string]bool{}
	for _, s := range m.Sessions {
		paths[s.Path] = true
	}
	for _, p := range m.Places {
		paths[p.Path] = true
		for _, database := range p.Databases {
			paths[database] = true
		}
	}
	for path := range paths {
		if info, err := os.Stat(path); err == nil && !info.IsDir() && isSameFile(path, a.output.options.path) {
			return replacesInput(path)
		}
	}
	return nil
}

// replacesInput is the failure of an output that is also an input.
func replacesInput(path string) error {
	return failure.Usage("", "-o must not replace what is being read, got %s", path)
}

// newLookup returns the lookup of this run. A path is found without clawctl's store, so that a broken configuration,
// which may say where that is, keeps nobody from reading a file.
func newLookup(a *app, argument string) (*source.Lookup, error) {
	if a.sourceLookup != nil {
		return a.sourceLookup, nil
	}
	dbfile.RemoveStaleCopies()
	state, _ := a.stateDir()
	own, err := a.storePath("")
	if err != nil && !isPath(argument) {
		return nil, err
	}
	lookup := &source.Lookup{
		State: state.Path, Store: own.value, UserHome: expandHome("~"), Stdin: a.stdin, StdinName: stdinName,
		Keep: func(p *source.Place) { a.keep(p) },
	}
	if err == nil {
		a.sourceLookup = lookup // without the store it would not do for a name
	}
	return lookup, nil
}

// isPath reports whether an argument is stdin, or a place that exists.
func isPath(argument string) bool {
	if argument == "-" {
		return true
	}
	_, _, _, err := source.SplitPlace(argument)
	return err == nil
}

// lookupError gives the error of an argument that leads nowhere its code and hint. inStore says that names were looked
// up in clawctl's store only.
func lookupError(a *app, argument string, err error, inStore bool) error {
	var none *source.NoSessionError
	var ambiguous *source.AmbiguousError
	var unknown *source.UnknownNameError
	var inexact *source.InexactError
	var foreign *source.NotTranscriptError
	var path *fs.PathError
	switch {
	case a.ctx.Err() != nil:
		return interrupted(a)
	case errors.As(err, &foreign):
		return foreign.FailureAt(argument)
	case argument == "":
		return failure.New(failure.NotFound, "the SOURCE is empty").WithHint("clawctl help sources")
	case errors.As(err, &unknown):
		hint := cmp.Or(a.didYouMean(unknown.Name, unknown.Known), listCommand(a, argument, inStore))
		return failure.New(failure.NotFound, "%v", unknown).At(argument).WithHint(hint)
	case errors.As(err, &none):
		if none.Place != nil {
			noteRemarks(a, none.Place.Problems)
		}
		f := noSession(none)
		return f.WithHint(cmp.Or(a.didYouMean(none.Query.Session, none.Known), f.Hint))
	case errors.As(err, &inexact):
		return failure.Usage(a.commandNaming(inexact.Session, inexact.Name),
			"the session must be named by its whole key or id, got %q", inexact.Session)
	case errors.As(err, &ambiguous):
		return failure.Usage(listCommand(a, argument, inStore), "%v", err)
	case errors.Is(err, source.ErrNoHome):
		return a.noStateDir()
	case errors.Is(err, source.ErrNoStore):
		return a.noStore()
	case errors.Is(err, source.ErrNoName):
		errors.As(err, &path)
		return failure.Usage(failure.Command("clawctl", "sessions", path.Path), "%s names no session after #", argument)
	case errors.Is(err, fs.ErrNotExist):
		return a.missingPath(argument, err, "clawctl sessions")
	case errors.As(err, &path) && path.Op == "open":
		return inputError(path.Path, path.Err)
	}
	if own, ownErr := a.storePath(""); ownErr == nil && a.storeFolder(own.value).blocks(err) {
		return a.storeFolder(own.value).failure(err)
	}
	return inputError(argument, err)
}

// listCommand is the command that lists the sessions of an argument's place.
func listCommand(a *app, argument string, inStore bool) string {
	if path, _, _, err := source.SplitPlace(argument); err == nil && path != home {
		return failure.Command("clawctl", "sessions", path)
	}
	own, err := a.storePath("")
	if !inStore || err != nil {
		return "clawctl sessions"
	}
	if _, err := os.Stat(own.value); err != nil {
		return "clawctl import" // there is no store yet
	}
	return failure.Command("clawctl", "sessions", own.value)
}

// noSession is the failure of a place that has nothing of what was asked for: the part of it that cannot be read, or
// that there is no such session.
func noSession(e *source.NoSessionError) *failure.Error {
	hint := "clawctl sessions"
	if e.Place != nil {
		for _, problem := range e.Place.Problems {
			if f := problemFailure(problem); f != nil {
				return f
			}
		}
		if len(e.Place.Sessions) == 0 {
			hint = "clawctl env"
		} else {
			hint = failure.Command("clawctl", "sessions", e.Path)
		}
	}
	return failure.New(failure.Nothing, "%v", e).At(e.Path).WithHint(hint)
}

// problemFailure returns the failure of a part of a place that cannot be read, nil for other problems.
func problemFailure(p source.Problem) *failure.Error {
	switch p.Code {
	case source.BadDatabase:
		return inputError(p.Path, p.Err)
	case source.Unreadable:
		return skipped(p, "")
	case source.LinkOutside:
		return skipped(p, failure.Command("clawctl", "sessions", p.Path)) // a link that is named itself is followed
	}
	return nil
}

// skipped is the failure of something that is left out.
func skipped(p source.Problem, hint string) *failure.Error {
	text := p.Code.Words()
	if p.Detail != "" {
		text += ": " + p.Detail
	}
	return &failure.Error{
		Code: p.Code, Exit: failure.ExitDamaged, Path: p.Path, Text: text, Hint: hint, Done: true,
	}
}

// findAll finds the sessions of all arguments; one that leads nowhere is reported and does not stop the others. If none
// of them leads anywhere, there is no match, but a file that is not a transcript leads to no session.
func findAll(a *app, arguments []string, s search, outcome *failure.Tally) (*source.Match, error) {
	all, foreign := &source.Match{}, false
	for _, argument := range arguments {
		m, err := find(a, argument, s)
		if a.ctx.Err() != nil {
			return nil, interrupted(a)
		}
		if err != nil {
			foreign = foreign || markForeign(err)
			a.blame(outcome, err)
			continue
		}
		all.Add(m)
	}
	if len(all.Sessions) == 0 && !foreign {
		return nil, outcome.Err()
	}
	return all, nil
}

// markForeign reports whether a failure is that of a file that is not a transcript, and marks it: nothing is missing of
// the other arguments.
func markForeign(err error) bool {
	var f *failure.Error
	if !errors.As(err, &f) || f.Code != failure.NotTranscript {
		return false
	}
	f.AfterWork()
	return true
}

// findTranscripts is findAll for commands that read every session: files that were named and have no whole record are
// refused unless the command mends them, and what comes through a pipe is kept in a private file, to be read again.
func findTranscripts(a *app, arguments []string, s search, outcome *failure.Tally) (*source.Match, error) {
	s.legible = !s.mends
	m, err := findAll(a, arguments, s, outcome)
	if err != nil {
		return nil, err
	}
	return m, spoolStreams(a, m.Sessions)
}

// blameProblems reports the parts of places that cannot be read, and makes the remarks about them.
func blameProblems(a *app, outcome *failure.Tally, places []*source.Place) {
	for _, p := range places {
		noteRemarks(a, p.Problems)
		for _, problem := range p.Problems {
			if f := problemFailure(problem); f != nil {
				a.blame(outcome, f)
			}
		}
	}
}

// blameIndexes reports damaged indexes, for commands to which the names of sessions matter.
func blameIndexes(a *app, outcome *failure.Tally, places []*source.Place) {
	for _, p := range places {
		for _, problem := range p.Problems {
			if problem.Code == source.IndexDamaged {
				a.blame(outcome, skipped(problem, failure.Command("clawctl", "sessions", filepath.Dir(problem.Path))))
			}
		}
	}
}

// eachSession opens the sessions of one argument after the other. One that cannot be read is reported at once and does
// not stop the next; the worst decides the exit status.
func eachSession(a *app, operands []string, s search, do func(*source.Session, *source.Input) error) error {
	arguments, err := argumentsOf(a, operands, s)
	if err != nil {
		return err
	}
	outcome := &failure.Tally{}
	for _, argument := range arguments {
		m, err := find(a, argument, s)
		if a.ctx.Err() != nil {
			return interrupted(a)
		}
		if err != nil {
			a.blame(outcome, err)
			continue
		}
		if !m.ByName {
			blameProblems(a, outcome, m.Places)
		}
		watchReading(a, "Reading", m.Sessions)
		for _, s := range m.Sessions {
			err := withInput(a, s, do)
			if a.ctx.Err() != nil {
				return interrupted(a)
			}
			if isClosedPipe(err) || errors.As(err, new(*writeFailure)) {
				return err
			}
			a.blame(outcome, err)
		}
	}
	return outcome.Err()
}

func withInput(a *app, s *source.Session, do func(*source.Session, *source.Input) error) error {
	in, err := s.Open()
	if err != nil {
		return inputError(s.Place(), err)
	}
	defer in.Close()
	return do(s, in)
}

// sourceName is what a table calls a session: its place. A terminal shows the name of its file, which says more than
// the folders before it.
func sourceName(a *app, s *source.Session) string {
	if !a.output.term.Is || s.InDatabase {
		return s.Place()
	}
	return filepath.Base(s.Path)
}

// watchReading shows how much of the sessions was read.
func watchReading(a *app, task string, sessions []*source.Session) {
	if a.progress == nil {
		return
	}
	total := source.Watch(sessions, a.progress.Advance)
	a.progress.Begin(task, total, ui.ByteUnit)
}

// spoolStreams makes sure that every session can be read as often as it takes: what comes through a pipe is kept in a
// private file for this run.
func spoolStreams(a *app, sessions []*source.Session) error {
	for _, s := range sessions {
		if s.CanReopen() {
			continue
		}
		file, err := s.Spool(a.ctx, os.TempDir())
		if err != nil {
			return inputError(s.Path, err)
		}
		a.atEnd(func() { file.Close() })
	}
	return nil
}
