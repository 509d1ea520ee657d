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

// typeTable finds the index of a type in Types, plus one.
var typeTable = func() *keyTable {
	names := make([]keyName, len(Types))
	for i, name := range Types {
		names[i] = keyName{name, field(i + 1)}
	}
	return newKeyTable(names)
}()
