package main

import (
	"crypto/rand"
	"errors"
	"slices"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/compact"
	"clawctl/pkg/config"
	"clawctl/pkg/rebuild"
)

// recordOptions are the flags of compact and checkpoint, which summarize a session in a record.
type recordOptions struct {
	cli.SourceOptions
	reading.WindowOptions
	summaryOptions
	appending writing.AppendOptions
	ifNeeded  bool
}

func newRecordOptions() recordOptions {
	return recordOptions{
		WindowOptions: reading.NewWindowOptions(), summaryOptions: newSummaryOptions(), appending: writing.NewAppendOptions(),
	}
}

func (o *recordOptions) flags() []cli.Flag {
	return slices.Concat(
		[]cli.Flag{o.fileFlag("read the summary from FILE, - for stdin")},
		o.otherFlags(),
		o.appending.Flags(),
		[]cli.Flag{cli.SwitchFlag(&o.ifNeeded, "if-needed", "do nothing and exit 0 if it is not due")},
		o.WindowOptions.Flags("the context window for --if-needed in tokens"),
		o.SourceOptions.Flags(),
	)
}

// check refuses flags that exclude each other.
func (o *recordOptions) check(c *cli.Command, operands []string) error {
	switch {
	case o.appending.Enabled && o.Leaf != "":
		return c.Conflict("--append", "--leaf")
	case o.file == "-" && reading.IsStdin(operands):
		return c.Usage("stdin cannot be both the transcript and the summary")
	}
	return o.summaryOptions.check(c)
}

// A shrinking is one session for which compact or checkpoint makes a record.
type shrinking struct {
	app        *cli.App
	transcript *reading.Transcript
	context    *reading.SessionContext
	command    *cli.Command
	flags      *recordOptions
	doing      string // what happens to the session, such as "compacted"
	survey     *compact.Survey
	summary    compact.Options
	settings   *config.Config
}

// openShrinking reads the summary, the configuration and the session.
func openShrinking(a *cli.App, c *cli.Command, o *recordOptions, operands []string, doing string) (*shrinking, error) {
	if err := o.check(c, operands); err != nil {
		return nil, err
	}
	r := &shrinking{app: a, command: c, flags: o, doing: doing}
	var err error
	if r.summary, err = o.compaction(a); err != nil {
		return nil, err
	}
	if r.settings, err = a.Configuration(); err != nil {
		return nil, err
	}
	s := o.appending.Search(o.SourceOptions)
	if r.context, err = reading.OpenContext(a, c, operands, s, &o.WindowOptions, o.appending.Allows); err != nil {
		return nil, err
	}
	r.transcript = r.context.Transcript
	if r.survey, err = compact.NewSurvey(r.context.Context, r.transcript.Again, o.Counter()); err != nil {
		return nil, r.readFailed(err)
	}
	return r, nil
}

// isNeeded decides whether anything is to be done: always without --if-needed, otherwise if it is due for the window.
func (r *shrinking) isNeeded(isDue func(size int64) (bool, error)) (bool, error) {
	if !r.flags.ifNeeded {
		return true, nil
	}
	if r.context.Candidates().AreEmpty() {
		return false, nil
	}
	w, err := r.context.ChooseWindow()
	if err != nil {
		return false, err
	}
	return isDue(w.Tokens)
}

// mustHaveIDs refuses an empty session, and one whose entries a record could not follow.
func (r *shrinking) mustHaveIDs() error {
	if r.survey.CountMessages() == 0 {
		return r.summaryFailed(compact.ErrNothing)
	}
	return writing.MustNameEntries(r.transcript, r.command.Name)
}

// stamp returns the clock and the randomness of a new record.
func (r *shrinking) stamp() compact.Stamp {
	return compact.Stamp{Now: r.app.Now(), Random: rand.Reader}
}

// deliver hands on the finished record: to stdout or the file of -o, or with --append to the store.
func (r *shrinking) deliver(record []byte) error {
	var err error
	if r.flags.appending.Enabled {
		err = writing.AddToStore(r.transcript, record, r.flags.appending.Lock, r.doing)
	} else {
		err = r.app.Print(writing.OnItsOwnLine(r.transcript, record))
	}
	if err != nil {
		return err
	}
	return r.transcript.Damage
}

// readFailed reports that reading the session again failed.
func (r *shrinking) readFailed(err error) error {
	if errors.Is(err, rebuild.ErrChanged) {
		return writing.Changed(r.transcript, r.transcript.Name, r.doing)
	}
	return r.transcript.Failed(err)
}

// summaryFailed reports why there is no summary.
func (r *shrinking) summaryFailed(err error) error {
	switch {
	case r.app.Ctx.Err() != nil:
		return cli.Interrupted(r.app)
	case errors.Is(err, rebuild.ErrChanged):
		return r.readFailed(err)
	case errors.Is(err, compact.ErrNothing):
		return r.allKept()
	case errors.Is(err, compact.ErrNoSummary):
		return failure.New(failure.NoSummary, "no summary: use --summary, --summarizer or --offline").
			At(r.transcript.Name).WithHint(r.app.CommandLine("--offline"))
	case r.summary.Given != "":
		return r.flags.refuse(err)
	}
	return failure.New(failure.SummarizerFailed, "%v", err).At(r.transcript.Name).WithHint(r.app.CommandLine("--offline"))
}

// allKept is the failure of a session that has nothing to summarize.
func (r *shrinking) allKept() error {
	n := r.survey.CountMessages()
	f := failure.New(failure.AllKept, "nothing to summarize: the context has %s",
		ui.Count(n, "message")).At(r.transcript.Name)
	if n > 0 {
		f.Text += ", and all are kept"
	}
	if n > 1 && r.transcript.Kept == nil {
		f.Hint = "clawctl compact --plan --keep 1m " + failure.Quote(r.transcript.Session.Place())
	}
	return f
}
