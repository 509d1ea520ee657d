package main

import (
	"clawctl/pkg/window"

	"github.com/urfave/cli/v2"
)

func checkpointCommand() *command {
	return &command{
		name: "checkpoint", group: "shrink", args: "[SOURCE]", summary: "the checkpoint record that sums a session up while it goes on",
		about: "Prints a record with a summary of the whole context, its topics, open questions and key decisions, one line of JSON that belongs behind the last line of the session. " +
			"GoClaw and `clawctl compact` make a compaction of it without asking a model; OpenClaw and pi ignore it. It writes into no transcript.\n\n" +
			"--summarizer is asked for a JSON object with summary, topics, openQuestions and keyDecisions, twice at most; a fence around it does not matter. " +
			"--summary is a file with such an object, or with a plain summary. --offline makes an extract, also where the summarizer fails, which says that it is one.\n\n" +
			"With --if-needed it is due when the context is at or over a threshold of the configuration, by default 25, 50 or 75 % of the window, and the last checkpoint since the last compaction was below that, or 15 user messages after it, " +
			"and never below --min-tokens. Without --if-needed it is made whenever you ask, however small the context is.",
		examples: []string{
			"clawctl checkpoint SESSION.jsonl --if-needed --summarizer 'llm -m haiku' >> SESSION.jsonl",
			"clawctl checkpoint SESSION.jsonl --offline",
			"clawctl checkpoint SESSION.jsonl --summary notes.json",
		},
		exits: []int{exitOK, exitFindings, exitUsage, exitDamaged, exitNothing, exitDatabase, exitLocked, exitInterrupted},
		flags: append(append([]cli.Flag{
			&cli.Int64Flag{Name: "min-tokens", Usage: "with --if-needed none is due below `N` tokens; default that of the configuration"},
		}, summaryFlags()...), sourceFlags()...),
		run: runCheckpoint,
	}
}

func runCheckpoint(a *app, ctx *cli.Context) error {
	defer keepSmall()()
	r, err := a.openShrink(ctx)
	if err != nil {
		return err
	}
	rules := window.CheckpointRulesOf(r.settings.Session.Checkpoint)
	if ctx.IsSet("min-tokens") {
		rules.MinTokens = ctx.Int64("min-tokens")
	}
	why := ""
	needed, err := r.ifNeeded(func(size int64) bool {
		if r.settings.Session.Checkpoint.Enabled {
			why = r.survey.CheckpointReason(rules, size)
		}
		return why != ""
	})
	if err != nil || !needed {
		return err
	}
	if why != "" {
		r.note("%s: a checkpoint is due: %s", r.name, why)
	}
	return r.checkpoint()
}

// checkpoint takes notes and prints the record.
func (r *shrinkRun) checkpoint() error {
	if err := r.mustHaveIDs(); err != nil {
		return err
	}
	notes, failure, err := r.survey.TakeNotes(r.transcript.ctx, r.again, r.options)
	if err != nil {
		return r.summaryFailed(err)
	}
	if failure != nil {
		r.note("%s: %v; an offline extract stands in for it", r.name, failure)
	}
	record, err := r.survey.CheckpointRecord(notes, r.context.Leaf, r.stamp())
	if err != nil {
		return internalError(err)
	}
	return r.deliver(record)
}
