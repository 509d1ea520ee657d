package main

import (
	"errors"
	"iter"
	"slices"
	"time"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/parallel"
	"clawctl/internal/reading"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/export/dataset"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/follow"
	"clawctl/pkg/source"
)

func newCatCommand() *cli.Command {
	return &cli.Command{
		Options: &catOptions{},
		Formats: []string{"ndjson", "csv"},
		Streams: true,
	}
}

// catOptions are the flags of cat.
type catOptions struct {
	As     string           `flag:"as"`
	Types  []string         `flag:"type"`
	Strict bool             `flag:"strict: stop at the first damaged line"`
	Follow bool             `flag:"follow: print new records as they are written, until Ctrl-C" short:"f"`
	Raw    bool             `flag:"raw: with --format csv: do not mask what looks like a key or password"`
	Jobs   int              `flag:"jobs N: how many cores to use" default:"one per core"`
	Span   cli.RangeOptions `usage:"records"`
	cli.SourceOptions
}

// OwnFlags makes the flags.
func (o *catOptions) OwnFlags() []cli.Flag {
	types := cli.ListFlag(&o.Types, "type", "TYPE", "only records of this type", true)
	return cli.FlagsOf(o,
		cli.ChoiceFlag(&o.As, "as", "DIALECT", []string{"openclaw"}, "convert the records to this dialect"),
		types.Checked(func() error {
			if slices.Contains(o.Types, "") {
				return errors.New("must be a record type such as message, got an empty one")
			}
			return nil
		}))
}

// Run runs the command.
func (o *catOptions) Run(a *cli.App, operands []string) error {
	span, err := o.Span.Resolve(a)
	if err != nil {
		return err
	}
	p := &recordPrinter{App: a, catOptions: o, span: span, reader: &jsonl.Reader{}, out: jsonl.NewWriter(a.Output)}
	switch {
	case a.Format == "csv":
		p.sheet = dataset.NewSheet(a.Output, &redact.Masker{Raw: o.Raw})
	case o.Raw:
		return failure.Usage(a.CommandLine("--format", "csv"), "--raw needs --format csv")
	}
	search := cli.Search{SourceOptions: o.SourceOptions, Defaults: cli.LiveOnly, Stdin: true, AnyText: true}
	if o.Follow {
		return p.followAll(operands, search)
	}
	err = cli.EachSession(a, operands, search, p.printAny)
	if flushErr := p.flush(); flushErr != nil {
		return flushErr
	}
	if err != nil {
		return err
	}
	// A type that a program writes may be missing. One that no program writes and no record has is refused.
	isKnown := func(t string) bool { return slices.Contains(jsonl.Types(), t) }
	if p.matched || !p.mismatched || slices.ContainsFunc(o.Types, isKnown) {
		return nil
	}
	typed, hint := o.Types[0], "clawctl help cat"
	if near := failure.Nearest(typed, jsonl.Types()); near != "" {
		hint = a.CommandLine("--type", near)
	}
	return failure.Usage(hint, "--type %s: no record has this type, and no program writes it", typed)
}

// A recordPrinter prints the records of one transcript after the other.
type recordPrinter struct {
	*cli.App
	*catOptions
	span       cli.TimeRange
	reader     *jsonl.Reader
	out        *jsonl.Writer
	sheet      *dataset.Sheet // of --format csv, or nil
	matched    bool           // some record was printed
	mismatched bool           // some record was left out because of its type
	unended    bool           // the last line that was printed has no line end
}

// printAny prints one transcript. A file that is none is called that, once and first, and printed only if it is a text.
func (p *recordPrinter) printAny(s *source.Session) error {
	foreign := s.Illegible()
	if foreign == nil || p.Strict {
		return cli.WithInput(p.App, s, p.print)
	}
	f := foreign.FailureAt("")
	p.Complain(f)
	if !foreign.IsBinary && p.sheet == nil {
		if err := cli.WithInput(p.App, s, p.printForeign); err != nil {
			return err
		}
	}
	return &failure.ReportedError{Exit: f.Status(), Done: !foreign.IsBinary}
}

// printForeign prints a text that is not a transcript.
func (p *recordPrinter) printForeign(_ *source.Session, in *source.Input) error {
	p.reader.Reset(in.Reader, jsonl.Options{BeforeRead: p.beforeRead, Verbatim: true})
	for rec, err := range p.reader.All() {
		if err != nil {
			return cli.ReadError(in.Name, err)
		}
		if !p.wants(rec, time.Time{}) {
			continue
		}
		if err := p.write(rec); err != nil {
			return err
		}
	}
	return nil
}

// print prints one transcript.
func (p *recordPrinter) print(s *source.Session, in *source.Input) error {
	jobs := parallel.Share(p.Jobs, 1, 1)
	p.reader.Reset(in.Reader, jsonl.Options{Strict: p.Strict, BeforeRead: p.beforeRead, Jobs: jobs,
		Verbatim: !p.converts() && !p.filters() && p.sheet == nil})
	printed := p.begin(s, in.Name)
	for rec, err := range p.records(s) {
		if err != nil {
			return cli.ReadError(in.Name, err)
		}
		if err := p.take(printed, rec); err != nil {
			return err
		}
	}
	if err := p.flush(); err != nil {
		return err
	}
	return printed.damage.Finish(p.reader.Dialect())
}

// A printedSession is what is known about a transcript while it is printed.
type printedSession struct {
	damage cli.DamageLog
	last   time.Time // of the last record that had one
	rows   *dataset.SheetSession
}

// begin begins a transcript.
func (p *recordPrinter) begin(s *source.Session, name string) *printedSession {
	printed := &printedSession{damage: cli.DamageLog{Console: p.Console, Name: name}}
	if p.sheet != nil {
		printed.rows = p.sheet.Session(s)
	}
	return printed
}

// flush passes on what was printed so far.
func (p *recordPrinter) flush() error {
	if p.sheet != nil {
		return p.sheet.Flush()
	}
	return p.out.Flush()
}

// take prints a record of a transcript, if it is wanted.
func (p *recordPrinter) take(s *printedSession, rec *jsonl.Record) error {
	s.damage.Count(rec)
	if !p.span.IsAll() {
		if t, ok := rec.Time(); ok {
			s.last = t
		}
	}
	var err error
	switch isWanted := p.wants(rec, s.last); {
	case s.rows != nil:
		_, err = s.rows.Record(rec, isWanted)
	case isWanted:
		err = p.write(rec)
	}
	return err
}

// followAll prints the records of all sessions, and then those that are appended.
func (p *recordPrinter) followAll(operands []string, s cli.Search) error {
	f := &reading.Follower{App: p.App, Search: s}
	p.AtEnd(func() { f.Group.Close() })
	arguments, err := cli.ArgumentsOf(p.App, operands, s)
	switch {
	case err != nil:
		return err
	case p.converts():
		return cli.Conflict("--as", "--follow") // an entry's id depends on those before it
	}
	if err := f.Check(arguments); err != nil {
		return err
	}
	for _, argument := range arguments {
		if err := f.Add(argument); err != nil {
			return err
		}
	}
	printed := map[*source.Session]*printedSession{}
	return f.Run(func(m *follow.Member, e *follow.Event) error {
		if e.Record == nil {
			return nil
		}
		s := printed[m.Session]
		if s == nil {
			s = p.begin(m.Session, m.Session.Place())
			printed[m.Session] = s
		}
		if p.Strict && e.Record.Damage != nil {
			return e.Record.Damage.FailureAt(m.Session.Place())
		}
		return p.take(s, e.Record)
	}, p.beforeRead)
}

// records returns the records of a session in the dialect that was asked for.
func (p *recordPrinter) records(s *source.Session) iter.Seq2[*jsonl.Record, error] {
	if p.converts() {
		return jsonl.ToOpenClaw(p.reader.All(), s.ID)
	}
	return p.reader.All()
}

func (p *recordPrinter) converts() bool { return p.As != "" }

// filters reports whether some records are left out.
func (p *recordPrinter) filters() bool { return len(p.Types) > 0 || !p.span.IsAll() }

// beforeRead passes on what was read so far before a read that may wait, and notices an interruption.
func (p *recordPrinter) beforeRead() error {
	if err := p.Ctx.Err(); err != nil {
		return err
	}
	return p.flush()
}

// wants decides whether a record is printed. Without a filter, every byte is.
func (p *recordPrinter) wants(rec *jsonl.Record, at time.Time) bool {
	switch {
	case (p.converts() || p.filters()) && !rec.Legible():
		return false
	case !p.filters():
	case !p.span.Contains(at):
		return false
	case len(p.Types) > 0 && !slices.Contains(p.Types, rec.StatedType()):
		p.mismatched = true
		return false
	}
	p.matched = true
	return true
}

// write prints a record: byte for byte if everything is printed, otherwise as a line of its own. If an input does not
// end with a line end, one is put between it and the next, so that records never run together.
func (p *recordPrinter) write(rec *jsonl.Record) error {
	if p.converts() || p.filters() {
		return p.out.WriteRecord(rec.Text())
	}
	if p.unended && rec.Offset == 0 {
		if err := p.out.WriteRaw([]byte("\n")); err != nil {
			return err
		}
	}
	p.unended = rec.Raw[len(rec.Raw)-1] != '\n'
	return p.out.WriteRaw(rec.Raw)
}
