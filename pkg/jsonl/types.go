package jsonl

// The record types of all dialects.
const (
	TypeSession             = "session"
	TypeMessage             = "message"
	TypeCompaction          = "compaction"
	TypeReset               = "reset"
	TypeBranchSummary       = "branch_summary"
	TypeCustomMessage       = "custom_message"
	TypeModelChange         = "model_change"
	TypeThinkingLevelChange = "thinking_level_change"
	TypeCustom              = "custom"
	TypeLabel               = "label"
	TypeSessionInfo         = "session_info"
	TypeLeaf                = "leaf"
	TypeCheckpoint          = "checkpoint"
	TypeUsage               = "usage"
	TypeContextEdit         = "context_edit"
	TypeUser                = "user"
	TypeAssistant           = "assistant"
	TypeToolUse             = "tool_use"
	TypeToolResult          = "tool_result"
)

// Types lists every record type, in the order in which help texts and completion show them.
var Types = []string{
	TypeSession, TypeMessage, TypeCompaction, TypeReset, TypeBranchSummary, TypeCustomMessage, TypeModelChange,
	TypeThinkingLevelChange, TypeCustom, TypeLabel, TypeSessionInfo, TypeLeaf, TypeCheckpoint, TypeUsage,
	TypeContextEdit, TypeUser, TypeAssistant, TypeToolUse, TypeToolResult,
}

// typeNames maps the bytes of a known type to a shared string, which makes reading a type free of allocations.
var typeNames = func() map[string]string {
	names := make(map[string]string, len(Types))
	for _, name := range Types {
		names[name] = name
	}
	return names
}()
