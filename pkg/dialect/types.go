package dialect

import (
	"slices"
	"sync"
)

// The types of OpenClaw's records, and of those that pi and GoClaw write beside them. Above the reader there are no
// others: lines of other programs are translated to these.
const (
	Session             = "session"
	Message             = "message"
	Compaction          = "compaction"
	Reset               = "reset"
	BranchSummary       = "branch_summary"
	CustomMessage       = "custom_message"
	ModelChange         = "model_change"
	ThinkingLevelChange = "thinking_level_change"
	Custom              = "custom"
	Label               = "label"
	SessionInfo         = "session_info"
	Leaf                = "leaf"
	Checkpoint          = "checkpoint"
	Usage               = "usage"
	ContextEdit         = "context_edit"
)

// Rollback is the type of translations that take back the last turns. No program writes such a line.
const Rollback = "rollback"

// Types lists every type that a line may state, in the order in which help texts and completion show them.
func Types() []string { return allTypes() }

var allTypes = sync.OnceValue(func() []string {
	types := []string{
		Session, Message, Compaction, Reset, BranchSummary, CustomMessage, ModelChange, ThinkingLevelChange, Custom,
		Label, SessionInfo, Leaf, Checkpoint, Usage, ContextEdit,
	}
	for _, p := range Table {
		for _, kind := range p.types() {
			if !slices.Contains(types, kind) {
				types = append(types, kind)
			}
		}
	}
	return slices.Clip(types)
})
