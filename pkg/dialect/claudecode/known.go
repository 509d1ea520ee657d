package claudecode

import (
	"strings"

	"clawctl/pkg/dialect/shape"
)

// Known is everything that Claude Code is known to write. Nobody looks into tool inputs and results, and
// of attachments only the types are known.
func Known() []shape.Object {
	table := known + "Claude Code attachment, open\n\ttype = " + strings.Join(additionTypes(), " ")
	for kind, member := range titles {
		table += "\n" + kind + " record\n\t" + member + " sessionId leafUuid"
	}
	for kind := range ownNotes() {
		table += "\n" + kind + " record, open\n\tsessionId timestamp uuid"
	}
	return shape.Sort(shape.Table(table))
}

const known = `
record, by type
record: user assistant system attachment progress
	uuid parentUuid sessionId session_id timestamp cwd version gitBranch isSidechain userType entrypoint slug
		agentId isMeta teamName agentName promptId forkedFrom requestSessionId sessionKind dataFlowOn
		neutralizedByFork
user record
	message > Claude Code prompt
	promptId permissionMode promptSource turnOrigin turnPosition turnCompanion toolUseResult
		sourceToolAssistantUUID sourceToolUseID permissionDecision isVisibleInTranscriptOnly isCompactSummary
		imagePasteIds sandboxed toolDenialKind origin queueSkipAttachments summarizedTurnPromptUuids
		thinkingMetadata todos mcpMeta answeredPost appendToToolResult hiddenBefore hiddenPictures imageFileUuids
		interruptedByShutdown isVirtual repeatsCompactSummary retiredByNoPersonsInput sentAsUuid storedAnewFor
		taskDelivery verifiedSlackHumanTurn withdrawnBefore withdrawnDocuments withdrawnFiles withdrawnFilesBefore
		withdrawnImages withdrawnResults withdrawnResultsBefore
assistant record
	message > Claude Code answer
	requestId requestRef requestedModel apiBlockIndex promptCacheRequested effort perTurnEffort madeBy
		thinkingDurationMs thinkingDisplay toolInputStreamMs attributionAgent attributionSkill attributionPlugin
		attributionMcpServer attributionMcpTool error isApiErrorMessage apiErrorStatus apiErrorType
		failedResponseHadNoToolCall errorDetails resendCannotCure serverClassifierRequest apiBlockIndices
		batchToolUses handedOff isVirtual resumedFrom wireIngestContext wireToolInputs
system record
	subtype content level logicalParentUuid compactMetadata microcompactMetadata error cause retryInMs
		retryAttempt maxRetries source durationMs messageCount toolUseID preventedContinuation stopReason hookCount
		hookInfos hookErrors hasOutput url aboutLine commandOutcome commandRun commands contextUsage cron cronKind
		entry failedHookErrorIndexes foldedUuids heardAtNextPrompt hookAdditionalContext hookLabel isDisplayOnly
		noOpStreak pendingBackgroundAgentCount pendingWorkflowCount prompt streakStartedAt submitUuid taskId
		taskKind totalDurationMs usageReport writtenPaths
attachment record
	attachment > Claude Code attachment
	rendered renderedRole renderedBesideToolResult renderedInHumanTurn renderedWithdrawn placement humanTurn
progress record
	data toolUseID parentToolUseID
last-prompt record
	lastPrompt leafUuid sessionId
cost-state record
	sessionId totalCostUSD totalAPIDuration totalAPIDurationWithoutRetries totalToolDuration totalLinesAdded
		totalLinesRemoved totalDuration startTime modelUsage hasUnknownModelCost
Claude Code prompt
	role
	content > Claude Code block
Claude Code answer
	id type role model container context_management diagnostics stop_details stop_sequence
	content > Claude Code block
	usage > Claude Code usage
	stop_reason = end_turn max_tokens pause_turn refusal stop_sequence tool_use model_context_window_exceeded
Claude Code usage
	input_tokens output_tokens cache_creation_input_tokens cache_read_input_tokens cache_creation
		output_tokens_details server_tool_use service_tier iterations inference_geo fallback_credit speed
Claude Code block, by type
document Claude Code block
	source title context citations
image Claude Code block
	source
redacted_thinking Claude Code block
	data
server_tool_use Claude Code block
	id name input
text Claude Code block
	text citations
thinking Claude Code block
	thinking signature
tool_result Claude Code block
	tool_use_id content is_error
tool_use Claude Code block
	id name input caller
web_search_tool_result Claude Code block
	tool_use_id content
record: agent-name api-request api-request-blob api-request-shape atis-latch content-replacement continued-in
		file-history-snapshot mode permission-mode pr-link queue-operation relocated tag tools-used worktree-state
	sessionId timestamp
agent-name record
	agentName
api-request record
	id base keep tail params querySource requestDigest cacheControl shapeHash version agentId
api-request-blob record
	hash message agentId
api-request-shape record
	shape shapeHash version agentId
atis-latch record
	atis
content-replacement record
	replacements agentId
continued-in record
	continuedInSessionId
file-history-snapshot record
	messageId snapshot isSnapshotUpdate
mode record
	mode
permission-mode record
	permissionMode
pr-link record
	prNumber prUrl prRepository
queue-operation record
	operation content commandUuid deliveryId reason
relocated record
	cwd relocatedCwd
tag record
	tag
tools-used record
	tools
worktree-state record
	worktreeSession worktreeState
`
