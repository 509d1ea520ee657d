package main

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"iter"
	"os"
	"runtime/debug"

	"clawctl/internal/failure"
	"clawctl/internal/parallel"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// oneSession resolves the operand of a command that works on exactly one session. Without an operand, the configuration
// may name the session.
func oneSession(a *app, command string, operands []string, s search) (*source.Session, error) {
	if len(operands) > 1 {
		return nil, failure.Usage("clawctl help "+command, "%s takes one session, got %d arguments", command, len(operands))
	}
	arguments, err := argumentsOf(a, operands, s)
	if err != nil {
		return nil, err
	}
	m, err := find(a, arguments[0], s)
	if err != nil {
		return nil, err
	}
	if len(operands) == 0 && len(m.Sessions) > 1 && !m.ByName {
		if s, err := defaultSession(a, m.Sessions); s != nil || err != nil {
			return s, err
		}
	}
	if len(m.Sessions) > 1 {
		return nil, tooManySessions(command, m)
	}
	noteGeneration(a, namedBy(arguments[0], s), m.Sessions[0])
	return m.Sessions[0], nil
}

// namedBy is the name that an argument gives a session, or that --session gives it.
func namedBy(argument string, s search) string {
	if _, name, _, err := source.SplitPlace(argument); err == nil {
		argument = name
	}
	return cmp.Or(s.session, argument)
}

// noteGeneration says that a key means an earlier generation, because no live session has it.
func noteGeneration(a *app, name string, s *source.Session) {
	if s.Generation != "" && name == s.Key {
		a.note("reading %s; no live session has the key %s", s.Name(), s.Key)
	}
}

// defaultSession is the session that the configuration names for commands without an argument; nil if it names none of
// these.
func defaultSession(a *app, sessions []*source.Session) (*source.Session, error) {
	c, err := a.configuration()
	if err != nil || c.Session.DefaultKey == "" {
		return nil, err
	}
	for _, s := range sessions {
		if s.Name() == c.Session.DefaultKey {
			return s, nil
		}
	}
	return nil, nil
}

// tooManySessions is the failure of a command that takes one session and got several.
func tooManySessions(command string, m *source.Match) error {
	place := ""
	if len(m.Places) > 0 {
		place = m.Places[0].Path
	}
	first := m.Sessions[0]
	return failure.Usage(failure.Command("clawctl", command, place+"#"+first.Name()),
		"%d sessions match; name one of them:", len(m.Sessions)).WithList(nameList(m.Sessions))
}

// nameList lists the first names.
func nameList(sessions []*source.Session) (names []string) {
	const most = 10
	for _, s := range sessions[:min(most, len(sessions))] {
		names = append(names, s.Name())
	}
	if len(sessions) > most {
		names = append(names, "...")
	}
	return names
}

// A transcript is one session that is read twice: once for its index, and again for the text that is wanted of it. What
// cannot be opened twice, such as a pipe, is kept in memory.
type transcript struct {
	*app
	session *source.Session
	index   *rebuild.Index
	name    string // in reports
	damage  error  // failure.Damaged, if some lines were
	unended bool   // the last line has no line end
	size    int64  // of its text
	kept    *bytes.Buffer
	reader  *jsonl.Reader
	author  rebuild.Author
	notes   *jsonl.Notes // of the first reading; nil if none are taken
	stamp   store.Stamp  // of the file before the first reading
	open    func() (*source.Input, error)
}

// openTranscript reads a session into an index. Damaged lines are reported; the other lines are unaffected.
func openTranscript(a *app, s *source.Session, program programOption) (*transcript, error) {
	return openWatched(a, s, program, func(*jsonl.Record) {})
}

// openHistory is openTranscript for a command that builds a context, which may begin in another file.
func openHistory(a *app, s *source.Session, program programOption) (*transcript, error) {
	t := &transcript{app: a, session: s, author: program.authorOf(s), reader: &jsonl.Reader{}, open: s.OpenContext}
	return t, t.read(rebuild.ScanBy, func(*jsonl.Record) {})
}

// openWatched is openTranscript for a command that looks at the records in the first reading too.
func openWatched(
	a *app, s *source.Session, program programOption, visit func(*jsonl.Record),
) (*transcript, error) {
	t := &transcript{app: a, session: s, author: program.authorOf(s), reader: &jsonl.Reader{}, open: s.Open}
	return t, t.read(rebuild.ScanBy, visit)
}

// openPath is openWatched for a command that shows the path, and reads all records again. The index is that of
// rebuild.ScanPath.
func openPath(
	a *app, s *source.Session, program programOption, visit func(*jsonl.Record),
) (*transcript, error) {
	t := &transcript{app: a, session: s, author: program.authorOf(s), reader: &jsonl.Reader{}, notes: &jsonl.Notes{},
		open: s.Open}
	return t, t.read(rebuild.ScanPath, visit)
}

// A scanFunc reads records into an index.
type scanFunc func(rebuild.Author, *jsonl.Reader, func(*jsonl.Record)) (*rebuild.Index, error)

// read reads the session for the first time.
func (t *transcript) read(scan scanFunc, visit func(*jsonl.Record)) error {
	a, s := t.app, t.session
	watchReading(a, "Reading", []*source.Session{s})
	defer a.progress.End()
	in, err := t.open()
	if err != nil {
		return inputError(s.Place(), err)
	}
	defer in.Close()
	t.name = in.Name
	stream := in.Reader
	if !opensAgain(s) {
		t.kept = &bytes.Buffer{}
		stream = io.TeeReader(in, t.kept)
	}
	if t.stamp, err = in.Stamp(); err != nil || t.kept == nil && t.stamp == (store.Stamp{}) {
		t.notes = nil // nothing would tell that the text has changed
	}
	damage := &damageLog{console: a.console, name: in.Name}
	t.reader.Reset(stream, t.readOptions())
	t.index, err = scan(t.author, t.reader, func(rec *jsonl.Record) {
		damage.count(rec)
		t.unended = rec.Raw[len(rec.Raw)-1] != '\n'
		visit(rec)
		if a.kept != nil {
			a.kept.KeepIDs(rec)
		}
	})
	if err != nil {
		return t.failed(err)
	}
	t.size = t.reader.Offset()
	t.damage = damage.finish(t.reader.Dialect())
	if t.damage != nil && t.damage != failure.Damaged {
		return t.damage
	}
	return nil
}

// readOptions are those of a transcript that is read alone.
func (t *transcript) readOptions() jsonl.Options {
	return jsonl.Options{BeforeRead: t.ctx.Err, Jobs: parallel.Share(0, 1, 1), Notes: t.notes}
}

// contextAt returns what the model sees if the session ends at an entry; without one, at its last.
func (t *transcript) contextAt(leaf string) (*rebuild.Context, error) {
	context, err := t.index.Context(leaf)
	if err == nil {
		return context, nil
	}
	f := failure.New(failure.Nothing, "%v", err).At(t.name)
	if errors.Is(err, rebuild.ErrNoEntry) {
		f.Text = "no entry " + leaf
		if t.kept == nil {
			f.Hint = "clawctl cat -q " + failure.Quote(t.session.Place()) + " | jq -r '.id // empty'"
		}
	}
	return nil, f
}

// opensAgain reports whether a session can be read a second time.
func opensAgain(s *source.Session) bool {
	if s.InDatabase || s.InBundle() {
		return true
	}
	info, err := os.Stat(s.Path)
	return err == nil && info.Mode().IsRegular()
}

// again reads the records once more.
func (t *transcript) again() iter.Seq2[*jsonl.Record, error] {
	return t.againFrom(rebuild.Place{}, nil)
}

// againFor reads the records once more, from the first one that a context is made from. Those before it need not be
// checked again.
func (t *transcript) againFor(c *rebuild.Context) iter.Seq2[*jsonl.Record, error] {
	return t.againFrom(c.Start(), nil)
}

// againFrom reads the records from a place once more, and makes something of each of them where it is checked. A text
// that is not a file is read from its beginning.
func (t *transcript) againFrom(
	at rebuild.Place, prepare func() func(*jsonl.Record) any,
) iter.Seq2[*jsonl.Record, error] {
	return func(yield func(*jsonl.Record, error) bool) {
		close, err := t.restart(at, prepare)
		if err != nil {
			yield(nil, err)
			return
		}
		defer close()
		t.reader.All()(yield)
	}
}

// restart makes the reader read the session again from a place, and returns what ends that.
func (t *transcript) restart(at rebuild.Place, prepare func() func(*jsonl.Record) any) (close func(), err error) {
	opts := t.readOptions()
	opts.Prepare = prepare
	if t.kept != nil {
		t.reader.Reset(bytes.NewReader(t.kept.Bytes()), opts)
		return func() {}, nil
	}
	watchReading(t.app, "Reading again", []*source.Session{t.session})
	in, err := t.open()
	if err != nil {
		t.progress.End()
		return nil, err
	}
	if at.Line > 0 && in.Skip(at.Offset) {
		opts.LinesBefore, opts.BytesBefore = at.Line-1, at.Offset
	}
	if opts.Notes != nil {
		opts.Notes.IsSame = func() bool {
			stamp, err := in.Stamp()
			return err == nil && stamp == t.stamp
		}
	}
	t.reader.Reset(in.Reader, opts)
	return func() { in.Close(); t.progress.End() }, nil
}

// completeIndex reads the session again for what rebuild.ScanPath left out.
func (t *transcript) completeIndex() error {
	close, err := t.restart(rebuild.Place{}, nil)
	if err != nil {
		return t.failed(err)
	}
	defer close()
	index, err := rebuild.ScanBy(t.author, t.reader, nil)
	if err != nil {
		return t.failed(err)
	}
	t.index = index
	return nil
}

// failed gives an error of reading or writing its report.
func (t *transcript) failed(err error) error {
	if t.ctx.Err() != nil {
		return interrupted(t.app)
	}
	return readError(t.app, t.name, err)
}

// collectLess makes the garbage collector come late, for work that makes much garbage and keeps little: an import is a
// tenth faster for some 15 MB more. It returns what restores the old state.
func collectLess() func() {
	before := debug.SetGCPercent(150)
	return func() { debug.SetGCPercent(before) }
}

// keepSmall makes the garbage collector come early: an index is large and free of pointers, so that a collection takes
// a few milliseconds, and one that comes late doubles the memory. It returns what restores the old state.
func keepSmall() func() {
	before := debug.SetGCPercent(30)
	return func() { debug.SetGCPercent(before) }
}
