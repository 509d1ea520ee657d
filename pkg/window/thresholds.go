package window

import (
	"fmt"

	"clawctl/pkg/config"
)

// A Kind is the action that a threshold triggers.
type Kind string

// Kinds lists the kinds of thresholds.
var Kinds = []Kind{Checkpoint, Flush, Compaction}

// The kinds of thresholds.
const (
	Checkpoint Kind = "checkpoint"
	Flush      Kind = "flush"
	Compaction Kind = "compaction"
)

// A Threshold is a size of the context that triggers an action.
type Threshold struct {
	Kind    Kind    `json:"kind"`
	Percent float64 `json:"percent"` // of the window
	Tokens  int64   `json:"tokens"`
	Passed  bool    `json:"passed"`
}

// Thresholds returns the thresholds of a configuration, and which of them the context has passed.
func (f Fill) Thresholds(s *config.SessionSettings, reserve int64) []Threshold {
	var list []Threshold
	add := func(kind Kind, percent float64, at int64) {
		list = append(list, Threshold{kind, percent, at, f.Current() >= at})
	}
	if s.Checkpoint.Enabled {
		for _, p := range s.Checkpoint.TokenThresholdPercents {
			add(Checkpoint, p, share(f.Window, p))
		}
	}
	if s.MemoryFlush.Enabled {
		for _, t := range s.MemoryFlush.Thresholds {
			add(Flush, t.Percent, share(f.Window, t.Percent))
		}
	}
	at := compactionAt(f.Window, reserve)
	add(Compaction, float64(int64(1000*float64(at)/float64(f.Window)))/10, at)
	return list
}

// CheckpointRules say when a checkpoint is needed.
type CheckpointRules struct {
	Percents  []float64 // of the window
	Turns     int       // user messages since the last checkpoint
	MinTokens int64     // of the context; below it no checkpoint is needed
}

// CheckpointRulesOf returns the rules of a configuration.
func CheckpointRulesOf(c config.Checkpoint) CheckpointRules {
	return CheckpointRules{c.TokenThresholdPercents, c.TurnThreshold, int64(c.MinTokensForGen)}
}

// Reason says why a checkpoint is needed, or returns "" if none is. last is the size of the context at the last
// checkpoint since the last compaction, or 0 if there is none. turns is the number of user messages after it.
func (r CheckpointRules) Reason(f Fill, last int64, turns int) string {
	if f.Current() < r.MinTokens {
		return ""
	}
	for i := len(r.Percents) - 1; i >= 0; i-- {
		if at := share(f.Window, r.Percents[i]); f.Current() >= at && last < at {
			return fmt.Sprintf("the context passed %g%% of the window", r.Percents[i])
		}
	}
	if r.Turns > 0 && turns >= r.Turns {
		return fmt.Sprintf("%d user messages since the last one", turns)
	}
	return ""
}
