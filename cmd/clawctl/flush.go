package main

import (
	"errors"
	"fmt"
	"time"

	"clawctl/pkg/config"
	"clawctl/pkg/flush"
	"clawctl/pkg/rebuild"

	"github.com/urfave/cli/v2"
)

func flushCommand() *command {
	return &command{
		name: "flush", group: "shrink", args: "[SOURCE]...", summary: "the prompt that asks the model to write down what it must not forget",
		about: "Prints the prompt of the highest threshold that is due at this size of the context, by the thresholds of the configuration (clawctl env), with the date filled in. --next counts the message that is about to be sent. " +
			"--json gives what a runtime injects: system, a text for the system prompt; user, a message; context, a line for the system prompt that says how full the window is.\n\n" +
			"A text for the system prompt is due as long as its threshold is passed; a message once, until the next compaction or reset. " +
			"What tells is a record of the delivery: --append adds it to the session where that lies in clawctl's store, and --record prints it for a session elsewhere: append it when the prompt was delivered. clawctl never writes into a transcript itself; do it while no gateway runs that session, which may keep it in memory and never see a line of somebody else's.\n\n" +
			"--report lists what became of past thresholds, in all the sessions given: actioned where a tool wrote or edited a file in that turn, actioned_memory where that was in a memory/ folder.",
		examples: []string{
			"clawctl flush SESSION.jsonl --if-needed",
			"clawctl flush ~/.openclaw#agent:main:main --next draft.txt --json | jq -r '.user // empty'",
			"clawctl flush SESSION.jsonl --record --if-needed >> SESSION.jsonl",
			"clawctl flush --report ~/.openclaw --json",
		},
		exits: []int{exitOK, exitUsage, exitDamaged, exitNothing, exitDatabase, exitLocked, exitInterrupted},
		flags: append(append(contextFlags(),
			&cli.BoolFlag{Name: "if-needed", Usage: "print nothing at all where nothing is due"},
			&cli.BoolFlag{Name: "record", Usage: "print the record of the delivery instead of the prompt"},
			appendFlag(), lockFlag(),
			&cli.StringFlag{Name: "date", Usage: "the `TIME` to fill in instead of now: RFC 3339 or a date"},
			&cli.BoolFlag{Name: "report", Usage: "what the model did at past thresholds, session by session"}),
			sourceFlags()...),
		formats: reportFormats,
		run:     runFlush,
	}
}

// A flushReport is the JSON form of what is due. Fields are added, never renamed.
type flushReport struct {
	SchemaVersion int     `json:"schema_version"`
	Session       string  `json:"session"`
	Tokens        int64   `json:"tokens"`
	Window        int64   `json:"window"`
	Percent       float64 `json:"percent"`
	Due           bool    `json:"due"`
	Threshold     float64 `json:"threshold,omitempty"` // the highest that is due
	InjectAs      string  `json:"inject_as,omitempty"`
	System        *string `json:"system"`
	User          *string `json:"user"`
	Context       string  `json:"context,omitempty"`
}

// A flushRun is one run of flush.
type flushRun struct {
	*transcript
	context *rebuild.Context
	fill    *contextReport
	flush   config.MemoryFlush
	due     flush.Prompts
	now     time.Time
}

func runFlush(a *app, ctx *cli.Context) error {
	defer keepSmall()()
	for _, other := range []string{"record", "report"} {
		if ctx.Bool("append") && ctx.Bool(other) {
			return usageError("clawctl help flush", "--append stores the record of a delivery, and goes with no --%s", other)
		}
	}
	if ctx.Bool("report") {
		return runFlushReport(a, ctx)
	}
	r, err := a.dueFlush(ctx)
	if errors.Is(err, errNothingDue) {
		return nil
	}
	if err != nil {
		return err
	}
	if (ctx.Bool("append") || ctx.Bool("record")) && r.due.Record != nil {
		if err := r.mustNameEntries(ctx.Command.Name); err != nil {
			return err
		}
	}
	if ctx.Bool("append") && r.due.Record != nil {
		// Before the prompt is printed: of several that ask at once, one delivers it.
		if err := r.store(ctx.Duration("lock-timeout")); err != nil {
			return err
		}
	}
	switch {
	case ctx.Bool("record") && r.due.Record != nil:
		err = r.printRecord()
	case ctx.Bool("record"):
		r.explainNothing(ctx)
	case r.due.Highest() == nil && ctx.Bool("if-needed"):
	case a.format == "json" || a.format == "ndjson":
		err = a.print(jsonLine(r.report()))
	case r.due.Highest() == nil:
		r.explainNothing(ctx)
	default:
		err = r.printPrompt()
	}
	if err != nil {
		return err
	}
	return r.damage
}

// store notes the delivery in clawctl's store.
func (r *flushRun) store(lockTimeout time.Duration) error {
	record, err := r.record()
	if err != nil {
		return internalError(err)
	}
	return r.append(record, lockTimeout)
}

// dueFlush finds out what is due for the one session of the command.
func (a *app) dueFlush(ctx *cli.Context) (*flushRun, error) {
	r := &flushRun{now: a.now()}
	var err error
	if ctx.IsSet("date") {
		if r.now, err = a.parseMoment(ctx, "date"); err != nil {
			return nil, err
		}
	}
	if r.transcript, r.context, r.fill, err = a.measureContext(ctx); err != nil {
		return nil, err
	}
	c, err := a.configuration()
	if err != nil {
		return nil, err
	}
	r.flush = c.Session.MemoryFlush
	delivered, err := flush.ReadDeliveries(r.context, r.again())
	if err != nil {
		return nil, r.failed(err)
	}
	r.due = flush.Select(r.flush, r.fill.fill, delivered)
	return r, nil
}

func (r *flushRun) report() *flushReport {
	report := &flushReport{SchemaVersion: 1, Session: r.fill.Session, Tokens: r.fill.Tokens, Window: r.fill.Window, Percent: r.fill.Percent}
	if highest := r.due.Highest(); highest != nil {
		report.Due, report.Threshold, report.InjectAs = true, highest.Percent, string(highest.InjectAs)
	}
	report.System, report.User = r.text(r.due.System), r.text(r.due.Message)
	if r.flush.Enabled && r.flush.ShowInSystemPrompt {
		report.Context = r.fill.fill.String()
	}
	return report
}

// text is the prompt of a threshold, nil for none.
func (r *flushRun) text(t *config.FlushThreshold) *string {
	if t == nil {
		return nil
	}
	text := flush.Text(t, r.now)
	return &text
}

// deliveryWords say where a prompt goes.
var deliveryWords = map[config.Delivery]string{
	config.System: "for the system prompt", config.User: "a message of the user's", config.Marked: "a marked message of the user's",
}

// printPrompt prints the prompt that counts most.
func (r *flushRun) printPrompt() error {
	t := r.due.Highest()
	r.note("%s: %g %% of the window is passed (%s of %s tokens): %s", r.name, t.Percent, group(r.fill.Tokens), group(r.fill.Window), deliveryWords[t.InjectAs])
	return r.print(flush.Text(t, r.now) + "\n")
}

// printRecord prints the record of the delivery, so that it can be appended: on a line of its own.
func (r *flushRun) printRecord() error {
	record, err := r.record()
	if err != nil {
		return internalError(err)
	}
	if r.unended {
		record = append([]byte("\n"), record...)
	}
	return r.print(string(record) + "\n")
}

// record is the line that says that the flush was delivered, for whoever appends it.
func (r *flushRun) record() ([]byte, error) {
	return flush.Record(r.due.Record, r.fill.fill, r.context.Leaf, r.now)
}

// explainNothing says why nothing is printed, unless that is what was asked for.
func (r *flushRun) explainNothing(ctx *cli.Context) {
	if ctx.Bool("if-needed") {
		return
	}
	what := "nothing is due"
	switch {
	case !r.flush.Enabled:
		what = "memoryFlush is turned off"
	case ctx.Bool("record") && r.due.Highest() != nil:
		what = "the delivery is recorded already"
	}
	r.note("%s: %s: %s of %s tokens (%s %%)", r.name, what, group(r.fill.Tokens), group(r.fill.Window), fmt.Sprint(r.fill.Percent))
}
