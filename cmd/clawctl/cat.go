package main

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"

	"github.com/urfave/cli/v2"
)

func catCommand() *command {
	return &command{
		name: "cat", group: "look", args: "[FILE|-]...", summary: "the records of transcripts, verbatim or as OpenClaw writes them, one a line",
		about: "Reads transcripts of every dialect, plain or compressed (.zst, .gz), checks every line, and prints what it read byte for byte. " +
			"Damaged lines are printed too, and reported on stderr with file, line, byte and code; they cost nothing but themselves. " +
			"Without FILE it reads stdin.\n\n" +
			"With --type, --since or --until only the whole records that match are printed; a record without a time has that of the record before. " +
			"With --as openclaw the records of any dialect are printed as OpenClaw's version 3, with ids that are the same every time; " +
			"damaged lines are left out.",
		examples: []string{
			"clawctl cat ~/.openclaw/agents/main/sessions/*.jsonl | jq -r .type | sort | uniq -c",
			"clawctl cat --type message --since 7d SESSION.jsonl.zst",
			"clawctl cat --as openclaw workspace/.sessions/transcripts/main_cli_user_0a1b2c.jsonl > session.jsonl",
		},
		exits: []int{exitOK, exitUsage, exitDamaged, exitNothing, exitInterrupted},
		flags: []cli.Flag{
			&cli.StringFlag{Name: "as", Usage: "convert to `DIALECT`: openclaw"},
			&cli.StringSliceFlag{Name: "type", Usage: "only records of this `TYPE`; repeat it or separate with commas"},
			&cli.StringFlag{Name: "since", Usage: "only records from this `TIME` on: RFC 3339, a date, 7d, yesterday"},
			&cli.StringFlag{Name: "until", Usage: "only records before this `TIME`"},
			&cli.BoolFlag{Name: "strict", Usage: "stop at the first damaged line"},
		},
		run: runCat,
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
}

func runCat(a *app, ctx *cli.Context) error {
	c := &catRun{app: a, as: ctx.String("as"), strict: ctx.Bool("strict"), reader: &jsonl.Reader{}, out: jsonl.NewWriter(a.output), seen: map[string]bool{}}
	if c.as != "" && c.as != "openclaw" {
		return usageError("clawctl cat --as openclaw FILE", "--as knows openclaw, not %q", c.as)
	}
	for _, list := range ctx.StringSlice("type") {
		c.types = append(c.types, strings.Split(list, ",")...)
	}
	var err error
	if c.span, err = a.parseRange(ctx.String("since"), ctx.String("until")); err != nil {
		return err
	}
	err = c.eachInput(ctx.Args().Slice(), c.file)
	if flushErr := c.out.Flush(); flushErr != nil {
		return a.writeError(flushErr)
	}
	c.explainNothing()
	return err
}

// eachInput opens one input after the other. One that cannot be read does not stop those behind it; the error of the
// last such input is returned, all others are reported on the way.
func (a *app) eachInput(paths []string, do func(*source.Input) error) error {
	if len(paths) == 0 {
		if isTerminal(a.stdin) {
			return usageError("clawctl help cat", "no transcript given, and stdin is a terminal")
		}
		paths = []string{"-"}
	}
	var last error
	for _, path := range paths {
		err := a.withInput(path, do)
		if a.ctx.Err() != nil || isClosedPipe(err) || errors.As(err, new(*writeFailure)) {
			return err
		}
		var f *failure
		if errors.As(last, &f) && err != nil {
			a.complain(f)
		}
		last = worse(last, err)
	}
	return last
}

// worse returns the error that decides the exit code: any failure before mere damage.
func worse(a, b error) error {
	if b == nil || a != nil && errors.Is(b, errDamaged) {
		return a
	}
	return b
}

func (a *app) withInput(path string, do func(*source.Input) error) error {
	in, err := a.open(path)
	if err != nil {
		return inputError(path, err)
	}
	defer in.Close()
	return do(in)
}

func (a *app) open(path string) (*source.Input, error) {
	if path == "-" {
		return source.Wrap(a.stdin, "stdin")
	}
	return source.Open(path)
}

// file prints one transcript.
func (c *catRun) file(in *source.Input) error {
	c.reader.Reset(in.Reader, jsonl.Options{Strict: c.strict, BeforeRead: c.beforeRead})
	damage := &damageLog{app: c.app, name: in.Name}
	var last time.Time
	for rec, err := range c.records(in) {
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
		c.progress.show(in.Name, rec.Offset, in.Size)
	}
	if err := c.out.Flush(); err != nil {
		return c.writeError(err)
	}
	return damage.finish(c.reader.Dialect())
}

// records returns what is to be printed of an input.
func (c *catRun) records(in *source.Input) iter.Seq2[*jsonl.Record, error] {
	if c.as == "openclaw" {
		return jsonl.ToOpenClaw(c.reader.All(), sessionName(in.Name))
	}
	return c.reader.All()
}

// sessionName returns the name that a transcript without a header gets: its file's, without folder and suffixes.
func sessionName(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".jsonl")
	return name
}

// beforeRead lets what was read so far out before a read that may wait, and notices an interruption.
func (c *catRun) beforeRead() error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
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

func (c *catRun) write(rec *jsonl.Record) error {
	if c.as != "" {
		return c.out.WriteRecord(rec.Text())
	}
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
	d.lines = rec.Line
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
	if path == "stdin" {
		return ""
	}
	if damage.Code == jsonl.WrongCoded {
		return "iconv -f UTF-16 -t UTF-8 " + shellQuote(path) + " | clawctl cat -"
	}
	return fmt.Sprintf("sed -n %dp %s | cat -A", damage.Line, shellQuote(path))
}

func isTerminal(stream io.Reader) bool {
	file, ok := stream.(*os.File)
	return ok && newTerminal(file).is
}
