// Package boundary describes where the context of a session was made smaller: its compactions and resets, what left the
// context at each of them, and what the summary says of that.
//
// rebuild knows the boundaries, whatever program wrote the transcript, and the entries that left at each of them. This
// package reads the entries once more and adds them up. It keeps a few bytes for every file and every call between two
// boundaries, and no texts.
package boundary

import (
	"cmp"
	"iter"
	"time"

	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/report/stats"
	"clawctl/pkg/tokens"
	"clawctl/pkg/window/summary"
)

// A Boundary is one compaction or reset. Its fields are those of JSON: fields are added, never renamed.
type Boundary struct {
	Number int        `json:"number"` // in the order of the conversation, from 1
	Kind   Kind       `json:"kind"`
	Entry  string     `json:"entry_id"`
	Line   int64      `json:"line"`
	Time   *time.Time `json:"time"`
	// Reason is why the context was made smaller, in the words of the program that did it, or "".
	Reason         string   `json:"reason"`
	FromHook       bool     `json:"from_hook"`
	FromCheckpoint bool     `json:"from_checkpoint"`
	TokensBefore   *int64   `json:"tokens_before"`                // null if they were not recorded
	BeforeFrom     string   `json:"tokens_before_from,omitempty"` // "record", or "last_answer": its request and itself
	TokensAfter    *int64   `json:"tokens_after"`
	AfterFrom      string   `json:"tokens_after_from,omitempty"` // "record", or "next_answer": the size of its request
	Dropped        Loss     `json:"dropped"`
	Summary        *Summary `json:"summary"` // null for a reset
	// State is what is wrong with it: empty, skeleton, cut off, late, or "".
	State State `json:"state"`
	Late  bool  `json:"late"` // it was added after a later run began

	ID   stats.RecordID   `json:"-"`
	kept map[textKey]bool // the messages that a compaction repeats
}

// A Kind tells boundaries apart.
type Kind string

// The kinds of boundaries.
const (
	Compaction Kind = "compaction"
	Reset      Kind = "reset"
)

// A State is what is wrong with a boundary. If several things are, it is the worst.
type State string

// What may be wrong, from the worst to the least. Sealed means that only the provider can read the summary.
const (
	Empty    State = State(summary.Empty)
	Skeleton State = State(summary.Skeleton)
	CutOff   State = State(summary.CutOff)
	Late     State = "late"
	Sealed   State = "sealed"
	Fine     State = ""
)

// states are the states that are problems, from the worst to the least.
var states = []State{Empty, Skeleton, CutOff, Late}

// Loss is what left the context at a boundary.
type Loss struct {
	Messages    int   `json:"messages"`
	Turns       int   `json:"turns"`
	ToolCalls   int   `json:"tool_calls"`
	ToolResults int   `json:"tool_results"`
	Files       Files `json:"files"`
	OpenCalls   Calls `json:"open_calls"` // calls that had no result yet
}

// Files are the files that dropped calls read or changed.
type Files struct {
	Count     int `json:"count"`
	Modified  int `json:"modified"`
	Mentioned int `json:"mentioned"` // how many of them the summary names
	// Unmentioned are the first of those that it does not name.
	Unmentioned []string `json:"unmentioned"`
}

// Calls are tool calls without a result.
type Calls struct {
	Count     int      `json:"count"`
	Mentioned int      `json:"mentioned"` // how many of their tools the summary names
	Tools     []string `json:"tools"`     // the first of them
}

// A Summary is the text that replaces what was dropped.
type Summary struct {
	Tokens     int  `json:"tokens"`
	Characters int  `json:"characters"`
	Sealed     bool `json:"sealed"` // only the provider can read it
}

// Options say how boundaries are described.
type Options struct {
	Counter tokens.Counter           // of the tokens of summaries
	Mask    func(text string) string // for the names of files and tools; nil leaves them as they are
}

// List describes the boundaries of a context. records must read its transcript again.
func List(c *rebuild.Context, records iter.Seq2[*jsonl.Record, error], opts Options) ([]Boundary, error) {
	found := c.Boundaries()
	if len(found.List) == 0 {
		return nil, nil
	}
	if opts.Mask == nil {
		opts.Mask = func(text string) string { return text }
	}
	w := newWalk(found, opts)
	if err := found.Walk(records, w.visit); err != nil {
		return nil, err
	}
	for i := range w.list {
		w.list[i].judge(w.qualities[i])
	}
	return w.list, nil
}

// Lost calls emit with the records that left the context at a boundary, and then with those of the boundary. records
// must read its transcript again.
func (b *Boundary) Lost(
	c *rebuild.Context, records iter.Seq2[*jsonl.Record, error], emit func(rec *jsonl.Record, isBoundary bool) error,
) error {
	return c.Boundaries().Walk(records, func(v rebuild.Visit) error {
		switch {
		case v.Boundary == b.Number:
			return emit(v.Record, true)
		case v.Left == b.Number && !b.kept[keyOf(v.Record)]:
			return emit(v.Record, false)
		}
		return nil
	})
}

// judge decides the state.
func (b *Boundary) judge(q summary.Quality) {
	switch {
	case b.Kind == Reset:
	case b.Summary.Sealed:
		b.State = Sealed
	default:
		b.State = State(q)
	}
	if b.Late && b.State == Fine {
		b.State = Late
	}
}

// whyWords say why the context was made smaller, as far as that is known.
func (b *Boundary) whyWords() string {
	switch {
	case b.FromHook:
		return cmp.Or(b.Reason, "hook")
	case b.FromCheckpoint:
		return cmp.Or(b.Reason, "checkpoint")
	}
	return b.Reason
}

// mentionWords say how many of the dropped files and open calls the summary names: "3 of 7".
func (b *Boundary) mentionWords() string {
	files, calls := b.Dropped.Files, b.Dropped.OpenCalls
	if files.Count+calls.Count == 0 || b.Summary == nil {
		return ""
	}
	return ui.Thousands(int64(files.Mentioned+calls.Mentioned)) + " of " +
		ui.Thousands(int64(files.Count+calls.Count))
}
