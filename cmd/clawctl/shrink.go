package main

import (
	"crypto/rand"
	"errors"
	"slices"

	"clawctl/pkg/compact"
	"clawctl/pkg/config"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/summary"

	"github.com/urfave/cli/v2"
)

// summaryFlags are where the summary of compact and checkpoint comes from.
func summaryFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "summary", Usage: "the summary is in `FILE`, or - for stdin"},
		&cli.StringFlag{Name: "summarizer", Usage: "the shell `COMMAND` that reads the conversation on stdin and prints the summary"},
		&cli.DurationFlag{Name: "timeout", Value: summarizerTimeout, Usage: "how long the summarizer may take each time, such as `90s`"},
		&cli.BoolFlag{Name: "offline", Usage: "make an extract by fixed rules where there is no better summary"},
		appendFlag(), lockFlag(),
		&cli.BoolFlag{Name: "if-needed", Usage: "do nothing, and exit 0, where it is not due"},
		&cli.IntFlag{Name: "window", Usage: "the context window for --if-needed, `N` tokens"},
		&cli.StringFlag{Name: "leaf", Usage: "end at the entry with this `ID` instead of the session's leaf"},
		&cli.StringFlag{Name: "encoding", Value: "cl100k_base", Usage: "count with `NAME`: cl100k_base, o200k_base or heuristic"},
	}
}

// A shrinkRun is one run of compact or checkpoint.
type shrinkRun struct {
	*transcript
	ctx      *cli.Context
	context  *rebuild.Context
	survey   *compact.Survey
	options  compact.Options
	settings *config.Config
}

// openShrink reads the flags and the session.
func (a *app) openShrink(ctx *cli.Context) (*shrinkRun, error) {
	r := &shrinkRun{ctx: ctx}
	counter, err := counterNamed(ctx)
	if err == nil {
		r.options, err = a.summaryOptions(ctx)
	}
	if err == nil {
		r.settings, err = a.configuration()
	}
	if err != nil {
		return nil, err
	}
	session, err := a.oneSession(ctx, false)
	if err != nil {
		return nil, err
	}
	if r.transcript, err = a.openTranscript(session); err != nil {
		return nil, err
	}
	if r.context, err = r.index.Context(ctx.String("leaf")); err != nil {
		return nil, &failure{exit: exitNothing, code: codeNothing, path: r.name, text: err.Error()}
	}
	if r.survey, err = compact.NewSurvey(r.context, r.again, counter); err != nil {
		return nil, r.readFailed(err)
	}
	return r, nil
}

// summaryOptions reads the flags that say where a summary comes from.
func (a *app) summaryOptions(ctx *cli.Context) (o compact.Options, err error) {
	help := "clawctl help " + ctx.Command.Name
	switch {
	case ctx.IsSet("summary") && ctx.IsSet("summarizer"):
		return o, usageError(help, "a summary comes from --summary or from --summarizer, not from both")
	case ctx.String("summary") == "-" && ctx.Args().First() == "-":
		return o, usageError(help, "stdin cannot be both the transcript and the summary")
	case ctx.Duration("timeout") <= 0:
		return o, usageError(help, "--timeout is longer than nothing, not %s", ctx.Duration("timeout"))
	case ctx.IsSet("summarizer") && ctx.String("summarizer") == "":
		return o, usageError(help, "--summarizer is empty")
	}
	o.Offline = ctx.Bool("offline")
	if ctx.IsSet("summarizer") {
		o.Summarizer = a.summarizer(ctx.String("summarizer"), ctx.Duration("timeout"))
	}
	if ctx.IsSet("summary") {
		if o.Given, err = a.readFlag(ctx, "summary"); err == nil {
			err = badSummary(ctx.String("summary"), summary.Check(o.Given))
		}
	}
	return o, err
}

// badSummary refuses a summary that somebody gave.
func badSummary(path string, err error) error {
	if err == nil {
		return nil
	}
	if path == "-" {
		path = stdinName
	}
	return &failure{exit: exitFindings, code: codeBadSummary, path: path, text: err.Error()}
}

// readFailed reports that the second reading failed.
func (r *shrinkRun) readFailed(err error) error {
	if errors.Is(err, rebuild.ErrChanged) {
		return &failure{exit: exitUsage, code: codeChanged, path: r.name, text: err.Error(), hint: r.commandLine()}
	}
	return r.failed(err)
}

// summaryFailed reports why there is no summary.
func (r *shrinkRun) summaryFailed(err error) error {
	f := &failure{exit: exitFindings, code: codeSummarizer, path: r.name, text: err.Error(), hint: r.commandLine("--offline")}
	switch {
	case r.transcript.ctx.Err() != nil:
		return errInterrupted
	case errors.Is(err, rebuild.ErrChanged):
		return r.readFailed(err)
	case errors.Is(err, compact.ErrNothing):
		f.code, f.hint = codeAllKept, ""
		f.text = "nothing to summarise: the context has " + counted(r.survey.CountMessages(), "message") + ", and all are kept"
		if r.survey.CountMessages() > 1 && r.kept == nil {
			f.hint = "clawctl compact --plan --keep 1m " + shellQuote(r.session.Place())
		}
	case errors.Is(err, compact.ErrNoSummary):
		f.code = codeNoSummary
	case r.options.Given != "":
		return badSummary(r.ctx.String("summary"), err)
	}
	return f
}

// ifNeeded asks whether anything is due, where --if-needed wants to know.
func (r *shrinkRun) ifNeeded(due func(size int64) bool) (needed bool, err error) {
	if !r.ctx.Bool("if-needed") {
		return true, nil
	}
	if r.isUnanswered(r.ctx, r.context) {
		return false, nil
	}
	w, err := windowOf(r.ctx, r.transcript, r.context)
	return err == nil && due(w.Tokens), err
}

// mustHaveIDs refuses an empty session, and one in which a record could not say where it belongs.
func (r *shrinkRun) mustHaveIDs() error {
	if r.survey.CountMessages() == 0 {
		return r.summaryFailed(compact.ErrNothing)
	}
	return r.mustNameEntries(r.ctx.Command.Name)
}

// mustNameEntries refuses a session whose entries a record could not hang behind.
func (t *transcript) mustNameEntries(command string) error {
	if !t.index.Dialect.IsClaw0() && !t.index.HasMadeUpIDs() {
		return nil
	}
	f := &failure{exit: exitFindings, code: codeNoIDs, path: t.name, text: "the entries have no ids that a record could name"}
	if t.kept == nil {
		f.hint = "clawctl cat -q --as openclaw " + shellQuote(t.session.Place()) + " > session.jsonl && clawctl " + command + " session.jsonl"
	}
	return f
}

// stamp is the clock and the dice of a new record.
func (r *shrinkRun) stamp() compact.Stamp { return compact.Stamp{Now: r.now(), Random: rand.Reader} }

// deliver hands on a finished record, a line of the transcript: to stdout, or to the file of -o, or with --append into the
// store. Nothing has been written before it is called, and nothing is after it.
func (r *shrinkRun) deliver(record []byte) error {
	if r.ctx.Bool("append") {
		if err := r.append(record, r.ctx.Duration("lock-timeout")); err != nil {
			return err
		}
		return r.damage
	}
	if r.unended {
		record = append([]byte("\n"), record...) // or it would become part of the last line
	}
	if err := r.print(string(record)); err != nil {
		return err
	}
	return r.damage
}

// wantsJSON reports whether a report is asked for as JSON.
func (a *app) wantsJSON() bool { return slices.Contains([]string{"json", "ndjson"}, a.format) }
