package redact

// fixed are the fields of records, messages and blocks that never change: what programs refer to, and what they read as
// one of a few words.
var fixed = map[string]bool{
	"id": true, "parentId": true, "sessionId": true, "session_id": true, "targetId": true, "fromId": true,
	"firstKeptEntryId": true, "appendParentId": true, "toolCallId": true, "toolUseId": true, "tool_call_id": true,
	"tool_use_id": true, "callId": true, "call_id": true, "responseId": true, "idempotencyKey": true, "key": true,
	"timestamp": true, "ts": true, "created": true, "updatedAt": true, "type": true, "role": true, "api": true,
	"provider": true, "model": true, "modelId": true, "modelProvider": true, "responseModel": true, "stopReason": true,
	"rawStopReason": true, "customType": true, "mimeType": true, "media_type": true, "appendMode": true,
	"thinkingLevel": true, "toolName": true, "tool": true, "reason": true, "channel": true, "chatType": true,
	"spawnedBy": true, "usageFamilySessionIds": true, "uuid": true, "parentUuid": true, "logicalParentUuid": true,
	"leafUuid": true, "agentId": true, "requestId": true, "subtype": true, "tail": true, "thread_id": true,
}

// structural are the fields whose objects are parts of the format. In all others, such as arguments and details, a
// field may have any name and any meaning.
var structural = map[string]bool{
	"message": true, "content": true, "usage": true, "cost": true, "nestedCalls": true, "calls": true, "source": true,
	"replacement": true, "checkpoint": true, "payload": true, "replacement_history": true,
	"history_base": true,
}

// isThinking reports whether a block has thoughts.
func isThinking(kind string) bool {
	return kind == "thinking" || kind == "redacted_thinking" || kind == "reasoning"
}
