package main

import (
	"iter"
	"slices"
	"strings"
	"time"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"

	"github.com/urfave/cli/v2"
)

func catCommand() *command {
	return &command{
		name: "cat", group: "look", args: "[SOURCE]...", summary: "the records of transcripts, verbatim or as OpenClaw writes them, one a line",
		about: "Reads transcripts of every dialect, plain or compressed (.zst, .gz), checks every line, and prints what it read byte for byte. " +
			"Damaged lines are printed too, and reported on stderr with file, line, byte and code; they cost nothing but themselves. " +
			"A SOURCE is a file, a folder, a database of OpenClaw's, PLACE#SESSION, or - for stdin, which is also read without any. " +
			"Of a folder or database the live sessions are printed, unless --kind or --session says otherwise.\n\n" +
			"With --type, --since or --until only the whole records that match are printed; a record without a time has that of the record before. " +
			"With --as openclaw the records of any dialect are printed as OpenClaw's version 3, with ids that are the same every time; " +
			"damaged lines are left out.",
		examples: []string{
			"clawctl cat ~/.openclaw/agents/main/sessions/*.jsonl | jq -r .type | sort | uniq -c",
			"clawctl cat --type message --since 7d SESSION.jsonl.zst",
			"clawctl cat ~/.openclaw#agent:main:main",
			"clawctl cat --as openclaw workspace/.sessions/transcripts/main_cli_user_0a1b2c.jsonl > session.jsonl",
		},
		exits: []int{exitOK, exitUsage, exitDamaged, exitNothing, exitDatabase, exitLocked, exitInterrupted},
		flags: append([]cli.Flag{
			&cli.StringFlag{Name: "as", Usage: "convert to `DIALECT`: openclaw"},
			&cli.StringSliceFlag{Name: "type", Usage: "only records of this `TYPE`; repeat it or separate with commas"},
			&cli.StringFlag{Name: "since", Usage: "only records from this `TIME` on: RFC 3339, a date, 7d, yesterday"},
			&cli.StringFlag{Name: "until", Usage: "only records before this `TIME`"},
			&cli.BoolFlag{Name: "strict", Usage: "stop at the first damaged line"},
		}, sourceFlags()...),
		formats: []string{"ndjson"},
		run:     runCat,
	}
}

// A catRun is one run of cat.
type catRun struct {
	*app
	as      string
	types   []string
	span    timeRange
	strict  bool
	reader  *jsonl.Reader
	out     *jsonl.Writer
	matched bool
	seen    map[string]bool // record types, kept only to explain an empty answer
	open    bool            // the last line that was printed has no end
	input   *source.Input   // being read
}

func runCat(a *app, ctx *cli.Context) error {
	c := &catRun{app: a, as: ctx.String("as"), strict: ctx.Bool("strict"), reader: &jsonl.Reader{}, out: jsonl.NewWriter(a.output), seen: map[string]bool{}}
	if ctx.IsSet("as") && c.as != "openclaw" {
		return usageError("clawctl help cat", "--as knows openclaw, not %q", c.as)
	}
	for _, list := range ctx.StringSlice("type") {
		c.types = append(c.types, strings.Split(list, ",")...)
	}
	if slices.Contains(c.types, "") {
		return usageError("clawctl cat --type message", "--type needs a record type")
	}
	var err error
	if c.span, err = a.parseRange(ctx); err != nil {
		return err
	}
	args := ctx.Args().Slice()
	if len(args) == 0 {
		if isTerminal(a.stdin) {
			return usageError("clawctl help cat", "no transcript given, and stdin is a terminal")
		}
		args = []string{"-"}
	}
	err = a.eachSession(ctx, args, c.session)
	if flushErr := c.out.Flush(); flushErr != nil {
		return a.writeError(flushErr)
	}
	c.explainNothing()
	return err
}

// session prints one transcript.
func (c *catRun) session(s *source.Session, in *source.Input) error {
	c.input = in
	defer func() { c.progress.finish(in.Position(c.reader.Offset())) }()
	c.reader.Reset(in.Reader, jsonl.Options{Strict: c.strict, BeforeRead: c.beforeRead})
	damage := &damageLog{app: c.app, name: in.Name}
	var last time.Time
	for rec, err := range c.records(s) {
		if err != nil {
			return c.readError(in.Name, err)
		}
		damage.count(rec)
		if !c.span.isAll() {
			if t, ok := rec.Time(); ok {
				last = t
			}
		}
		if !c.wants(rec, last) {
			continue
		}
		if err := c.write(rec); err != nil {
			return c.writeError(err)
		}
	}
	if err := c.out.Flush(); err != nil {
		return c.writeError(err)
	}
	return damage.finish(c.reader.Dialect())
}

// records returns what is to be printed of a session.
func (c *catRun) records(s *source.Session) iter.Seq2[*jsonl.Record, error] {
	if c.as == "openclaw" {
		return jsonl.ToOpenClaw(c.reader.All(), s.ID)
	}
	return c.reader.All()
}

// beforeRead lets what was read so far out before a read that may wait, and notices an interruption.
func (c *catRun) beforeRead() error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	c.progress.show(c.input.Name, c.input.Position(c.reader.Offset()), c.input.Size)
	if err := c.out.Flush(); err != nil {
		return &writeFailure{err}
	}
	return nil
}

// wants decides whether a record is printed. Without a filter every byte is.
func (c *catRun) wants(rec *jsonl.Record, at time.Time) bool {
	if c.as != "" && !rec.Legible() {
		return false
	}
	if len(c.types) == 0 && c.span.isAll() {
		c.matched = true
		return true
	}
	if !rec.Legible() || !c.span.contains(at) {
		return false
	}
	if len(c.types) > 0 && !slices.Contains(c.types, rec.Type()) {
		if !c.matched && len(c.seen) < len(jsonl.Types) {
			c.seen[rec.Type()] = true
		}
		return false
	}
	c.matched = true
	return true
}

// write prints a record: byte for byte where everything is printed, else as a line of its own. Where an input does not
// end with a line end, one is put between it and the next: records are never glued together.
func (c *catRun) write(rec *jsonl.Record) error {
	if c.as != "" || len(c.types) > 0 || !c.span.isAll() {
		return c.out.WriteRecord(rec.Text())
	}
	if c.open && rec.Offset == 0 {
		if err := c.out.WriteRaw([]byte("\n")); err != nil {
			return err
		}
	}
	c.open = rec.LineEnd() == ""
	return c.out.WriteRaw(rec.Raw)
}

// explainNothing helps somebody who asked for a type that is not there.
func (c *catRun) explainNothing() {
	if c.matched || len(c.types) == 0 || len(c.seen) == 0 {
		return
	}
	for _, t := range c.types {
		if slices.Contains(jsonl.Types, t) {
			return
		}
	}
	if near := nearest(c.types[0], jsonl.Types); near != "" {
		c.note("no record of type %s; did you mean %s?", c.types[0], near)
	}
}
