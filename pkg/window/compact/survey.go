package compact

import (
	"iter"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/tokens"
	"clawctl/pkg/window"
)

// A Survey is the result of reading the entries that the next compaction may summarize. It holds sizes, but no texts.
type Survey struct {
	stretch *rebuild.Stretch
	Fill    window.Fill // of what is sent, which begins with the checkpoint of a provider if there is one
	whole   window.Fill // of all messages since the last boundary, by which programs cut
	counter tokens.Counter

	steps     []rebuild.Step
	estimates []int32 // of every message, by the rule of the program
	costs     []int32 // of everything that the model sees, by the counter
	sizes     []int32 // of everything that is part of the size of the context, by the rule of the program
	users     []int   // the steps with user messages
	uses      []stepUse

	// Previous is the compaction before this stretch, or nil.
	Previous *jsonl.Compaction
	previous int // its step
	// Checkpoint is the last one since the last boundary, or nil.
	Checkpoint *Checkpoint
}

// A Checkpoint is an earlier checkpoint of the session.
type Checkpoint struct {
	rebuild.CheckpointPlace
	jsonl.Checkpoint
}

// Records reads a transcript from its beginning.
type Records func() iter.Seq2[*jsonl.Record, error]

// NewSurvey measures a context as a program does; nil is the one that wrote it. records must read the transcript of the
// context.
func NewSurvey(
	context *rebuild.Context, like rebuild.Program, records Records, counter tokens.Counter,
) (*Survey, error) {
	if err := context.Dialect().CheckOwner(); err != nil {
		return nil, err
	}
	s := &Survey{stretch: context.Stretch(like), counter: counter, previous: -1}
	n := s.stretch.Len()
	s.estimates, s.costs, s.sizes = make([]int32, n), make([]int32, n), make([]int32, n)
	s.steps = make([]rebuild.Step, n)
	for i := range s.steps {
		s.steps[i] = s.stretch.Step(i)
	}
	if err := s.stretch.Walk(records(), s.take); err != nil {
		return nil, err
	}
	if at, ok := s.stretch.Checkpoint(); ok {
		said, err := s.stretch.ReadCheckpoint(at, records())
		if err != nil {
			return nil, err
		}
		s.Checkpoint = &Checkpoint{at, said}
	}
	return s, nil
}

// take measures one record.
func (s *Survey) take(i int, rec *jsonl.Record) error {
	step := s.steps[i]
	if m, ok := rec.Message(); ok && step.Message {
		s.uses = appendUses(s.uses, i, m)
	}
	var m rebuild.Measurement
	if s.stretch.IsMeasured(i) {
		m = s.stretch.Measure(i, rec, s.counter)
		s.whole.Add(m)
		if sent, ok := s.stretch.Sent(i, m, rec, s.counter); ok {
			s.Fill.Add(sent)
		}
		s.sizes[i] = int32(min(m.Size, maxSize))
	}
	switch {
	case !step.Message:
	case m.Estimated:
		s.estimates[i] = s.sizes[i]
	default:
		s.estimates[i] = int32(min(s.stretch.Estimate(i, rec), maxSize))
	}
	if !step.Shown {
		return nil
	}
	s.costs[i] = int32(min(m.Tokens, maxSize))
	if m.Role == jsonl.RoleUser {
		s.users = append(s.users, i)
	}
	if c, ok := rec.Compaction(); ok {
		s.Previous, s.previous = &c, i
	}
	return nil
}

// maxSize is larger than any message.
const maxSize = 1 << 30

// isMessage reports whether a step is a message of the context. The summary of the last compaction is not, and neither
// is a system message.
func (s *Survey) isMessage(i int) bool {
	return s.steps[i].Shown && !s.steps[i].Boundary && !s.steps[i].System
}

// CountMessages returns the number of messages in the context.
func (s *Survey) CountMessages() (n int) {
	for i := range s.steps {
		n += s.countOf(i)
	}
	return n
}
