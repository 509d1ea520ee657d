package trajectory

import (
	"encoding/json"
	"fmt"
	"time"

	"clawctl/pkg/change/redact"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/parts"
)

// A builder turns the entries of a path into steps. Both readings of a path use one, so that they agree about the
// numbers of the steps. The first reading decodes no text.
type builder struct {
	session *input
	options *Options
	plan    *plan
	surveys bool // this is the first reading, which fills the plan
	write   func(*step) error

	maker     parts.Maker
	masker    redact.Masker
	steps     int                // how many were begun
	open      []*openStep        // those that are not written yet, in order
	calls     map[string][]*call // the last calls with an id
	records   []json.RawMessage  // that wait for a step
	firstKept map[string]int     // the steps of the entries that compactions keep first
	effort    string             // the last thinking level
	inAnswer  bool               // the last entry was an answer
	subagents []subagent         // that no result has mentioned yet
	leftOut   map[string]int
	totals    totals
	err       error // of storing an image
}

// An openStep is a step that may still change.
type openStep struct {
	step
	waits int            // results to come
	taken map[string]int // 1 for the ids of calls, and one more for every other id that was tried in place of it
}

// freeID returns the id that a call gets in the step: its own, or one with a number if another call has it.
func (s *openStep) freeID(id string) string {
	if s.taken == nil {
		s.taken = map[string]int{}
	}
	free := id
	for s.taken[free] > 0 {
		s.taken[id]++
		free = fmt.Sprintf("%s#%d", id, s.taken[id])
	}
	s.taken[free] = 1
	return free
}

// readPath adds the records of the path.
func (b *builder) readPath() error {
	return b.session.Path(func(rec *jsonl.Record) error {
		if err := b.totals.add(rec, b); err != nil {
			return err
		}
		if e := b.maker.Entry(rec); e != nil {
			b.add(e)
		}
		if b.err != nil {
			return b.err
		}
		return b.flush(1)
	})
}

// countLoose counts the records that are in no branch. No step has their usage.
func (b *builder) countLoose() error {
	if b.session.Loose == nil {
		return nil
	}
	return b.session.Loose(func(rec *jsonl.Record) error {
		err := b.totals.add(rec, b)
		b.totals.addOutside(new(extra))
		return err
	})
}

// finish writes the rest.
func (b *builder) finish() error {
	b.linkRest()
	return b.flush(0)
}

// flush writes the steps that are complete. The last keep steps may still change.
func (b *builder) flush(keep int) error {
	for len(b.open) > keep && (keep == 0 || b.surveys || b.open[0].waits == 0) {
		first := b.open[0]
		b.open = b.open[1:]
		if err := b.write(&first.step); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) add(e *parts.Entry) {
	if b.plan.kept[e.ID] && e.ID != "" {
		b.firstKept[e.ID] = b.steps + 1
	}
	wasAnswer := b.inAnswer
	b.inAnswer = e.Role == jsonl.RoleAssistant
	switch e.Role {
	case jsonl.RoleAssistant:
		b.addAnswer(e, wasAnswer)
	case jsonl.RoleBashExecution:
		b.addShell(e)
	case jsonl.RoleSystem:
		b.addText(e, fromSystem)
	case "":
		b.addRecord(e)
	default:
		b.addMessage(e)
	}
}

func (b *builder) begin(e *parts.Entry, source string) *openStep {
	b.steps++
	s := &openStep{step: step{ID: b.steps, Source: source}}
	if !b.surveys {
		s.waits = b.plan.results[b.steps]
	}
	b.open = append(b.open, s)
	if len(b.records) > 0 {
		s.Extra.set("records", b.records)
		b.records = nil
	}
	if e != nil {
		s.Timestamp = stamp(e.Time)
		b.describe(s, e)
	}
	return s
}

// describe adds what a step has in common with its entry.
func (b *builder) describe(s *openStep, e *parts.Entry) {
	if e.ID != "" {
		s.Extra.set("entry", e.ID)
	}
	if e.Role != "" && len(e.Parts) > 0 && e.Parts[0].Hidden { // a message is hidden as a whole
		s.Extra.set("excluded_from_context", true)
	}
}

// stamp returns a time in ISO 8601, or "" if there is none that others could read.
func stamp(t time.Time) string {
	const lastYear = 9999
	if t = t.UTC(); t.IsZero() || t.Year() < 1 || t.Year() > lastYear {
		return ""
	}
	return t.Format("2006-01-02T15:04:05.000Z")
}

// leaveOut counts something that the trajectory does not have.
func (b *builder) leaveOut(name string) {
	if !b.surveys {
		b.leftOut[name]++
	}
}
