package main

import (
	"cmp"
	"fmt"

	"clawctl/pkg/compact"
	"clawctl/pkg/summary"

	"github.com/urfave/cli/v2"
)

func compactCommand() *command {
	return &command{
		name: "compact", group: "shrink", args: "[SOURCE]", summary: "the compaction record that shortens a session",
		about: "Prints a record that stands for the older part of the session, one line of JSON that belongs behind its last line. It writes into no transcript.\n\n" +
			"What is kept: --keep 20000, the default, is cut where pi and OpenClaw cut, by their own estimate of a token for four characters; a turn may be split. " +
			"50% of that estimate, or 20m messages, are kept at least, and begin with a turn unless that would keep more than twice as much or summarise less than half as much. " +
			"--as claw0 takes claw0's numbers. No call is parted from its result, and nothing from before the last compaction or reset comes back. --plan shows the cut, and why.\n\n" +
			"The summary is that of --summary or --summarizer. Else the last checkpoint since the last compaction stands for all before it, if it covers more than half of the context; --keep then does not apply. " +
			"Else --offline makes an extract, which says that it is one. " +
			fmt.Sprintf("A summarizer is asked twice at most; where it fails, that checkpoint is the last resort, and after it --offline. A summary of less than %d characters or more than %d bytes is refused. ", summary.MinLength, summary.MaxLength) +
			"Without any summary nothing is printed, and the exit code is 1.\n\n" +
			"--if-needed prints nothing while less than the window without --reserve is used.\n\n" +
			"`clawctl compact S.jsonl >> S.jsonl` is yours to do. A program that opens the session afterwards sees the summary and what is kept. " +
			"A gateway that has it open does not: it goes on from the last entry that it wrote, so that the record becomes a branch that nobody sees; let it finish and stop it first. " +
			"OpenClaw since 2026.8 keeps its sessions in SQLite, and reads no JSONL at all. " +
			"--append adds the record to a session of clawctl's store instead, atomically, unless somebody has added to it since it was read.",
		examples: []string{
			"clawctl compact SESSION.jsonl --plan",
			"clawctl compact SESSION.jsonl --if-needed --summarizer 'llm -m haiku' --offline > record.json",
			"clawctl compact SESSION.jsonl --summary notes.md --keep 50% >> SESSION.jsonl",
			"clawctl compact --append --session goclaw:main:main --if-needed --summarizer 'llm -m haiku'",
		},
		exits: []int{exitOK, exitFindings, exitUsage, exitDamaged, exitNothing, exitDatabase, exitLocked, exitInterrupted},
		flags: append(append([]cli.Flag{
			&cli.BoolFlag{Name: "plan", Usage: "show where it would cut, and why; --json for scripts"},
			&cli.StringFlag{Name: "keep", Value: compact.DefaultKeep.String(), Usage: "keep the last `N` tokens, N% of them, or Nm messages"},
			&cli.StringFlag{Name: "as", Value: "pi", Usage: "cut by the numbers of `PROGRAM`: pi, which are OpenClaw's, or claw0"},
			&cli.IntFlag{Name: "reserve", Usage: "due where less than `N` tokens of the window are left; default that of the configuration"},
		}, summaryFlags()...), sourceFlags()...),
		formats: []string{"table", "json", "ndjson"},
		run:     runCompact,
	}
}

func runCompact(a *app, ctx *cli.Context) error {
	defer keepSmall()()
	keep, err := keepOf(ctx)
	if err != nil {
		return err
	}
	r, err := a.openShrink(ctx)
	if err != nil {
		return err
	}
	r.options.Keep, r.options.IgnoreCheckpoints = keep, !r.settings.Session.Compaction.PreferCheckpoint
	var wrong error
	due := func(size int64) bool {
		var reserve int64
		reserve, wrong = reserveOf(ctx, r.settings, size)
		fill := r.survey.Fill
		fill.Window = size
		return fill.NeedsCompaction(reserve)
	}
	if needed, err := r.ifNeeded(due); wrong != nil || err != nil || !needed {
		return cmp.Or(wrong, err)
	}
	if ctx.Bool("plan") {
		return r.printPlan()
	}
	return r.compact()
}

// keepOf reads --keep and --as.
func keepOf(ctx *cli.Context) (compact.Keep, error) {
	switch as := ctx.String("as"); {
	case as == "claw0" && ctx.IsSet("keep"):
		return compact.Keep{}, usageError("clawctl help compact", "--as claw0 decides by itself what is kept; --keep is for pi's way")
	case as == "claw0":
		return compact.Keep{Unit: compact.Claw0}, nil
	case as != "pi":
		return compact.Keep{}, usageError("clawctl help compact", "--as is pi or claw0, not %q", as)
	}
	keep, err := compact.ParseKeep(ctx.String("keep"))
	if err != nil {
		return keep, usageError("clawctl help compact", "--keep is %v", err)
	}
	return keep, nil
}

// compact finds a summary and prints the record.
func (r *shrinkRun) compact() error {
	if err := r.mustHaveIDs(); err != nil {
		return err
	}
	c, err := r.survey.Compact(r.transcript.ctx, r.again, r.options)
	if err != nil {
		return r.summaryFailed(err)
	}
	record, err := c.Record(r.context.Leaf, r.stamp())
	if err != nil {
		return internalError(err)
	}
	r.explain(c)
	return r.deliver(record)
}

// explain says what the record does, and what stands in for a summary that failed.
func (r *shrinkRun) explain(c *compact.Compaction) {
	if c.Failure != nil {
		r.note("%s: %v", r.name, c.Failure)
	}
	source := map[compact.From]string{
		compact.FromGiven: "the summary that was given", compact.FromSummarizer: "the summarizer's summary", compact.FromExtract: "an offline extract",
	}[c.From]
	if c.Plan.FromCheckpoint {
		source = fmt.Sprintf("the checkpoint on line %d", r.survey.Checkpoint.Line)
	}
	r.note("%s: %s summarised by %s, %d kept; %s tokens before, %s after", r.name, counted(c.Summarized, "message"), source, c.Kept,
		group(c.TokensBefore), group(c.TokensAfter))
}
