package main

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"time"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/config"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/window"
	"clawctl/pkg/window/flush"
)

func newFlushCommand() *cli.Command {
	return &cli.Command{
		Options: &flushOptions{WindowOptions: reading.NewWindowOptions(), Appending: writing.NewAppendOptions()},
		Formats: cli.ReportFormats,
		Plain:   "the prompt",
	}
}

// flushOptions are the flags of flush.
type flushOptions struct {
	reading.WindowOptions `usage:"the context window in tokens, such as 200k or 1M"`
	Next                  reading.NextOption
	IfNeeded              bool `flag:"if-needed: print nothing at all if nothing is due"`
	Record                bool `flag:"record: print the record of the delivery instead of the prompt"`
	Appending             writing.AppendOptions
	Date                  cli.TimeFlag `flag:"date"`
	Report                bool         `flag:"report: list past thresholds and what the model did"`
	cli.SourceOptions
}

// OwnFlags makes the flags.
func (o *flushOptions) OwnFlags() []cli.Flag {
	return cli.FlagsOf(o,
		o.Date.Flag("date", "fill in this time: "+cli.TimeHelp).WithDefault("now"))
}

// Run runs the command.
func (o *flushOptions) Run(a *cli.App, operands []string) error {
	defer reading.KeepSmall()()
	if err := cmp.Or(a.Alone("append", "record", "report", "leaf"),
		a.Alone("report", "record", "if-needed", "next", "leaf", "date")); err != nil {
		return err
	}
	settings, err := a.Configuration()
	if err != nil {
		return err
	}
	if o.Report {
		return o.runReport(a, settings.Session.MemoryFlush.Thresholds, operands)
	}
	f, err := o.measure(a, settings.Session.MemoryFlush, operands)
	if err != nil || f == nil {
		return err
	}
	if err := f.deliver(); err != nil {
		return err
	}
	return f.transcript.Damage
}

// A flushRun is one session and the prompts that it calls for.
type flushRun struct {
	*cli.App
	transcript *reading.Transcript
	context    *reading.SessionContext
	flags      *flushOptions
	settings   config.MemoryFlush
	fill       window.Fill
	prompts    flush.Prompts
	date       time.Time
}

// measure finds out which prompts the one session of the command calls for. The result is nil if it has to be needed,
// and no model has answered yet.
func (o *flushOptions) measure(
	a *cli.App, settings config.MemoryFlush, operands []string,
) (*flushRun, error) {
	f := &flushRun{App: a, flags: o, settings: settings}
	var err error
	if f.date = a.Now(); o.Date.IsSet() {
		if f.date, err = o.Date.Resolve(f.date); err != nil {
			if e := (*failure.Error)(nil); errors.As(err, &e) {
				err = e.WithHint(a.CommandLine("--date", a.Now().Format(time.DateOnly)))
			}
			return nil, err
		}
	}
	next, err := o.Next.Read(a, operands)
	if err != nil {
		return nil, err
	}
	s := o.Appending.Search(o.SourceOptions)
	if f.context, err = reading.OpenContext(a, operands, s, &o.WindowOptions, o.Appending.Allows); err != nil {
		return nil, err
	}
	f.transcript = f.context.Transcript
	if o.IfNeeded && f.context.Candidates().AreEmpty() {
		return nil, nil
	}
	return f, f.choosePrompts(next)
}

// choosePrompts measures the session and chooses the prompts.
func (f *flushRun) choosePrompts(next string) error {
	w, err := f.context.ChooseWindow()
	if err != nil {
		return err
	}
	usage, err := f.context.Measure(w, next)
	if err != nil {
		return err
	}
	deliveries, err := flush.ReadDeliveries(f.context.Context, f.transcript.Again())
	if err != nil {
		return f.transcript.Failed(err)
	}
	f.fill = usage.Fill.Fresh()
	f.prompts = flush.Select(f.settings, f.fill, deliveries)
	return nil
}

// deliver prints what was asked for. The record of --append is stored before the prompt is printed: if several
// processes ask at once, one delivers it.
func (f *flushRun) deliver() error {
	if f.prompts.Record == nil || !f.flags.Record && !f.flags.Appending.Enabled {
		if f.flags.Record {
			f.explainNothing()
			return nil
		}
		return f.printPrompts()
	}
	if err := writing.MustNameEntries(f.transcript); err != nil {
		return err
	}
	record, err := flush.Record(f.prompts.Record, f.fill, f.context.Context.Leaf, f.date)
	if err != nil {
		return failure.Internal(err)
	}
	record = append(record, '\n')
	if f.flags.Record { // for whoever appends it
		return f.Print(writing.OnItsOwnLine(f.transcript, record))
	}
	if err := writing.AddToStore(f.transcript, record, f.flags.Appending.Lock, "measured"); err != nil {
		return err
	}
	return f.printPrompts()
}

// printPrompts prints the prompts: all of them for programs, the most important one for people.
func (f *flushRun) printPrompts() error {
	highest := f.prompts.Highest()
	switch {
	case highest == nil && f.flags.IfNeeded:
		return nil
	case f.WantsJSON():
		return f.PrintJSON(
			f.prompts.Report(f.transcript.Session.Name(), f.settings, f.fill, f.date))
	case highest == nil:
		f.explainNothing()
		return nil
	}
	f.Note("%s: the context passed %g%% of the window (%s of %s tokens); %s", f.transcript.Name, highest.Percent,
		ui.Thousands(f.fill.Tokens()), ui.Thousands(f.fill.Window), deliveryWords[highest.InjectAs])
	return f.Print(flush.Text(highest, f.date) + "\n")
}

// deliveryWords say what to do with a prompt.
var deliveryWords = map[config.Delivery]string{
	config.System: "add this to the system prompt",
	config.User:   "send this as a user message",
	config.Marked: "send this as a marked user message",
}

// explainNothing says why nothing is printed, unless --if-needed asks for that.
func (f *flushRun) explainNothing() {
	if f.flags.IfNeeded {
		return
	}
	reason := "nothing is due"
	switch {
	case !f.settings.Enabled:
		reason = "memoryFlush is off in the configuration"
	case f.flags.Record && f.prompts.Highest() != nil:
		reason = "the delivery is already recorded"
	}
	f.Note("%s: %s: %s of %s tokens (%s%%)", f.transcript.Name, reason, ui.Thousands(f.fill.Tokens()),
		ui.Thousands(f.fill.Window),
		strconv.FormatFloat(f.fill.Percent(), 'f', -1, 64))
}

// A flushHistory lists what became of past thresholds.
type flushHistory struct {
	*cli.App
	history *flush.History
	program *reading.ProgramOption
	table   *cli.Report
	reader  jsonl.Reader
}

// runReport prints what became of past thresholds.
func (o *flushOptions) runReport(a *cli.App, thresholds []config.FlushThreshold, operands []string) error {
	var size int64
	if o.Size != nil {
		size = *o.Size
	} else if _, err := a.Catalogue(); err != nil {
		return err
	}
	h := &flushHistory{
		App: a, history: flush.NewHistory(thresholds, o.Counter(), size, a.FindModel), program: &o.ProgramOption,
		table: cli.NewReport(
			ui.Middle("session", 18),
			ui.Numbers("line"),
			ui.Numbers("threshold"),
			ui.Numbers("tokens", 1),
			ui.Words("delivered"),
			ui.Words("actioned"),
			ui.Words("memory"),
		),
	}
	err := cli.EachOpened(a, operands, cli.Search{SourceOptions: o.SourceOptions, Defaults: cli.LiveOnly}, h.take)
	a.Progress.End()
	if a.Ctx.Err() != nil || err != nil && !failure.KeepsOutput(err) && h.history.Totals.Sessions == 0 {
		return err
	}
	if printErr := h.print(); printErr != nil {
		return printErr
	}
	return err
}

// take finds the thresholds that one session passed.
func (h *flushHistory) take(s *source.Session, in *source.Input) error {
	author := h.program.AuthorOf(s)
	w := h.history.Watch(s.Entry.ContextTokens, cmp.Or(author.Forced, author.Folder))
	damage := &cli.DamageLog{Console: h.Console, Name: in.Name}
	h.reader.Reset(in, jsonl.Options{BeforeRead: h.Ctx.Err})
	for rec, err := range h.reader.All() {
		if err != nil {
			return cli.ReadError(in.Name, err)
		}
		damage.Count(rec)
		w.Take(rec)
	}
	yes := map[bool]string{true: "yes", false: "no"}
	for _, row := range h.history.Add(s.Name(), s.Place(), w) {
		h.table.Add(row, row.Session, fmt.Sprint(row.Line), fmt.Sprintf("%g%%", row.Threshold), ui.Thousands(row.Tokens),
			yes[row.Delivered], yes[row.Actioned], yes[row.ActionedMemory])
	}
	return damage.Finish(h.reader.Dialect())
}

// print prints the rows and the totals: for people on stderr, for programs as the last object.
func (h *flushHistory) print() error {
	totals := h.history.Totals
	if h.WantsJSON() {
		h.table.AddObject(totals)
	}
	if err := h.PrintReport(h.table); err != nil {
		return err
	}
	h.Note("%s: %s passed, %d actioned, %d of them in memory/", ui.Count(totals.Sessions, "session"),
		ui.Count(totals.Thresholds, "threshold"), totals.Actioned, totals.ActionedMemory)
	if totals.Unmeasured > 0 {
		h.Note("left out %s whose model has no known window; --window sets one", ui.Count(totals.Unmeasured, "session"))
	}
	return nil
}
