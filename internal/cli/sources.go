package cli

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"clawctl/internal/failure"
	"clawctl/internal/openfile"
	"clawctl/internal/ui"
	"clawctl/pkg/source"
	"clawctl/pkg/source/openclaw"
	"clawctl/pkg/store/dbfile"
)

// SourceOptions narrow the sessions of a place.
type SourceOptions struct {
	Session string
	Agents  []string
	Kinds   []source.Kind
}

// Flags describes them.
func (o *SourceOptions) Flags() []Flag {
	return []Flag{
		RequiredTextFlag(&o.Session, "session", "NAME",
			"only the session with this key or id, the beginning of one, or @last"),
		ListFlag(&o.Agents, "agent", "AGENT", "only sessions of this agent; repeat it for several", false).Checked(
			func() error {
				if slices.Contains(o.Agents, "") { // of a variable that is not set, and not all agents
					return errors.New("must not be empty")
				}
				return nil
			}),
		kindFlag(&o.Kinds),
	}
}

// allKinds is the value of --kind that stands for every kind.
const allKinds source.Kind = "all"

func kindFlag(dst *[]source.Kind) Flag {
	choices := append(slices.Clone(source.Kinds), allKinds)
	return ChoicesFlag(dst, "kind", "KIND", choices, "only sessions of this kind").Checked(func() error {
		if slices.Contains(*dst, allKinds) {
			*dst = slices.Clone(source.Kinds)
		}
		return nil
	})
}

// Narrows reports whether any of the flags was given.
func (o *SourceOptions) Narrows() bool {
	return o.Session != "" || len(o.Agents) > 0 || len(o.Kinds) > 0
}

// A Search is how a command looks for its sessions. The rules are those of source.Lookup; `clawctl help sources` tells
// them to users.
type Search struct {
	SourceOptions
	Defaults []source.Kind // the kinds that are looked at without --kind
	Fast     bool          // leave out what takes time with the size of a place
	Ends     bool          // also find out when sessions were used last
	Stdin    bool          // read stdin if nothing names a source
	Store    bool          // look names up in clawctl's store only
	OrHome   bool          // with Store: look an argument up in the state folder too, if the store does not have it
	OrState  bool          // with OrHome: take the state folder for the store if there is no store
	Exact    bool          // take only whole keys and ids, because something is written
	AnyText  bool          // take files and streams that are named, even if they are not transcripts
	Legible  bool          // refuse files and streams that are named if none of their records is whole
	Mends    bool          // FindTranscripts takes those, because the command can mend them
	// Harness, if set, makes FindAll and EachMatch join sessions with those of the programs that did their work. With
	// Names, it only finds out which those are, and with Linked also their files.
	Harness       *HarnessOption
	Names, Linked bool
	// ByDefault takes the session of the configuration if nothing names a source and stdin is a terminal. With OrLast, it
	// is the session that was used last if the configuration names none.
	ByDefault bool
	OrLast    bool
}

// LiveOnly and everything are the kinds that commands look at without --kind.
var (
	LiveOnly  = []source.Kind{source.Live}
	EveryKind = source.Kinds
)

// Query is what a Lookup is asked for.
func (s Search) Query() source.Query {
	return source.Query{
		Filter: source.Filter{Session: s.Session, Exact: s.Exact, Agents: s.Agents, Kinds: s.Kinds},
		Kinds:  s.Defaults, Fast: s.Fast, Ends: s.Ends, StoreOnly: s.Store && !s.OrHome, StoreFirst: s.OrHome,
		OrState: s.OrState, AnyText: s.AnyText, Legible: s.Legible,
	}
}

// HomeArgument is the argument that stands for the state folder and the store. No path contains a NUL.
const HomeArgument = "\x00"

// ArgumentsOf returns the operands of a command, or what is meant without any.
func ArgumentsOf(a *App, operands []string, s Search) ([]string, error) {
	switch {
	case len(operands) > 0:
		return operands, nil
	case !s.Stdin || s.Store || s.Narrows():
		return []string{HomeArgument}, nil
	case ui.IsTerminal(a.Stdin):
		return configuredSession(a, s)
	}
	return []string{"-"}, nil
}

// configuredSession is the session that the configuration names, for commands that use it on a terminal.
func configuredSession(a *App, s Search) ([]string, error) {
	if s.ByDefault {
		c, err := a.Configuration()
		if err != nil {
			return nil, err
		}
		if key := c.Session.DefaultKey; key != "" {
			return []string{key}, nil
		}
	}
	if s.OrLast {
		return []string{"@last"}, nil
	}
	return nil, failure.Usage(a.ListCommand(), "no transcript given, and stdin is a terminal")
}

// Find resolves one argument. Places stay open until the run ends.
func Find(a *App, argument string, s Search) (m *source.Match, err error) {
	lookup, err := NewLookup(a, argument)
	if err != nil {
		return nil, err
	}
	if argument == HomeArgument {
		m, err = lookup.Home(a.Ctx, s.Query())
	} else {
		m, err = lookup.Argument(a.Ctx, argument, s.Query())
	}
	if err != nil {
		var none *source.NoSessionError
		if errors.As(err, &none) && none.Place != nil && none.Query.Session == "" {
			a.WatchSkipped(none.Place)
		}
		return nil, LookupError(a, argument, err, s.Store)
	}
	if err := a.keepInputs(m); err != nil {
		return nil, err
	}
	a.noteRead(m)
	if !m.ByName {
		a.WatchSkipped(m.Places...)
	}
	a.noteChoice(m)
	a.noteUnused(m, argument, s)
	return m, nil
}

// noteUnused says that the flags that choose from several sessions have no effect on a file or a stream.
func (a *App) noteUnused(m *source.Match, argument string, s Search) {
	if len(m.Sessions) != 1 || !m.IsDirect(m.Sessions[0]) {
		return
	}
	for _, flag := range []struct {
		name  string
		given bool
	}{{"--agent", len(s.Agents) > 0}, {"--session", s.Session != ""}, {"--kind", len(s.Kinds) > 0}} {
		if flag.given {
			a.Note("%s is one transcript, so %s has no effect on it", m.Sessions[0].Place(), flag.name)
			return
		}
	}
}

// noteChoice says, once in a run, that another place has the same too.
func (a *App) noteChoice(m *source.Match) {
	if m.AlsoIn == "" || a.choiceNoted {
		return
	}
	a.choiceNoted = true
	if m.ByName {
		a.Note("reading %s from %s; %s has it too", m.Sessions[0].Name(), m.Places[0].Path, m.AlsoIn)
		return
	}
	a.Note("reading %s; %s also has matching sessions", m.Places[0].Path, m.AlsoIn)
}

// noteRead remembers what is read, for the remarks at the end of the run.
func (a *App) noteRead(m *source.Match) {
	for _, p := range m.Places {
		a.Read = append(a.Read, p.Path)
		a.known = append(a.known, p.Sessions...)
	}
	if len(m.Places) == 0 {
		for _, s := range m.Sessions {
			a.Read = append(a.Read, s.Path)
		}
	}
}

// keepInputs refuses an output that would replace one of the inputs.
func (a *App) keepInputs(m *source.Match) error {
	if a.Output.Options.IsStdout() {
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
		if info, err := os.Stat(path); err == nil && !info.IsDir() && openfile.IsSame(path, a.Output.Options.Path) {
			return replacesInput(path)
		}
	}
	return nil
}

// NewLookup returns the lookup of this run. A path is found without clawctl's store, so that a broken configuration,
// which may say where that is, keeps nobody from reading a file.
func NewLookup(a *App, argument string) (*source.Lookup, error) {
	if a.sourceLookup != nil {
		return a.sourceLookup, nil
	}
	dbfile.RemoveStaleCopies()
	state, _ := a.StateDir()
	own, err := a.StorePath("")
	if err != nil && !IsPath(argument) {
		return nil, err
	}
	lookup := &source.Lookup{
		State: state.Path, Store: own.Value, UserHome: ExpandHome("~"), Stdin: a.Stdin, StdinName: StdinName,
		Keep: func(p *source.Listing) { a.Keep(p) },
	}
	if err == nil {
		a.sourceLookup = lookup // without the store it would not do for a name
	}
	return lookup, nil
}

// IsPath reports whether an argument is stdin, or a place that exists.
func IsPath(argument string) bool {
	if argument == "-" {
		return true
	}
	_, _, _, err := source.SplitPlace(argument)
	return err == nil
}

// LookupError gives the error of an argument that leads nowhere its code and hint. inStore says that names were looked
// up in clawctl's store only.
func LookupError(a *App, argument string, err error, inStore bool) error {
	var none *source.NoSessionError
	var ambiguous *source.AmbiguousError
	var unknown *source.UnknownNameError
	var inexact *source.InexactError
	var foreign *source.NotTranscriptError
	var path *fs.PathError
	switch {
	case errors.As(err, &foreign):
		return foreign.FailureAt(argument)
	case argument == "":
		return failure.New(failure.NotFound, "the SOURCE is empty").WithHint("clawctl help sources")
	case errors.As(err, &unknown):
		hint := cmp.Or(a.withAgent(unknown.Name, unknown.Known), a.didYouMean(unknown.Name, unknown.Known),
			listCommand(a, argument, inStore))
		if unknown.Trashed != "" {
			hint = cmp.Or(a.commandNaming(unknown.Name, unknown.Trashed), hint)
		}
		return unknown.FailureAt(argument).WithHint(hint)
	case errors.As(err, &none):
		if none.Place != nil {
			NoteRemarks(a, none.Place.Problems)
		}
		f := noSession(none)
		return f.WithHint(cmp.Or(a.didYouMean(none.Query.Session, none.Known), f.Hint))
	case errors.As(err, &inexact):
		return inexact.FailureAt(argument).WithHint(a.commandNaming(inexact.Session, inexact.Name))
	case errors.As(err, &ambiguous):
		return ambiguous.FailureAt(argument).WithHint(listCommand(a, argument, inStore))
	case errors.Is(err, source.ErrNoHome):
		return a.NoStateDir()
	case errors.Is(err, source.ErrNoStore):
		return a.noStore()
	case errors.Is(err, source.ErrNoName):
		errors.As(err, &path)
		return failure.Usage(failure.Command("clawctl", "sessions", path.Path), "%s names no session after #", argument)
	case errors.Is(err, fs.ErrNotExist):
		return a.MissingPath(argument, err, a.ListCommand())
	case errors.As(err, &path) && path.Op == "open":
		return InputError(path.Path, path.Err)
	}
	if own, ownErr := a.StorePath(""); ownErr == nil && a.StoreFolder(own.Value).Blocks(err) {
		return a.StoreFolder(own.Value).Failure(err)
	}
	return InputError(argument, err)
}

// listCommand is the command that lists the sessions of an argument's place.
func listCommand(a *App, argument string, inStore bool) string {
	if path, _, _, err := source.SplitPlace(argument); err == nil && path != HomeArgument {
		return failure.Command("clawctl", "sessions", path)
	}
	own, err := a.StorePath("")
	if !inStore || err != nil {
		return a.ListCommand()
	}
	if _, err := os.Stat(own.Value); err != nil {
		return "clawctl import" // there is no store yet
	}
	return failure.Command("clawctl", "sessions", own.Value)
}

// noSession is the failure of a place that has nothing of what was asked for: the part of it that cannot be read, or
// that there is no such session.
func noSession(e *source.NoSessionError) *failure.Error {
	if e.Place != nil {
		for _, problem := range e.Place.Problems {
			if f := ProblemFailure(problem); f != nil {
				return f
			}
		}
	}
	return e.FailureAt(e.Path)
}

// ProblemFailure returns the failure of a part of a place that cannot be read, nil for other problems.
func ProblemFailure(p source.Problem) *failure.Error {
	switch p.Code {
	case source.BadDatabase:
		return InputError(p.Path, p.Err)
	case source.Unreadable:
		return p.Skipped()
	case source.LinkOutside:
		if p.LeadsNowhere() {
			return p.Skipped().WithHint(failure.Command("ls", "-l", p.Path))
		}
		return p.Skipped().WithHint(failure.Command("clawctl", "sessions", p.Path)) // a named link is followed
	}
	return nil
}

// FindAll finds the sessions of all operands, or what is meant without any; one that leads nowhere is reported and does
// not stop the others. If none of them leads anywhere, there is no match, but a file that is not a transcript leads to
// no session.
func FindAll(a *App, operands []string, s Search) (*source.Match, error) {
	arguments, err := ArgumentsOf(a, operands, s)
	if err != nil {
		return nil, err
	}
	all, foreign := &source.Match{}, false
	for _, argument := range arguments {
		m, err := Find(a, argument, s)
		if a.Ctx.Err() != nil {
			return nil, Interrupted(a)
		}
		if isWrongUsage(err) {
			return nil, err
		}
		if err != nil {
			foreign = foreign || markForeign(err)
			a.Blame(err)
			continue
		}
		all.Add(m)
	}
	if len(all.Sessions) == 0 && !foreign {
		return nil, a.Outcome.Err()
	}
	return all, s.join(a, all.Sessions)
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

// FindTranscripts is findAll for commands that read every session: files that were named and have no whole record are
// refused unless the command mends them, and what comes through a pipe is kept in a private file, to be read again.
func FindTranscripts(a *App, operands []string, s Search) (*source.Match, error) {
	s.Legible = !s.Mends
	m, err := FindAll(a, operands, s)
	if err != nil {
		return nil, err
	}
	return m, SpoolStreams(a, m.Sessions)
}

// BlameProblems reports the parts of places that cannot be read, and makes the remarks about them.
func BlameProblems(a *App, places []*source.Listing) {
	for _, p := range places {
		NoteRemarks(a, p.Problems)
		for _, problem := range p.Problems {
			if f := ProblemFailure(problem); f != nil {
				a.Blame(f)
			}
		}
	}
}

// BlameIndexes reports damaged indexes, for commands to which the names of sessions matter.
func BlameIndexes(a *App, places []*source.Listing) {
	for _, p := range places {
		for _, problem := range p.Problems {
			if problem.Code == openclaw.IndexDamaged {
				hint := failure.Command("clawctl", "sessions", filepath.Dir(problem.Path))
				a.Blame(problem.Skipped().WithHint(hint))
			}
		}
	}
}

// isWrongUsage reports whether an error is that of an argument that can only be a mistake, such as a name that several
// sessions have. Then nothing at all is read.
func isWrongUsage(err error) bool {
	var f *failure.Error
	return errors.As(err, &f) && f.Code == failure.UsageCode
}

// EachMatch finds what the operands lead to, or what is meant without any, and hands on one after the other. One that
// leads nowhere is reported and does not stop the others.
func EachMatch(
	a *App, operands []string, s Search, do func(*source.Match) error,
) error {
	arguments, err := ArgumentsOf(a, operands, s)
	if err != nil {
		return err
	}
	matches, errs := make([]*source.Match, len(arguments)), make([]error, len(arguments))
	for i, argument := range arguments {
		matches[i], errs[i] = Find(a, argument, s)
		if a.Ctx.Err() != nil {
			return Interrupted(a)
		}
		if isWrongUsage(errs[i]) {
			return errs[i]
		}
	}
	for i, m := range matches {
		if errs[i] != nil {
			a.Blame(errs[i])
			continue
		}
		if err := s.join(a, m.Sessions); err != nil {
			return err
		}
		if err := do(m); err != nil {
			return err
		}
	}
	return nil
}

// EachOpened opens the sessions of one argument after the other, as EachSession does.
func EachOpened(a *App, operands []string, s Search, do func(*source.Session, *source.Input) error) error {
	return EachSession(a, operands, s, func(s *source.Session) error { return WithInput(a, s, do) })
}

// EachSession hands on the sessions of one argument after the other. One that cannot be read is reported at once and
// does not stop the next; the worst decides the exit status.
func EachSession(a *App, operands []string, s Search, do func(*source.Session) error) error {
	return eachReading(a, operands, s, func(sessions []*source.Session) error {
		for _, s := range sessions {
			err := do(s)
			if a.Ctx.Err() != nil {
				return Interrupted(a)
			}
			if IsOutputGone(err) {
				return err
			}
			a.Blame(err)
		}
		return nil
	})
}

// EachAtOnce reads sessions as EachSession does, several at a time. read may say nothing: take gets what it returns, in
// the order of the sessions.
func EachAtOnce[R any](
	a *App, operands []string, s Search, jobs int, read func(context.Context, *source.Opened) (R, error),
	take func(R, error) error,
) error {
	return eachReading(a, operands, s, func(sessions []*source.Session) error {
		return each(a, sessions, jobs, read, func(_ int, result R, err error) error {
			a.Blame(take(result, err))
			return nil
		})
	})
}

// ReadAll reads sessions that were found, several at a time, and shows progress. take gets what read makes of them, in
// their order.
func ReadAll[R any](
	a *App, task string, sessions []*source.Session, jobs int,
	read func(context.Context, *source.Opened) (R, error), take func(i int, result R, err error) error,
) error {
	WatchReading(a, task, sessions)
	defer a.Progress.End()
	return each(a, sessions, jobs, read, take)
}

// each is source.Each with the failures of this program.
func each[R any](
	a *App, sessions []*source.Session, jobs int,
	read func(context.Context, *source.Opened) (R, error), take func(i int, result R, err error) error,
) error {
	err := source.Each(a.Ctx, sessions, jobs, read, func(i int, result R, err error) error {
		if err != nil && !errors.As(err, new(*failure.Error)) {
			err = InputError(sessions[i].Place(), err)
		}
		return take(i, result, err)
	})
	return err
}

// eachReading hands on the sessions of each argument, which are about to be read, and returns the worst outcome.
func eachReading(
	a *App, operands []string, s Search, do func(sessions []*source.Session) error,
) error {
	err := EachMatch(a, operands, s, func(m *source.Match) error {
		if !m.ByName {
			BlameProblems(a, m.Places)
		}
		WatchReading(a, "Reading", m.Sessions)
		return do(m.Sessions)
	})
	if err != nil {
		return err
	}
	return a.Outcome.Err()
}

// WithInput opens a session, hands it to a function, and closes it.
func WithInput(a *App, s *source.Session, do func(*source.Session, *source.Input) error) error {
	in, err := s.Open()
	if err != nil {
		return InputError(s.Place(), err)
	}
	defer in.Close()
	return do(s, in)
}

// SourceName is what a table calls a session: its place. A terminal shows the name of its file, which says more than
// the folders before it.
func SourceName(a *App, s *source.Session) string {
	if !a.Output.Term.Is || s.InDatabase {
		return s.Place()
	}
	return filepath.Base(s.Path)
}

// WatchReading shows how much of the sessions was read.
func WatchReading(a *App, task string, sessions []*source.Session) {
	if a.Progress == nil {
		return
	}
	total := source.Watch(sessions, a.Progress.Advance)
	a.Progress.Begin(task, total, ui.ByteUnit)
}

// SpoolStreams makes sure that every session can be read as often as it takes: what comes through a pipe is kept in a
// private file for this run.
func SpoolStreams(a *App, sessions []*source.Session) error {
	for _, s := range sessions {
		if s.CanReopen() {
			continue
		}
		file, err := s.Spool(a.Ctx, os.TempDir())
		if err != nil {
			return InputError(s.Path, err)
		}
		a.AtEnd(func() { file.Close() })
	}
	return nil
}
