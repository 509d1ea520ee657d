package main

import (
	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/internal/shrinking"
	"clawctl/pkg/window"
)

func newCheckpointCommand() *cli.Command {
	return &cli.Command{
		Missing: func() string { return shrinking.SummaryRules },
		Options: &checkpointOptions{RecordOptions: shrinking.NewRecordOptions()},
	}
}

// checkpointOptions are the flags of checkpoint.
type checkpointOptions struct {
	MinTokens *int64 `flag:"min-tokens"`
	shrinking.RecordOptions
}

// OwnFlags makes the flags.
func (o *checkpointOptions) OwnFlags() []cli.Flag {
	const usage = "with --if-needed, skip the checkpoint if the context has fewer tokens"
	least := cli.TokensFlag(&o.MinTokens, "min-tokens", 0, usage).
		WithDefault("from the configuration")
	return cli.FlagsOf(o,
		least)
}

// Run runs the command.
func (o *checkpointOptions) Run(a *cli.App, operands []string) error {
	defer reading.KeepSmall()()
	r, err := shrinking.Open(a, &o.RecordOptions, operands, "summarized", nil)
	if err != nil {
		return err
	}
	o.useModel(r)
	reason := ""
	needed, err := r.IsNeeded(func(size int64) (bool, error) {
		settings := r.Settings.Session.Checkpoint
		if !settings.Enabled {
			return false, nil
		}
		rules := window.CheckpointRulesOf(settings)
		if o.MinTokens != nil {
			rules.MinTokens = *o.MinTokens
		}
		reason = r.Survey.CheckpointReason(rules, size)
		return reason != "", nil
	})
	if err != nil || !needed {
		return err
	}
	if reason != "" {
		r.Note("%s: a checkpoint is due: %s", r.Transcript.Name, reason)
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

// printCheckpoint takes notes and prints the record.
func printCheckpoint(r *shrinking.Run) error {
	if err := r.MustHaveIDs(); err != nil {
		return err
	}
	notes, failed, err := r.Survey.TakeNotes(r.Ctx, r.Transcript.Again, r.Summary)
	if err != nil {
		return r.SummaryFailed(err)
	}
	if failed != nil {
		r.Note("%s: %v; using an offline extract instead", r.Transcript.Name, failed)
	}
	record, err := r.Survey.CheckpointRecord(notes, r.Context.Context.Leaf, r.Stamp())
	if err != nil {
		return failure.Internal(err)
	}
	return r.Deliver(record)
}
