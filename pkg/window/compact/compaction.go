package compact

import (
	"context"
	"io"
	"strings"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/window/summary"
)

// ErrNoSummary means that no summary was given or requested, and no checkpoint is recent enough.
var ErrNoSummary error = &failure.Sentinel{
	Code: failure.NoSummary, Text: "no summary: use --summary, --summarizer or --offline", Again: []string{"--offline"},
}

// A NothingError means that there is nothing to summarize, because everything is kept.
type NothingError struct{ Messages int }

func (e *NothingError) Error() string {
	text := "nothing to summarize: the context has " + ui.Count(e.Messages, "message")
	if e.Messages > 0 {
		text += ", and all are kept"
	}
	return text
}

// FailureAt is the failure of a session that is too short.
func (e *NothingError) FailureAt(place string) *failure.Error {
	return failure.New(failure.AllKept, "%v", e).At(place)
}

// A From is the source of a summary.
type From string

// The sources of a summary.
const (
	FromGiven      From = "given"
	FromSummarizer From = "summarizer"
	FromCheckpoint From = "checkpoint"
	FromLastResort From = "last resort" // a checkpoint after the summarizer failed
	FromExtract    From = "extract"
)

// Options say how to compact.
type Options struct {
	Keep Keep
	// Given is a summary that a person wrote. Summarizer writes one. Either takes precedence over everything else.
	Given      string
	Summarizer summary.Summarizer
	// Offline allows an extract if there is nothing better.
	Offline bool
	// IgnoreCheckpoints ignores recent checkpoints. They remain the last resort.
	IgnoreCheckpoints bool
}

// A Compaction is a plan with its summary.
type Compaction struct {
	Plan        *Plan
	Summary     string
	From        From
	TokensAfter int64
	// Prompt is what pi's system messages add up to, which its compactions hold; nil for other programs.
	Prompt *rebuild.Prompt
	// Failure is why the summarizer failed, if something else replaces its summary.
	Failure error
}

// Source returns the source of the summary that the options lead to, as far as it is known before the summarizer runs,
// and the plan that goes with it. The source is "" if there is none.
func (s *Survey) Source(o Options) (From, *Plan) {
	plan := s.Plan(o.Keep)
	switch {
	case o.Given != "":
		return FromGiven, plan
	case o.Summarizer != nil:
		return FromSummarizer, plan
	}
	if fast := s.planFromCheckpoint(); !o.IgnoreCheckpoints && fast != nil && !fast.keepsEverything() && s.isRecent() {
		return FromCheckpoint, fast
	}
	if o.Offline {
		return FromExtract, plan
	}
	return "", plan
}

// isRecent reports whether the last checkpoint covers more than half of the context and is not empty.
func (s *Survey) isRecent() bool {
	return 2*s.Checkpoint.TokensAtCheckpoint > s.Fill.Current() && summary.Check(s.Checkpoint.Summary) == nil
}

// Compact makes a plan and finds a summary. records must read the transcript of the survey.
func (s *Survey) Compact(ctx context.Context, records Records, o Options) (*Compaction, error) {
	from, plan := s.Source(o)
	c := &Compaction{Plan: plan, From: from}
	if plan.keepsEverything() {
		return nil, &NothingError{s.CountMessages()}
	}
	var err error
	switch from {
	case FromGiven:
		c.Summary, err = strings.TrimSpace(o.Given), summary.Check(o.Given)
	case FromSummarizer:
		err = s.askFor(ctx, c, records, o)
	case FromCheckpoint:
		c.Summary = s.Checkpoint.Summary
	case FromExtract:
		err = s.extract(c, records)
	default:
		err = ErrNoSummary
	}
	if err != nil {
		return nil, err
	}
	if c.Prompt, err = s.stretch.Prompt(records()); err != nil {
		return nil, err
	}
	c.TokensAfter = s.sizeFrom(c.Plan.First) + int64(s.stretch.SummarySize(c.Summary, s.counter)) +
		int64(c.Prompt.Tokens(s.counter))
	return c, nil
}

// sizeFrom returns what the messages from a step on add to the size of the context.
func (s *Survey) sizeFrom(step int) (size int64) {
	for i := step; i < s.stretch.Len(); i++ {
		if !s.steps[i].Boundary && !s.steps[i].System {
			size += int64(s.sizes[i])
		}
	}
	return size
}

// askFor runs the summarizer. If that fails, it uses the last checkpoint or, if allowed, an extract.
func (s *Survey) askFor(ctx context.Context, c *Compaction, records Records, o Options) error {
	instruction := summaryInstruction
	if c.Plan.SplitTurn {
		instruction += splitInstruction
	}
	err := summary.Ask(ctx, o.Summarizer, func(w io.Writer) error {
		return s.writePrompt(w, records, c.Plan.First, instruction, c.Plan.Details)
	}, func(answer string) error {
		c.Summary = strings.TrimSpace(answer)
		return summary.Check(answer)
	})
	if err == nil || ctx.Err() != nil {
		return err
	}
	c.Failure = err
	if last := s.planFromCheckpoint(); last != nil && !last.keepsEverything() &&
		summary.Check(s.Checkpoint.Summary) == nil {
		c.Plan, c.Summary, c.From = last, s.Checkpoint.Summary, FromLastResort
		return nil
	}
	if o.Offline {
		c.From = FromExtract
		return s.extract(c, records)
	}
	return err
}

func (s *Survey) extract(c *Compaction, records Records) error {
	x, err := s.Extract(records, c.Plan.First)
	if err != nil {
		return err
	}
	c.Summary = x.String()
	return nil
}
