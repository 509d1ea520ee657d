package claudecode

import (
	"slices"
	"strings"
	"sync"

	"clawctl/pkg/dialect/shape"
)

// Known is everything that Claude Code is known to write. Nobody looks into tool inputs and results, and
// of attachments only the types are known.
func Known() []shape.Object {
	const block, answer = "Claude Code block", "Claude Code answer"
	const prompt, usage, added = "Claude Code prompt", "Claude Code usage", "Claude Code attachment"
	row := shape.Free("uuid", "parentUuid", "sessionId", "session_id", "timestamp", "cwd", "version", "gitBranch",
		"isSidechain", "userType", "entrypoint", "slug", "agentId", "isMeta", "teamName", "agentName", "promptId",
		"forkedFrom", "requestSessionId", "sessionKind", "dataFlowOn", "neutralizedByFork")
	known := []shape.Object{
		shape.NewBy("record", "type"),
		shape.New("user record", row, shape.Nested("message", prompt), shape.Free("promptId", "permissionMode",
			"promptSource", "turnOrigin", "turnPosition", "turnCompanion", "toolUseResult", "sourceToolAssistantUUID",
			"sourceToolUseID", "permissionDecision", "isVisibleInTranscriptOnly", "isCompactSummary", "imagePasteIds",
			"sandboxed", "toolDenialKind", "origin", "queueSkipAttachments", "summarizedTurnPromptUuids", "thinkingMetadata",
			"todos", "mcpMeta", "answeredPost", "appendToToolResult", "hiddenBefore", "hiddenPictures", "imageFileUuids",
			"interruptedByShutdown", "isVirtual", "repeatsCompactSummary", "retiredByNoPersonsInput", "sentAsUuid",
			"storedAnewFor", "taskDelivery", "verifiedSlackHumanTurn", "withdrawnBefore", "withdrawnDocuments",
			"withdrawnFiles", "withdrawnFilesBefore", "withdrawnImages", "withdrawnResults", "withdrawnResultsBefore")),
		shape.New("assistant record", row, shape.Nested("message", answer), shape.Free("requestId", "requestRef",
			"requestedModel", "apiBlockIndex", "promptCacheRequested", "effort", "perTurnEffort", "madeBy",
			"thinkingDurationMs", "thinkingDisplay", "toolInputStreamMs", "attributionAgent", "attributionSkill",
			"attributionPlugin", "attributionMcpServer", "attributionMcpTool", "error", "isApiErrorMessage",
			"apiErrorStatus", "apiErrorType", "failedResponseHadNoToolCall", "errorDetails", "resendCannotCure",
			"serverClassifierRequest", "apiBlockIndices", "batchToolUses", "handedOff",
			"isVirtual", "resumedFrom", "wireIngestContext", "wireToolInputs")),
		shape.New("system record", row, shape.Free("subtype", "content", "level", "logicalParentUuid", "compactMetadata",
			"microcompactMetadata", "error", "cause", "retryInMs", "retryAttempt", "maxRetries", "source", "durationMs",
			"messageCount", "toolUseID", "preventedContinuation", "stopReason", "hookCount", "hookInfos", "hookErrors",
			"hasOutput", "url", "aboutLine", "commandOutcome", "commandRun", "commands", "contextUsage", "cron", "cronKind",
			"entry", "failedHookErrorIndexes", "foldedUuids", "heardAtNextPrompt", "hookAdditionalContext", "hookLabel",
			"isDisplayOnly", "noOpStreak", "pendingBackgroundAgentCount", "pendingWorkflowCount", "prompt",
			"streakStartedAt", "submitUuid", "taskId", "taskKind", "totalDurationMs", "usageReport", "writtenPaths")),
		shape.New("attachment record", row, shape.Nested("attachment", added), shape.Free("rendered", "renderedRole",
			"renderedBesideToolResult", "renderedInHumanTurn", "renderedWithdrawn", "placement", "humanTurn")),
		shape.NewOpen(added, shape.Enum("type", additionTypes()...)),
		shape.New("last-prompt record", shape.Free("lastPrompt", "leafUuid", "sessionId")),
		shape.New("cost-state record", shape.Free("sessionId", "totalCostUSD", "totalAPIDuration",
			"totalAPIDurationWithoutRetries", "totalToolDuration", "totalLinesAdded", "totalLinesRemoved", "totalDuration",
			"startTime", "modelUsage", "hasUnknownModelCost")),
		shape.New("progress record", row, shape.Free("data", "toolUseID", "parentToolUseID")),
		shape.New(prompt, shape.Free("role"), shape.Nested("content", block)),
		shape.New(answer, shape.Free("id", "type", "role", "model", "container", "context_management", "diagnostics",
			"stop_details", "stop_sequence"), shape.Nested("content", block), shape.Nested("usage", usage),
			shape.Enum("stop_reason", slices.Concat(stopNames(), []string{"model_context_window_exceeded"})...)),
		shape.New(usage, shape.Free("input_tokens", "output_tokens", "cache_creation_input_tokens",
			"cache_read_input_tokens", "cache_creation", "output_tokens_details", "server_tool_use", "service_tier",
			"iterations", "inference_geo", "fallback_credit", "speed")),
		shape.NewBy(block, "type"),
	}
	for kind, fields := range map[string][]string{
		"text": {"text", "citations"}, "thinking": {"thinking", "signature"}, "redacted_thinking": {"data"},
		"image": {"source"}, "document": {"source", "title", "context", "citations"},
		"tool_use": {"id", "name", "input", "caller"}, "server_tool_use": {"id", "name", "input"},
		"tool_result": {"tool_use_id", "content", "is_error"}, "web_search_tool_result": {"tool_use_id", "content"},
	} {
		known = append(known, shape.New(kind+" "+block, shape.Free(fields...)))
	}
	for kind, member := range titles {
		known = append(known, shape.New(kind+" record", shape.Free(member, "sessionId", "leafUuid")))
	}
	for kind, fields := range remarkFields() {
		known = append(known, shape.New(kind+" record", shape.Free("sessionId", "timestamp"), shape.Free(fields...)))
	}
	for kind := range ownNotes() {
		known = append(known, shape.NewOpen(kind+" record", shape.Free("sessionId", "timestamp", "uuid")))
	}
	slices.SortFunc(known, func(a, b shape.Object) int { return strings.Compare(a.Place, b.Place) })
	return known
}

// remarkFields are the fields of rows that are not part of the conversation.
var remarkFields = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		"file-history-snapshot": {"messageId", "snapshot", "isSnapshotUpdate"}, "queue-operation": {"operation", "content",
			"commandUuid", "deliveryId", "reason"},
		"agent-name": {"agentName"}, "permission-mode": {"permissionMode"}, "mode": {"mode"}, "tag": {"tag"},
		"pr-link": {"prNumber", "prUrl", "prRepository"}, "worktree-state": {"worktreeSession", "worktreeState"},
		"continued-in": {"continuedInSessionId"}, "relocated": {"cwd", "relocatedCwd"},
		"content-replacement": {"replacements", "agentId"}, "tools-used": {"tools"}, "atis-latch": {"atis"},
		"api-request": {"id", "base", "keep", "tail", "params", "querySource", "requestDigest", "cacheControl", "shapeHash",
			"version", "agentId"},
		"api-request-blob":  {"hash", "message", "agentId"},
		"api-request-shape": {"shape", "shapeHash", "version", "agentId"},
	}
})

// stopNames are the reasons for the end of an answer.
func stopNames() (names []string) {
	for name := range stopReasons {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
