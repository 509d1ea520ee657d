package main

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
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

// eachSession opens the live sessions of one argument after the other. One that cannot be read is reported at once and
// does not stop those behind it; the worst decides the exit code.
func (a *app) eachSession(ctx *cli.Context, args []string, do func(*source.Session, *source.Input) error) error {
	if _, err := sourceFilter(ctx); err != nil {
		return err
	}
	worst := &reported{done: true}
	for _, arg := range args {
		f, err := a.find(ctx, []string{arg}, []source.Kind{source.Live}, false)
		if a.ctx.Err() != nil {
			return errInterrupted
		}
		if err != nil {
			a.blame(worst, err)
			continue
		}
		if !f.named {
			a.blameProblems(worst, f)
		}
		for _, s := range f.sessions {
			err := a.withInput(s, do)
			if a.ctx.Err() != nil {
				return errInterrupted
			}
			if isClosedPipe(err) || errors.As(err, new(*writeFailure)) {
				return err
			}
			a.blame(worst, err)
		}
	}
	if worst.exit == exitOK {
		return nil
	}
	return worst
}

// blameProblems reports the parts of places that cannot be read.
func (a *app) blameProblems(worst *reported, f *found) {
	for _, p := range f.places {
		for _, problem := range p.Problems {
			if failed := problemFailure(problem); failed != nil {
				a.blame(worst, failed)
			}
		}
	}
}

// exitRanks orders exit codes from the least to the worst.
var exitRanks = []int{exitOK, exitDamaged, exitNothing, exitDatabase, exitLocked, exitUsage}

// blame reports an error, unless that has been done, and remembers the worst.
func (a *app) blame(worst *reported, err error) {
	exit, done := exitOK, true
	var f *failure
	var r *reported
	switch {
	case errors.As(err, &f):
		a.complain(f)
		exit, done = f.exit, f.done
	case errors.As(err, &r):
		exit, done = r.exit, r.done
	case err != nil:
		a.complain(&failure{code: codeIO, text: err.Error()})
		exit, done = exitUsage, false
	}
	worst.done = worst.done && done
	if slices.Index(exitRanks, exit) > slices.Index(exitRanks, worst.exit) {
		worst.exit = exit
	}
}

func (a *app) withInput(s *source.Session, do func(*source.Session, *source.Input) error) error {
	in, err := s.Open()
	if err != nil {
		return inputError(s.Place(), err)
	}
	defer in.Close()
	return do(s, in)
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

// A writeFailure marks an error of the output that came up while reading.
type writeFailure struct{ err error }

func (w *writeFailure) Error() string { return w.err.Error() }
func (w *writeFailure) Unwrap() error { return w.err }

func (a *app) readError(name string, err error) error {
	var w *writeFailure
	if errors.As(err, &w) {
		return a.writeError(w.err)
	}
	return inputError(name, err)
}

// writeError describes a failed write; a closed pipe is left to report, which says nothing about it.
func (a *app) writeError(err error) error {
	if isClosedPipe(err) {
		return err
	}
	return &writeFailure{outputError(a.output.name, err)}
}

// damageShown is how many damaged lines of a file are reported one by one, unless --verbose.
const damageShown = 10

// A damageLog reports the damaged lines of one input.
type damageLog struct {
	*app
	name           string
	lines, damaged int64
	records        int64
	first          *jsonl.Damage
}

func (d *damageLog) count(rec *jsonl.Record) {
	d.lines = max(d.lines, rec.Line)
	if rec.Legible() {
		d.records++
	}
	if rec.Damage == nil || rec.Continued {
		return
	}
	d.damaged++
	if d.first == nil {
		d.first = rec.Damage
	}
	if d.damaged > damageShown && !d.verbose {
		return
	}
	var f *failure
	errors.As(inputError(d.name, rec.Damage), &f)
	f.hint = ""
	d.complain(f)
}

// finish sums up. It returns errDamaged where there was damage, and a failure where there was nothing else.
func (d *damageLog) finish(dialect jsonl.Dialect) error {
	if d.verbose {
		d.note("%s: %s, %d lines, %d records, %d damaged", d.name, dialect, d.lines, d.records, d.damaged)
	}
	if d.damaged == 0 {
		return nil
	}
	if hidden := d.damaged - damageShown; hidden > 0 && !d.verbose {
		d.note("%s: %d more damaged lines; -v shows them all", d.name, hidden)
	}
	if d.records == 0 {
		return &failure{exit: exitNothing, code: codeNoTranscript, path: d.name, text: "not a transcript: none of its lines is a record", hint: damageHint(d.name, d.first)}
	}
	d.note("%s: %d of %d lines damaged, every other line is whole", d.name, d.damaged, d.lines)
	if hint := damageHint(d.name, d.first); hint != "" && !d.quiet && !d.json {
		fmt.Fprintf(d.stderr, "%s %s\n", d.errTerm.paint(styleHint, "hint:"), escapeControls(hint))
	}
	return errDamaged
}

// damageHint is the command that shows or mends the damage.
func damageHint(path string, damage *jsonl.Damage) string {
	if path == stdinName {
		return ""
	}
	if damage.Code == jsonl.WrongCoded {
		return "iconv -f UTF-16 -t UTF-8 " + shellQuote(path) + " | clawctl cat -"
	}
	return fmt.Sprintf("clawctl cat -q %s | sed -n %dp | cat -A", shellQuote(path), damage.Line)
}

func isTerminal(stream io.Reader) bool {
	file, ok := stream.(*os.File)
	return ok && newTerminal(file).is
}
