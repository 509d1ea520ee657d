package window

import (
	"cmp"
	"iter"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/tokens"
)

// A Usage says how full a window is, and with what.
type Usage struct {
	Fill
	Messages             int
	Turns                int // messages of the user
	TurnsSinceCheckpoint int
	Roles                map[string]int64 // tokens, as clawctl counts them
	Tools                map[string]int64
	History              []int64 // the recorded size at each answer
	// Resumption is the checkpoint of the provider that the context begins with, if there is one.
	Resumption rebuild.Resumption
	CountedBy  string // the program whose estimate of what was not recorded is taken, or clawctl
}

// Measure measures a context: the last recorded size, and what followed it. checkpoint is the line of the last
// checkpoint, or 0 if there is none. records must read the transcript of the context.
func Measure(
	context *rebuild.Context, checkpoint int64, records iter.Seq2[*jsonl.Record, error], counter tokens.Counter,
) (*Usage, error) {
	u := &Usage{Roles: map[string]int64{}, Tools: map[string]int64{}, CountedBy: context.CountedBy()}
	err := context.Measure(records, counter, func(m rebuild.Measurement) { u.take(m, checkpoint) })
	return u, err
}

func (u *Usage) take(m rebuild.Measurement, checkpoint int64) {
	u.Fill.Add(m)
	if m.Unsent {
		return
	}
	u.Messages++
	u.Roles[cmp.Or(m.Role, "unknown")] += int64(m.Tokens + m.Correction)
	if m.Tool != "" {
		u.Tools[m.Tool] += int64(m.Tokens)
	}
	if m.Role == jsonl.RoleUser {
		u.Turns++
		if m.Line > checkpoint {
			u.TurnsSinceCheckpoint++
		}
	}
	if m.Recorded > 0 {
		u.History = append(u.History, m.Recorded)
	}
}
