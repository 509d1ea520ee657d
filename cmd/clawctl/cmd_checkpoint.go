package main

import (
	"slices"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/internal/shrinking"
	"clawctl/pkg/window"
)

func newCheckpointCommand() *cli.Command {
	o := &checkpointOptions{RecordOptions: shrinking.NewRecordOptions()}
	c := &cli.Command{
		Operands: "[SOURCE]",
		About: "Prints a checkpoint record: one line of JSON that belongs after the last line of the session, with a " +
			"summary of the whole context, its topics, open questions and key decisions. GoClaw and `clawctl compact` turn it " +
			"into a compaction without asking a model. OpenClaw and pi ignore it. It never changes a transcript.\n\n" +
			"The summarizer is asked for a JSON object with summary, topics, openQuestions and keyDecisions. A code fence " +
			"around the object does not matter. It finds checkpoint.model of the configuration in CLAWCTL_MODEL. If it " +
			"fails with that model and fallbackToMain is set, it is asked again without the variable. --summary reads such " +
			"an object, or a plain summary, from a file. Without either, or if the summarizer fails, --offline makes an " +
			"extract, which says " +
			"that it is one. " + shrinking.SummaryRules + "\n\n" +
			"With --if-needed, a checkpoint is made only if the context has passed a threshold of the configuration (by " +
			"default 25%, 50% or 75% of the window) that the last checkpoint had not, or if 15 user messages followed the " +
			"last checkpoint. It is never due if the context has fewer than --min-tokens. Without --if-needed it is always " +
			"made.\n\n" +
			"--append adds the record to a session in clawctl's store instead of printing it, unless the session has changed " +
			"since it was read. Names are then looked up in the store. Otherwise they are looked up in your state folder " +
			"first.",
		Examples: []cli.Example{
			{"Add a checkpoint if one is due",
				"clawctl checkpoint SESSION.jsonl --if-needed --summarizer 'llm -m haiku' >> SESSION.jsonl"},
			{"Make one without a model", "clawctl checkpoint SESSION.jsonl --offline"},
			{"Use notes of your own", "clawctl checkpoint SESSION.jsonl --summary notes.json"},
		},
		Exits: []int{
			failure.ExitOK, failure.ExitFindings, failure.ExitUsage, failure.ExitDamaged, failure.ExitNothing,
			failure.ExitDatabase, failure.ExitLocked, failure.ExitInterrupted,
		},
		Outcomes: map[int]string{
			failure.ExitOK:       "done or not due",
			failure.ExitFindings: "nothing to summarize or no usable summary",
		},
		Flags: o.flags,
	}
	c.Run = func(a *cli.App, operands []string) error { return o.run(a, c, operands) }
	return c
}

// checkpointOptions are the flags of checkpoint.
type checkpointOptions struct {
	shrinking.RecordOptions
	minTokens *int64
}

func (o *checkpointOptions) flags() []cli.Flag {
	const usage = "with --if-needed, skip the checkpoint if the context has fewer tokens"
	least := cli.TokensFlag(&o.minTokens, "min-tokens", 0, usage).
		WithDefault("from the configuration")
	return slices.Concat([]cli.Flag{least}, o.RecordOptions.Flags())
}

func (o *checkpointOptions) run(a *cli.App, c *cli.Command, operands []string) error {
	defer reading.KeepSmall()()
	r, err := shrinking.Open(a, c, &o.RecordOptions, operands, "summarized", nil)
	if err != nil {
		return err
	}
	o.useModel(r)
	reason := ""
	needed, err := r.IsNeeded(func(size int64) (bool, error) {
		reason = o.reason(r, size)
		return reason != "", nil
	})
	if err != nil || !needed {
		return err
	}
	if reason != "" {
		r.App.Note("%s: a checkpoint is due: %s", r.Transcript.Name, reason)
	}
	return printCheckpoint(r)
}

// useModel lets the summarizer use the model of the configuration.
func (o *checkpointOptions) useModel(r *shrinking.Run) {
	settings := r.Settings.Session.Checkpoint
	if o.Command == "" || settings.Model == "" {
		return
	}
	plain := r.Summary.Summarizer
	r.Summary.Summarizer = shrinking.NewModelSummarizer(r.App, o.Command, o.Timeout, settings.Model)
	if settings.FallbackToMain {
		r.Summary.Summarizer = shrinking.WithFallback(r.App, r.Summary.Summarizer, plain, settings.Model)
	}
}

// reason says why a checkpoint is due for a window of this size, "" if none is.
func (o *checkpointOptions) reason(r *shrinking.Run, size int64) string {
	settings := r.Settings.Session.Checkpoint
	if !settings.Enabled {
		return ""
	}
	rules := window.CheckpointRulesOf(settings)
	if o.minTokens != nil {
		rules.MinTokens = *o.minTokens
	}
	return r.Survey.CheckpointReason(rules, size)
}

// printCheckpoint takes notes and prints the record.
func printCheckpoint(r *shrinking.Run) error {
	if err := r.MustHaveIDs(); err != nil {
		return err
	}
	notes, failed, err := r.Survey.TakeNotes(r.App.Ctx, r.Transcript.Again, r.Summary)
	if err != nil {
		return r.SummaryFailed(err)
	}
	if failed != nil {
		r.App.Note("%s: %v; using an offline extract instead", r.Transcript.Name, failed)
	}
	record, err := r.Survey.CheckpointRecord(notes, r.Context.Context.Leaf, r.Stamp())
	if err != nil {
		return failure.Internal(err)
	}
	return r.Deliver(record)
}
