package dialect

import (
	"slices"

	s "clawctl/pkg/dialect/shape"
)

// knownOpenClaw is everything that OpenClaw is known to write: what its published package declares and what its
// transcripts have, up to 2026.9.6, and what is known of later versions. pi's older versions wrote the same.
func knownOpenClaw() []s.Object {
	return slices.Concat(openClawRecords(), openClawMessages(), blockObjects(), usageObjects(), openClawEntries())
}

// The places of objects that several others hold.
const (
	placeMessage = "message"
	placeBlock   = "block"
	placeUsage   = "usage"
	placeMarks   = "__openclaw"
	placeEntry   = "index entry"
)

// thinkingLevels are the levels that models are asked for.
var thinkingLevels = []string{"off", "minimal", "low", "medium", "high", "xhigh", "max"}

// openClawRecords are the lines of a transcript.
func openClawRecords() []s.Object {
	return []s.Object{
		s.NewBy("record", "type", s.Free("id", "parentId", "timestamp"), s.Enum("appendMode", "side")),
		s.New("session record", s.Enum("version", "1", "2", "3", "4"), s.Free("cwd", "parentSession", "sessionId",
			"provider", "modelId", "branchedFrom"), s.Enum("thinkingLevel", thinkingLevels...)),
		s.New("message record", s.Nested("message", placeMessage)),
		s.New("compaction record", s.Free("summary", "firstKeptEntryId", "firstKeptEntryIndex", "tokensBefore",
			"tokensAfter", "details", "fromHook"), s.Nested("__openclaw", placeMarks)),
		s.New("reset record", s.Enum("reason", "new", "reset", "idle", "daily", "cron-stale"),
			s.Free("firstKeptEntryId")),
		s.New("branch_summary record", s.Free("fromId", "summary", "details", "fromHook")),
		s.New("custom_message record", s.Free("customType", "display", "details"), s.Nested("content", placeBlock)),
		s.New("model_change record", s.Free("provider", "modelId")),
		s.New("thinking_level_change record", s.Enum("thinkingLevel", thinkingLevels...)),
		s.New("custom record", s.Free("customType", "data")),
		s.New("label record", s.Free("targetId", "label")),
		s.New("session_info record", s.Free("name")),
		s.New("leaf record", s.Free("targetId", "appendParentId")),
	}
}

// openClawMessages are the messages of a conversation.
func openClawMessages() []s.Object {
	content := s.Nested("content", placeBlock)
	return []s.Object{
		s.NewBy(placeMessage, "role", s.Free("timestamp", "idempotencyKey"), s.Nested("__openclaw", placeMarks)),
		s.New("user message", content, s.Free("excludeFromContext", "runtimeContextCarrier", "display"),
			s.Nested("provenance", "provenance")),
		s.New("assistant message", content, s.Nested("usage", placeUsage), s.Free("api", "provider", "model",
			"responseModel", "responseId", "turnId", "diagnostics", "endTurn", "errorMessage", "errorCode", "errorType",
			"errorBody", "excludeFromContext", "openclawDelivery"),
			s.Enum("stopReason", "stop", "length", "toolUse", "error", "aborted"),
			s.Nested("providerReplay", "providerReplay"), s.Nested("openclawAbort", "openclawAbort")),
		s.New("toolResult message", s.Free("toolCallId", "toolName", "content", "isError", "details",
			"excludeFromContext"), s.Free("toolUseId", "tool_call_id", "tool_use_id", "callId", "call_id", "is_error")),
		s.New("bashExecution message", s.Free("command", "output", "exitCode", "cancelled", "truncated",
			"fullOutputPath", "excludeFromContext")),
		s.New("custom message", content, s.Free("customType", "display", "details", "excludeFromContext")),
		s.New("hookMessage message", content, s.Free("customType", "display", "details")),
		s.New("branchSummary message", s.Free("summary", "fromId")),
		s.New("compactionSummary message", s.Free("summary", "tokensBefore", "tokensAfter", "firstKeptEntryId", "details")),
		s.New("provenance", s.Enum("kind", "external_user", "inter_session", "internal_system"),
			s.Free("originSessionId", "sourceSessionKey", "sourceChannel", "sourceTool", "sourceRole",
				"sourcePromptPrefix", "jobId", "runId")),
		s.New("providerReplay", s.Enum("v", "1"), s.Enum("type", "anthropic-compaction", "openai-responses-compaction",
			"openai-responses-retained-compaction"), s.Free("id", "data", "replayIndex", "provider", "api", "model",
			"baseUrlHash", "sessionHash", "authProfileHash",
			"encryptedContent", "compactedWindow")),
		s.New("openclawAbort", s.Free("aborted", "origin", "runId")),
		s.New(placeMarks, s.Free("id", "seq", "runId", "itemId", "steerTargetRunId", "humanMentions", "workContext",
			"transport", "media", "lateMedia", "mediaImageLayout", "mediaImageBlockFactIndexes", "beforeAgentRunBlocked",
			"contextFreeCommand", "mirrorIdentity", "mirrorOrigin", "mirrorSourceFingerprint", "upstreamUserText",
			"idempotencyKey", "turnTainted",
			"resultContentSource", "runTerminal", "replyToId", "replyToPreview", "senderId", "senderName",
			"senderUsername", "senderIdentity", "senderIsOwner"),
			s.Nested("modelPromptProjection", "modelPromptProjection")),
		s.New("modelPromptProjection", s.Enum("version", "1"), s.Free("text")),
	}
}

// blockObjects are the blocks of a message's content, under all names that they have had.
func blockObjects() []s.Object {
	list := []s.Object{
		s.NewBy(placeBlock, "type"),
		s.New("text block", s.Free("text", "textSignature")),
		s.New("thinking block", s.Free("thinking", "text", "thinkingSignature", "signature", "redacted",
			"encrypted_content")),
		s.New("redacted_thinking block", s.Free("data")),
		s.New("image block", s.Free("data", "mimeType"), s.Nested("source", "source")),
		s.New("source", s.Enum("type", "base64", "url"), s.Free("media_type", "data", "url")),
		s.New("toolCall block", s.Enum("executionMode", "sequential", "parallel"), s.Free("async")),
		s.New("toolResult block", s.Free("toolCallId", "toolUseId", "tool_use_id", "content", "isError", "is_error")),
		s.New("tool_result block", s.Free("tool_use_id", "content", "is_error")),
	}
	for _, name := range []string{"toolCall", "toolUse", "functionCall", "tool_call", "tool_use", "function_call"} {
		list = append(list, s.New(name+" block", s.Free("id", "name", "arguments", "input", "partialArgs", "partialJson",
			"thoughtSignature", "tool_use_id")))
	}
	return list
}

// usageObjects are the token counts and prices of an answer, in both shapes.
func usageObjects() []s.Object {
	return []s.Object{
		s.New(placeUsage, s.Free("input", "output", "cacheRead", "cacheWrite", "cacheWrite1h", "totalTokens", "total",
			"prompt_tokens", "completion_tokens", "total_tokens"), s.Nested("cost", "cost"), s.Nested("cache", "cache"),
			s.Nested("cacheTelemetry", "cacheTelemetry"), s.Nested("contextUsage", "contextUsage")),
		s.New("cost", s.Free("input", "output", "cacheRead", "cacheWrite", "total"),
			s.Enum("totalOrigin", "provider-billed")),
		s.New("cache", s.Free("read", "write", "cacheRead", "cacheWrite", "total")),
		s.New("cacheTelemetry", s.Enum("state", "available", "unavailable")),
		s.New("contextUsage", s.Enum("state", "available", "unavailable"), s.Free("promptTokens", "totalTokens")),
	}
}
