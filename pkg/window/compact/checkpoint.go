package compact

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"clawctl/pkg/window"
	"clawctl/pkg/window/summary"
)

// CheckpointReason says why a checkpoint is needed for a window of this size. It returns "" if none is.
func (s *Survey) CheckpointReason(rules window.CheckpointRules, size int64) string {
	fill := s.Fill
	fill.Window = size
	if s.Checkpoint == nil {
		return rules.Reason(fill, 0, len(s.users))
	}
	return rules.Reason(fill, s.Checkpoint.TokensAtCheckpoint, s.usersAfter(s.Checkpoint.Covers))
}

// usersAfter counts the user messages after a step.
func (s *Survey) usersAfter(step int) (n int) {
	for _, at := range s.users {
		if at > step {
			n++
		}
	}
	return n
}

// Notes are the content of a checkpoint.
type Notes struct {
	Summary       string   `json:"summary"`
	Topics        []string `json:"topics"`
	OpenQuestions []string `json:"openQuestions"`
	KeyDecisions  []string `json:"keyDecisions"`
}

var errNoNotes = errors.New("no JSON object with a summary and lists of topics, openQuestions and keyDecisions")

// parseNotes reads the answer of a summarizer: a JSON object, possibly in a Markdown code fence or among other text.
func parseNotes(answer string) (*Notes, error) {
	from, to := strings.IndexByte(answer, '{'), strings.LastIndexByte(answer, '}')
	if from < 0 || to < from {
		return nil, errNoNotes
	}
	n := &Notes{}
	if err := json.Unmarshal([]byte(answer[from:to+1]), n); err != nil {
		return nil, errNoNotes
	}
	n.Summary = strings.TrimSpace(n.Summary)
	return n, summary.Check(n.Summary)
}

// readNotes reads notes that a person wrote: JSON, or otherwise a plain summary.
func readNotes(text string) (*Notes, error) {
	if trimmed := strings.TrimSpace(text); strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "```") {
		return parseNotes(text)
	}
	return &Notes{Summary: strings.TrimSpace(text)}, summary.Check(text)
}

// TakeNotes makes the notes for a checkpoint of the complete context. failure is why the summarizer failed, if an
// extract replaces its answer.
func (s *Survey) TakeNotes(ctx context.Context, records Records, o Options) (notes *Notes, failure, err error) {
	switch {
	case s.CountMessages() == 0:
		return nil, nil, &NothingError{}
	case o.Given != "":
		notes, err = readNotes(o.Given)
		return notes, nil, err
	case o.Summarizer != nil:
		prompt := func(w io.Writer) error {
			return s.writePrompt(w, records, s.stretch.Len(), checkpointInstruction, s.details(s.stretch.Len()))
		}
		failure = summary.Ask(ctx, o.Summarizer, prompt, func(answer string) (err error) {
			notes, err = parseNotes(answer)
			return err
		})
		if failure == nil || ctx.Err() != nil || !o.Offline {
			return notes, nil, failure
		}
	case !o.Offline:
		return nil, nil, ErrNoSummary
	}
	x, err := s.Extract(records, s.stretch.Len())
	if err != nil {
		return nil, failure, err
	}
	return extractNotes(x), failure, nil
}
