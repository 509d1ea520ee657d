package reading

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"iter"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/parallel"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/source"
)

// OneSession resolves the operand of a command that works on exactly one session. Without an operand, the configuration
// may name the session.
func OneSession(a *cli.App, operands []string, s cli.Search) (*source.Session, error) {
	if len(operands) > 1 {
		return nil, cli.Usage("%s takes one session, got %d arguments", a.CommandName(), len(operands))
	}
	arguments, err := cli.ArgumentsOf(a, operands, s)
	if err != nil {
		return nil, err
	}
	m, err := cli.Find(a, arguments[0], s)
	if err != nil {
		return nil, err
	}
	if len(operands) == 0 && len(m.Sessions) > 1 && !m.ByName {
		if s, err := defaultSession(a, m.Sessions); s != nil || err != nil {
			return s, err
		}
	}
	if len(m.Sessions) > 1 {
		return nil, TooManySessions(a.CommandOn, m)
	}
	noteGeneration(a, namedBy(arguments[0], s), m.Sessions[0])
	return m.Sessions[0], nil
}

// namedBy is the name that an argument gives a session, or that --session gives it.
func namedBy(argument string, s cli.Search) string {
	if _, name, _, err := source.SplitPlace(argument); err == nil {
		argument = name
	}
	return cmp.Or(s.Session, argument)
}

// noteGeneration says that a key means an earlier generation, because no live session has it.
func noteGeneration(a *cli.App, name string, s *source.Session) {
	if s.Generation != "" && name == s.Key {
		a.Note("reading %s; no live session has the key %s", s.Name(), s.Key)
	}
}

// defaultSession is the session that the configuration names for commands without an argument; nil if it names none of
// these.
func defaultSession(a *cli.App, sessions []*source.Session) (*source.Session, error) {
	c, err := a.Configuration()
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

// TooManySessions is the failure of a command that takes one session and got several. commandOn is the command for one
// of them.
func TooManySessions(commandOn func(session string) string, m *source.Match) error {
	place := ""
	if len(m.Places) > 0 {
		place = m.Places[0].Path
	}
	source.SortByRecency(m.Sessions)
	first := m.Sessions[0]
	return failure.Usage(commandOn(place+"#"+first.Name()),
		"%d sessions match; name one of them:", len(m.Sessions)).WithList(NameList(m.Sessions))
}

// NameList lists the names of sessions.
func NameList(sessions []*source.Session) (names []string) {
	for _, s := range sessions {
		names = append(names, s.Name())
	}
	return names
}

// A Transcript is one session that is read twice: once for its index, and again for the text that is wanted of it. What
// cannot be opened twice, such as a pipe, is kept in memory.
type Transcript struct {
	App     *cli.App
	Session *source.Session
	Index   *rebuild.Index
	isWhole bool   // the index is that of rebuild.ScanBy
	Name    string // in reports
	Damage  error  // failure.Damaged, if some lines were
	Unended bool   // the last line has no line end
	Size    int64  // of its text
	Kept    *bytes.Buffer
	reader  *jsonl.Reader
	author  rebuild.Author
	open    func() (*source.Input, error)
}

// OpenTranscript reads a session into an index. Damaged lines are reported; the other lines are unaffected.
func OpenTranscript(a *cli.App, s *source.Session, program ProgramOption) (*Transcript, error) {
	return OpenWatched(a, s, program, func(*jsonl.Record) {})
}

// OpenHistory is OpenTranscript for a command that builds a context, which may begin in another file.
func OpenHistory(a *cli.App, s *source.Session, program ProgramOption) (*Transcript, error) {
	t := &Transcript{App: a, Session: s, author: program.AuthorOf(s), reader: &jsonl.Reader{}, open: s.OpenContext}
	t.isWhole = true
	return t, t.read(rebuild.ScanBy, func(*jsonl.Record) {})
}

// OpenWatched is OpenTranscript for a command that looks at the records in the first reading too.
func OpenWatched(
	a *cli.App, s *source.Session, program ProgramOption, visit func(*jsonl.Record),
) (*Transcript, error) {
	t := &Transcript{App: a, Session: s, author: program.AuthorOf(s), reader: &jsonl.Reader{}, open: s.Open}
	t.isWhole = true
	return t, t.read(rebuild.ScanBy, visit)
}

// OpenPath is OpenWatched for a command that shows the path, and reads all records again. The index is that of
// rebuild.ScanPath.
func OpenPath(
	a *cli.App, s *source.Session, program ProgramOption, visit func(*jsonl.Record),
) (*Transcript, error) {
	t := &Transcript{App: a, Session: s, author: program.AuthorOf(s), reader: &jsonl.Reader{}, open: s.Open}
	return t, t.read(rebuild.ScanPath, visit)
}

// A scanFunc reads records into an index.
type scanFunc func(rebuild.Author, *jsonl.Reader, func(*jsonl.Record)) (*rebuild.Index, error)

// read reads the session for the first time.
func (t *Transcript) read(scan scanFunc, visit func(*jsonl.Record)) error {
	a, s := t.App, t.Session
	cli.WatchReading(a, "Reading", []*source.Session{s})
	defer a.Progress.End()
	in, err := t.open()
	if err != nil {
		return cli.InputError(s.Place(), err)
	}
	defer in.Close()
	t.Name = in.Name
	stream := in.Reader
	if !s.OpensAgain() {
		t.Kept = &bytes.Buffer{}
		stream = io.TeeReader(in, t.Kept)
	}
	damage := &cli.DamageLog{Console: a.Console, Name: in.Name}
	t.reader.Reset(stream, t.readOptions())
	t.Index, err = scan(t.author, t.reader, func(rec *jsonl.Record) {
		damage.Count(rec)
		t.Unended = rec.Raw[len(rec.Raw)-1] != '\n'
		visit(rec)
		if a.Kept != nil {
			a.Kept.KeepIDs(rec)
		}
	})
	if err != nil {
		return t.Failed(err)
	}
	t.Size = t.reader.Offset()
	t.Damage = damage.Finish(t.reader.Dialect())
	if t.Damage != nil && t.Damage != failure.Damaged {
		return t.Damage
	}
	return nil
}

// readOptions are those of a transcript that is read alone.
func (t *Transcript) readOptions() jsonl.Options {
	return jsonl.Options{BeforeRead: t.App.Ctx.Err, Jobs: parallel.Share(0, 1, 1)}
}

// ContextAt returns what the model sees if the session ends at an entry; without one, at its last.
func (t *Transcript) ContextAt(leaf string) (*rebuild.Context, error) {
	context, err := t.Index.Context(leaf)
	if err == nil {
		return context, nil
	}
	f := failure.Reading(t.Name, err)
	var missing *rebuild.LeafError
	if errors.As(err, &missing) && !missing.InCycle && t.Kept == nil {
		f.Hint = "clawctl cat -q " + failure.Quote(t.Session.Place()) + " | jq -r '.id // empty'"
	}
	return nil, f
}

// Again reads the records once more.
func (t *Transcript) Again() iter.Seq2[*jsonl.Record, error] {
	return t.AgainFrom(rebuild.Place{}, nil)
}

// AgainFor reads the records once more, from the first one that a context is made from. Those before it need not be
// checked again.
func (t *Transcript) AgainFor(c *rebuild.Context) iter.Seq2[*jsonl.Record, error] {
	return t.AgainFrom(c.Start(), nil)
}

// AgainFrom reads the records from a place once more, and makes something of each of them where it is checked. A text
// that is not a file is read from its beginning.
func (t *Transcript) AgainFrom(
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
func (t *Transcript) restart(at rebuild.Place, prepare func() func(*jsonl.Record) any) (close func(), err error) {
	opts := t.readOptions()
	opts.Prepare = prepare
	if t.Kept != nil {
		t.reader.Reset(bytes.NewReader(t.Kept.Bytes()), opts)
		return func() {}, nil
	}
	cli.WatchReading(t.App, "Reading again", []*source.Session{t.Session})
	in, err := t.open()
	if err != nil {
		t.App.Progress.End()
		return nil, err
	}
	if at.Line > 0 && in.Skip(at.Offset) {
		opts.LinesBefore, opts.BytesBefore = at.Line-1, at.Offset
	}
	t.reader.Reset(in.Reader, opts)
	return func() { in.Close(); t.App.Progress.End() }, nil
}

// CompleteIndex reads the session again for what rebuild.ScanPath left out.
func (t *Transcript) CompleteIndex() error {
	close, err := t.restart(rebuild.Place{}, nil)
	if err != nil {
		return t.Failed(err)
	}
	defer close()
	index, err := rebuild.ScanBy(t.author, t.reader, nil)
	if err != nil {
		return t.Failed(err)
	}
	t.Index, t.isWhole = index, true
	return nil
}

// Failed gives an error of reading or writing its report.
func (t *Transcript) Failed(err error) error {
	return cli.ReadError(t.Name, err)
}

// PrintFramed prints objects that are made of the records, as they come, with the text of a frame around them.
func (t *Transcript) PrintFramed(around cli.Frame, objects func(emit func([]byte) error) error) error {
	out := bufio.NewWriterSize(t.App.Output, 1<<16)
	before, after := around.Before, around.Empty
	err := objects(func(object []byte) error {
		if t.App.Output.Term.Is {
			t.App.Progress.End() // objects scroll by in pieces, which progress would overwrite
		}
		out.WriteString(before)
		if _, err := out.Write(object); err != nil {
			return err
		}
		before, after = around.Between, around.After
		return nil
	})
	if err != nil {
		return t.Failed(err)
	}
	out.WriteString(after)
	return out.Flush()
}

// A ProgramOption is --program: whose rules decide what the model sees.
type ProgramOption struct{ Program string }

// Flag describes it.
func (o *ProgramOption) Flag() cli.Flag {
	f := cli.ChoiceFlag(&o.Program, "program", "PROGRAM", rebuild.Programs, "apply the rules of this program")
	return f.WithDefault("the one that wrote the transcript")
}

// Forced is the program that the flag names.
func (o *ProgramOption) Forced() rebuild.Program { return rebuild.ProgramNamed(o.Program) }

// An APIOption is --api: whose rules decide what can be sent.
type APIOption struct{ api string }

// Flag describes it.
func (o *APIOption) Flag() cli.Flag {
	f := cli.ChoiceFlag(&o.api, "api", "API", rebuild.APIs(), "apply the rules of this API to what is sent")
	return f.WithDefault("the one that the session uses")
}

// Asked is the API that the flag names.
func (o *APIOption) Asked() rebuild.API { return rebuild.APINamed(o.api) }

// AuthorOf is what is known about the author of a session before it is read.
func (o *ProgramOption) AuthorOf(s *source.Session) rebuild.Author {
	return rebuild.Author{Forced: o.Forced(), Folder: s.FolderOwner()}
}
