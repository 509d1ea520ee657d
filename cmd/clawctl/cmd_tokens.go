package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/report/stats"
	"clawctl/pkg/source"
	"clawctl/pkg/tokens"
)

func newTokensCommand() *cli.Command {
	return &cli.Command{
		Paged:   true,
		Options: &tokensOptions{CounterOption: reading.CounterOption{Encoding: reading.Encodings[0]}},
		Formats: cli.ReportFormats,
		Plain:   "a number, or a table with --by",
	}
}

// tokensOptions are the flags of tokens.
type tokensOptions struct {
	Text                  bool `flag:"text: the arguments, or stdin, are plain text"`
	reading.CounterOption `usage:"how to count"`
	By                    tokens.Dimension `flag:"by"`
	Top                   int              `flag:"top N: show only the N largest" default:"all"`

	Jobs int `flag:"jobs N: how many sessions, or parts of one, to count at a time" default:"one per core"`

	Harness cli.HarnessOption
	cli.SourceOptions
}

// OwnFlags makes the flags.
func (o *tokensOptions) OwnFlags() []cli.Flag {
	return cli.FlagsOf(o,
		cli.ChoiceFlag(&o.By, "by", "DIMENSION", tokens.Dimensions, "divide the count by this"))
}

// Run runs the command.
func (o *tokensOptions) Run(a *cli.App, operands []string) error {
	tally := &tokens.Tally{Counter: o.Counter(), By: o.By}
	err := o.count(a, tally, operands)
	if a.Ctx.Err() != nil || err != nil && !failure.KeepsOutput(err) && tally.Messages == 0 && tally.Total == 0 {
		return err
	}
	if printErr := o.print(a, tally); printErr != nil {
		return printErr
	}
	if n := tally.Mirrors + tally.Copies; n > 0 {
		a.Note("the count includes %s that other commands leave out: mirrors and copies (clawctl help numbers)",
			ui.Count(n, "message"))
	}
	return err
}

// count counts what the command line names.
func (o *tokensOptions) count(a *cli.App, tally *tokens.Tally, operands []string) error {
	switch {
	case !o.Text:
		return o.countSessions(a, tally, operands)
	case len(operands) == 0 || len(operands) == 1 && operands[0] == "-":
		return countStdin(a, tally)
	}
	tally.Total = int64(tally.Counter.Count(strings.Join(operands, " ")))
	return nil
}

// countSessions counts sessions, several at a time.
func (o *tokensOptions) countSessions(a *cli.App, tally *tokens.Tally, operands []string) error {
	search := cli.Search{SourceOptions: o.SourceOptions, Defaults: cli.LiveOnly, Stdin: true, AnyText: true,
		Harness: &o.Harness}
	count := func(ctx context.Context, o *source.Opened) (*tokenCount, error) {
		c := &tokenCount{App: a, ctx: ctx, tally: &tokens.Tally{Counter: tally.Counter, By: tally.By}}
		return c, c.session(o)
	}
	return cli.EachAtOnce(a, operands, search, o.Jobs, count, func(c *tokenCount, err error) error {
		if c == nil {
			return err
		}
		for _, say := range c.remarks {
			say()
		}
		tally.Join(c.tally)
		if c.damage == nil || err != nil {
			return err
		}
		return c.damage.Finish(c.dialect)
	})
}

// A tokenCount counts one input.
type tokenCount struct {
	*cli.App
	ctx     context.Context
	tally   *tokens.Tally
	damage  *cli.DamageLog // nil if it is a text
	dialect jsonl.Dialect
	remarks []func() // what is to be said
}

// say keeps a remark until those about the inputs before were made.
func (c *tokenCount) say(remark func()) { c.remarks = append(c.remarks, remark) }

func countStdin(a *cli.App, tally *tokens.Tally) error {
	a.Progress.Begin("Reading", 0, ui.ByteUnit)
	defer a.Progress.End()
	n, _, err := tokens.CountStream(&watchedText{a, a.Stdin}, tally.Counter)
	if err != nil {
		return cli.InputError(cli.StdinName, err)
	}
	tally.Total = n
	return nil
}

// A watchedText is a stream of text that shows progress and can be interrupted.
type watchedText struct {
	*cli.App
	src io.Reader
}

func (w *watchedText) Read(p []byte) (int, error) {
	if err := w.Ctx.Err(); err != nil {
		return 0, err
	}
	n, err := w.src.Read(p)
	w.Progress.Advance(int64(n))
	return n, err
}

// session counts one transcript, or a text.
func (c *tokenCount) session(o *source.Opened) error {
	start, notSeekable := o.Seek(0, io.SeekCurrent)
	stream := bufio.NewReaderSize(o.Input.Reader, tokens.Sniffed)
	head, err := stream.Peek(tokens.Sniffed)
	if err != nil && err != io.EOF && len(head) == 0 {
		return cli.InputError(o.Name, err)
	}
	if !tokens.HasRecord(o.Lines(), head) {
		if len(head) > 0 {
			c.say(func() { c.Note("%s: no record in the first 64 KiB; counting it as text", o.Name) })
		}
		return c.text(stream, o.Name)
	}
	if notSeekable != nil {
		return c.transcript(o, stream)
	}
	if _, err := o.Seek(start, io.SeekStart); err != nil {
		return cli.InputError(o.Name, err)
	}
	return c.transcript(o, o.Input) // a file can be looked ahead in
}

// text counts an input that is not a transcript.
func (c *tokenCount) text(stream io.Reader, name string) error {
	n, _, err := tokens.CountStream(stream, c.tally.Counter)
	c.tally.Add(n, name)
	if err != nil {
		return cli.InputError(name, err)
	}
	return nil
}

// transcript counts the messages of one transcript.
func (c *tokenCount) transcript(o *source.Opened, stream io.Reader) error {
	o.Options.Prepare = func() func(*jsonl.Record) any {
		return func(rec *jsonl.Record) any { return c.tally.CostsOf(rec) }
	}
	reader := o.LinesOf(stream)
	c.damage = &cli.DamageLog{Console: c.Console, Name: o.Name, Later: c.say}
	session, place, counter := o.Session.Name(), o.Session.Place(), stats.NewCounter(o.Session)
	for rec, err := range reader.All() {
		if err != nil {
			return cli.ReadError(o.Name, err)
		}
		c.damage.Count(rec)
		if m, ok := rec.Message(); ok {
			c.tally.AddMessage(m, rec, rec.Prepared.([]tokens.BlockCost), session, place)
		}
		if err := c.noteUncounted(counter, rec); err != nil {
			return cli.ReadError(o.Name, err)
		}
	}
	c.dialect = reader.Dialect()
	return nil
}

// noteUncounted notes a message that other commands do not count.
func (c *tokenCount) noteUncounted(counter *stats.Counter, rec *jsonl.Record) error {
	before := counter.Total().Messages
	status, err := counter.Judge(c.ctx, rec)
	if _, isMessage := rec.Message(); !isMessage {
		return err
	}
	switch status {
	case stats.Mirror:
		c.tally.Mirrors++
	case stats.Copy:
		c.tally.Copies++
	case stats.Included:
		if counter.Total().Messages == before { // a part of the answer before
			c.tally.Messages--
		}
	}
	return err
}

// print prints the count: as a number alone, or with its parts.
func (o *tokensOptions) print(a *cli.App, t *tokens.Tally) error {
	parts := t.Largest(o.Top)
	switch {
	case a.WantsJSON():
		return a.PrintJSON(t.Report(o.Encoding, parts))
	case t.By == "" && a.Format == "":
		return a.Print(fmt.Sprintf("%d\n", t.Total))
	}
	// The bars repeat the shares, so a narrow terminal goes without them.
	r := cli.NewReport(ui.Middle(cmp.Or(string(t.By), "total"), 32), ui.Numbers("tokens"), ui.Numbers("share", 1),
		ui.Words("", 2))
	const widestBar = 30
	for _, p := range parts {
		r.Add(p, p.Name, ui.Thousands(p.Tokens), ui.Percent(p.Share), a.Output.Term.Bar(p.Share, widestBar))
	}
	r.Add(tokens.Share{Name: "total", Tokens: t.Total, Share: 1}, "total", ui.Thousands(t.Total), "", "")
	return a.PrintReport(r)
}
