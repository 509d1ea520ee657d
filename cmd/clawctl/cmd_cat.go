package main

import (
	"errors"
	"iter"
	"slices"
	"time"

	"clawctl/internal/failure"
	"clawctl/internal/parallel"
	"clawctl/pkg/follow"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
)

func newCatCommand() *command {
	o := &catOptions{}
	c := &command{
		name: "cat", group: "read", operands: "[SOURCE]...", summary: "Print the records of transcripts, one per line",
		about: "Reads transcripts of every dialect, plain or compressed (.zst, .gz), checks every line, and prints it " +
			"byte for byte. Damaged lines are printed too, and reported on stderr with file, line, byte and code.\n\n" +
			"A SOURCE is a file, a folder, a database, PLACE#SESSION, the name of a session, or - for stdin (see clawctl " +
			"help sources). Without SOURCE, --session, --agent or --kind, it reads stdin. From a folder or database, " +
			"it prints the live sessions unless --kind or --session says otherwise.\n\n" +
			"With --type, --since or --until, only intact records that match are printed. A record without a time " +
			"counts as written when the record before it was.\n\n" +
			"With --as openclaw, records of any dialect are printed as OpenClaw's version 3. Their ids are the same every " +
			"time. Damaged lines are left out.\n\n" +
			"With -f, it goes on with the records that are appended, as tail does (see clawctl help tail), until Ctrl-C, " +
			"which is exit status 130. A last line without a line end is printed when it is complete.",
		examples: []example{
			{"Count the records of each type",
				"clawctl cat ~/.openclaw/agents/main/sessions/*.jsonl | jq -r .type | sort | uniq -c"},
			{"Print the messages of the last week", "clawctl cat --type message --since 7d SESSION.jsonl.zst"},
			{"Print one session by its key", "clawctl cat agent:main:main"},
			{"Convert a claw0 transcript to OpenClaw's format",
				"clawctl cat --as openclaw workspace/.sessions/transcripts/main_cli_user_0a1b2c.jsonl > session.jsonl"},
			{"Copy what a session gets from now on", "clawctl cat -f --since today agent:main:main >> today.jsonl"},
		},
		exits: []int{
			failure.ExitOK, failure.ExitUsage, failure.ExitDamaged, failure.ExitNothing, failure.ExitDatabase,
			failure.ExitLocked, failure.ExitInterrupted,
		},
		flags:   o.flags(),
		formats: []string{"ndjson"},
		streams: true,
	}
	c.run = func(a *app, operands []string) error { return o.run(a, c, operands) }
	return c
}

// catOptions are the flags of cat.
type catOptions struct {
	sourceOptions
	span   rangeOptions
	as     string
	types  []string
	strict bool
	follow bool
	jobs   int
}

func (o *catOptions) flags() []flag {
	types := listFlag(&o.types, "type", "TYPE", "only records of this type", true)
	flags := []flag{
		choiceFlag(&o.as, "as", "DIALECT", []string{"openclaw"}, "convert the records to this dialect"),
		types.checked(func() error {
			if slices.Contains(o.types, "") {
				return errors.New("must be a record type such as message, got an empty one")
			}
			return nil
		}),
		switchFlag(&o.strict, "strict", "stop at the first damaged line"),
		switchFlag(&o.follow, "follow", "print new records as they are written, until Ctrl-C").withShort("f"),
		jobsFlag(&o.jobs, "how many cores to use"),
	}
	return slices.Concat(flags, o.span.flags("records"), o.sourceOptions.flags())
}

func (o *catOptions) run(a *app, c *command, operands []string) error {
	span, err := o.span.resolve(a.now())
	if err != nil {
		return err
	}
	p := &recordPrinter{app: a, catOptions: o, span: span, reader: &jsonl.Reader{}, out: jsonl.NewWriter(a.output)}
	search := search{sourceOptions: o.sourceOptions, defaults: live, stdin: true, anyText: true}
	if o.follow {
		return p.followAll(c, operands, search)
	}
	err = eachSession(a, operands, search, p.print)
	if flushErr := p.out.Flush(); flushErr != nil {
		return writeError(a, flushErr)
	}
	p.explainNothing()
	return err
}

// A recordPrinter prints the records of one transcript after the other.
type recordPrinter struct {
	*app
	*catOptions
	span       timeRange
	reader     *jsonl.Reader
	out        *jsonl.Writer
	matched    bool // some record was printed
	mismatched bool // some record was left out because of its type
	unended    bool // the last line that was printed has no line end
}

// print prints one transcript.
func (p *recordPrinter) print(s *source.Session, in *source.Input) error {
	jobs := parallel.Share(p.jobs, 1, 1)
	p.reader.Reset(in.Reader, jsonl.Options{Strict: p.strict, BeforeRead: p.beforeRead, Jobs: jobs})
	printed := &printedSession{damage: damageLog{console: p.console, name: in.Name}}
	for rec, err := range p.records(s) {
		if err != nil {
			return readError(p.app, in.Name, err)
		}
		if err := p.take(printed, rec); err != nil {
			return err
		}
	}
	if err := p.out.Flush(); err != nil {
		return writeError(p.app, err)
	}
	return printed.damage.finish(p.reader.Dialect())
}

// A printedSession is what is known about a transcript while it is printed.
type printedSession struct {
	damage damageLog
	last   time.Time // of the last record that had one
}

// take prints a record of a transcript, if it is wanted.
func (p *recordPrinter) take(s *printedSession, rec *jsonl.Record) error {
	s.damage.count(rec)
	if !p.span.isAll() {
		if t, ok := rec.Time(); ok {
			s.last = t
		}
	}
	if !p.wants(rec, s.last) {
		return nil
	}
	if err := p.write(rec); err != nil {
		return writeError(p.app, err)
	}
	return nil
}

// followAll prints the records of all sessions, and then those that are appended.
func (p *recordPrinter) followAll(c *command, operands []string, s search) error {
	f := &following{app: p.app, search: s}
	p.atEnd(func() { f.group.Close() })
	arguments, err := argumentsOf(p.app, operands, s)
	switch {
	case err != nil:
		return err
	case p.converts():
		return c.conflict("--as", "--follow") // an entry's id depends on those before it
	}
	if err := f.check(c, arguments); err != nil {
		return err
	}
	for _, argument := range arguments {
		if err := f.add(argument); err != nil {
			return err
		}
	}
	printed := map[*source.Session]*printedSession{}
	return f.run(func(m *follow.Member, e *follow.Event) error {
		if e.Record == nil {
			return nil
		}
		s := printed[m.Session]
		if s == nil {
			s = &printedSession{damage: damageLog{console: p.console, name: m.Session.Place()}}
			printed[m.Session] = s
		}
		if p.strict && e.Record.Damage != nil {
			return damageError(m.Session.Place(), e.Record.Damage)
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

func (p *recordPrinter) converts() bool { return p.as != "" }

// filters reports whether some records are left out.
func (p *recordPrinter) filters() bool { return len(p.types) > 0 || !p.span.isAll() }

// beforeRead passes on what was read so far before a read that may wait, and notices an interruption.
func (p *recordPrinter) beforeRead() error {
	if err := p.ctx.Err(); err != nil {
		return err
	}
	if err := p.out.Flush(); err != nil {
		return &writeFailure{err}
	}
	return nil
}

// wants decides whether a record is printed. Without a filter, every byte is.
func (p *recordPrinter) wants(rec *jsonl.Record, at time.Time) bool {
	switch {
	case (p.converts() || p.filters()) && !rec.Legible():
		return false
	case !p.filters():
	case !p.span.contains(at):
		return false
	case len(p.types) > 0 && !slices.Contains(p.types, rec.StatedType()):
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

// explainNothing helps a user who asked for a type that does not exist.
func (p *recordPrinter) explainNothing() {
	isKnown := func(t string) bool { return slices.Contains(jsonl.Types, t) }
	if p.matched || !p.mismatched || slices.ContainsFunc(p.types, isKnown) {
		return
	}
	if near := nearest(p.types[0], jsonl.Types); near != "" {
		p.note("no record of type %s; did you mean %s?", p.types[0], near)
	}
}
