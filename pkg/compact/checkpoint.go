package compact

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"clawctl/pkg/config"
)

// Rules say when a checkpoint is due.
type Rules struct {
	Percents  []float64 // of the window
	Turns     int       // user messages since the last one
	MinTokens int64     // of the context; below it none is due
}

// RulesOf are those of a configuration.
func RulesOf(c config.Checkpoint) Rules {
	return Rules{Percents: c.TokenThresholdPercents, Turns: c.TurnThreshold, MinTokens: int64(c.MinTokensForGen)}
}

// Due says why a checkpoint is due, "" where none is.
func (s *Survey) Due(r Rules, window int64) string {
	now, last, turns := s.Fill.Tokens(), int64(0), len(s.users)
	if s.Checkpoint != nil {
		last = s.Checkpoint.TokensAtCheckpoint
		turns = s.usersAfter(s.Checkpoint.Covers)
	}
	if now < r.MinTokens {
		return ""
	}
	for i := len(r.Percents) - 1; i >= 0; i-- {
		if at := int64(r.Percents[i] / 100 * float64(window)); now >= at && last < at {
			return fmt.Sprintf("the context passed %g %% of the window", r.Percents[i])
		}
	}
	if r.Turns > 0 && turns >= r.Turns {
		return fmt.Sprintf("%d user messages since the last one", turns)
	}
	return ""
}

// usersAfter counts what users said behind a step.
func (s *Survey) usersAfter(step int) (n int) {
	for _, at := range s.users {
		if at > step {
			n++
		}
	}
	return n
}

// Notes are what a checkpoint says.
type Notes struct {
	Summary       string   `json:"summary"`
	Topics        []string `json:"topics"`
	OpenQuestions []string `json:"openQuestions"`
	KeyDecisions  []string `json:"keyDecisions"`
}

var errNoNotes = errors.New("no JSON object with a summary and lists of topics, openQuestions and keyDecisions")

// ParseNotes reads the answer of a summarizer: a JSON object, maybe inside a fence of Markdown or among other words.
func ParseNotes(answer string) (*Notes, error) {
	from, to := strings.IndexByte(answer, '{'), strings.LastIndexByte(answer, '}')
	if from < 0 || to < from {
		return nil, errNoNotes
	}
	n := &Notes{}
	if err := json.Unmarshal([]byte(answer[from:to+1]), n); err != nil {
		return nil, errNoNotes
	}
	n.Summary = strings.TrimSpace(n.Summary)
	return n, CheckSummary(n.Summary)
}

// NotesOf makes notes of what somebody wrote: JSON, or else a plain summary.
func NotesOf(text string) (*Notes, error) {
	if trimmed := strings.TrimSpace(text); strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "```") {
		return ParseNotes(text)
	}
	return &Notes{Summary: strings.TrimSpace(text)}, CheckSummary(text)
}

// Notes are those of an extract.
func (x *Extract) Notes() *Notes {
	return &Notes{x.String(), x.Topics, x.Questions, x.Decisions}
}

// TakeNotes makes the notes of a checkpoint of the whole context. failure is why the summarizer gave nothing, where an
// extract stands in for it.
func (s *Survey) TakeNotes(ctx context.Context, records Records, o Options) (notes *Notes, failure, err error) {
	switch {
	case s.CountMessages() == 0:
		return nil, nil, ErrNothing
	case o.Given != "":
		notes, err = NotesOf(o.Given)
		return notes, nil, err
	case o.Summarizer != nil:
		prompt := func(w io.Writer) error {
			return s.writePrompt(w, records, s.Len(), checkpointInstruction, s.details(s.Len()))
		}
		failure = ask(ctx, o.Summarizer, prompt, func(answer string) (err error) {
			notes, err = ParseNotes(answer)
			return err
		})
		if failure == nil || ctx.Err() != nil || !o.Offline {
			return notes, nil, failure
		}
	case !o.Offline:
		return nil, nil, ErrNoSummary
	}
	x, err := s.Extract(records, s.Len())
	if err != nil {
		return nil, failure, err
	}
	return x.Notes(), failure, nil
}
