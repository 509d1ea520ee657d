package dialect

import "clawctl/pkg/dialect/shape"

// knownOpenClaw is everything that OpenClaw is known to write: what its published package declares and what its
// transcripts have, up to 2026.9.6, and what is known of later versions. pi's older versions wrote the same.
func knownOpenClaw() []shape.Object {
	return shape.Table(openClawRecords + openClawMessages + openClawBlocks + openClawUsage + openClawEntries)
}

const (
	// openClawRecords are the lines of a transcript.
	openClawRecords = `
record, by type
	id parentId timestamp
	appendMode = side
session record
	version = 1 2 3 4
	cwd parentSession sessionId provider modelId branchedFrom
	thinkingLevel = off minimal low medium high xhigh max
message record
	message > message
compaction record
	summary firstKeptEntryId firstKeptEntryIndex tokensBefore tokensAfter details fromHook
	__openclaw > __openclaw
reset record
	reason = new reset idle daily cron-stale
	firstKeptEntryId
branch_summary record
	fromId summary details fromHook
custom_message record
	customType display details
	content > block
model_change record
	provider modelId
thinking_level_change record
	thinkingLevel = off minimal low medium high xhigh max
custom record
	customType data
label record
	targetId label
session_info record
	name
leaf record
	targetId appendParentId
`
	// openClawMessages are the messages of a conversation.
	openClawMessages = `message, by role
	timestamp idempotencyKey
	__openclaw > __openclaw
user message
	content > block
	excludeFromContext runtimeContextCarrier display
	provenance > provenance
assistant message
	content > block
	usage > usage
	api provider model responseModel responseId turnId diagnostics endTurn errorMessage errorCode errorType
		errorBody excludeFromContext openclawDelivery
	stopReason = stop length toolUse error aborted
	providerReplay > providerReplay
	openclawAbort > openclawAbort
toolResult message
	toolCallId toolName content isError details excludeFromContext toolUseId tool_call_id tool_use_id callId
		call_id is_error
bashExecution message
	command output exitCode cancelled truncated fullOutputPath excludeFromContext
custom message
	content > block
	customType display details excludeFromContext
hookMessage message
	content > block
	customType display details
branchSummary message
	summary fromId
compactionSummary message
	summary tokensBefore tokensAfter firstKeptEntryId details
provenance
	kind = external_user inter_session internal_system
	originSessionId sourceSessionKey sourceChannel sourceTool sourceRole sourcePromptPrefix jobId runId
providerReplay
	v = 1
	type = anthropic-compaction openai-responses-compaction openai-responses-retained-compaction
	id data replayIndex provider api model baseUrlHash sessionHash authProfileHash encryptedContent compactedWindow
openclawAbort
	aborted origin runId
__openclaw
	id seq runId itemId steerTargetRunId humanMentions workContext transport media lateMedia mediaImageLayout
		mediaImageBlockFactIndexes beforeAgentRunBlocked contextFreeCommand mirrorIdentity mirrorOrigin
		mirrorSourceFingerprint upstreamUserText idempotencyKey turnTainted resultContentSource runTerminal
		replyToId replyToPreview senderId senderName senderUsername senderIdentity senderIsOwner
	modelPromptProjection > modelPromptProjection
modelPromptProjection
	version = 1
	text
`
	// openClawBlocks are the blocks of a message's content, under all names that they have had.
	openClawBlocks = `block, by type
text block
	text textSignature
thinking block
	thinking text thinkingSignature signature redacted encrypted_content
redacted_thinking block
	data
image block
	data mimeType
	source > source
source
	type = base64 url
	media_type data url
toolCall block
	executionMode = sequential parallel
	async
toolResult block
	toolCallId toolUseId tool_use_id content isError is_error
tool_result block
	tool_use_id content is_error
block: toolCall toolUse functionCall tool_call tool_use function_call
	id name arguments input partialArgs partialJson thoughtSignature tool_use_id
`
	// openClawUsage are the token counts and prices of an answer, in both shapes.
	openClawUsage = `usage
	input output cacheRead cacheWrite cacheWrite1h totalTokens total prompt_tokens completion_tokens total_tokens
	cost > cost
	cache > cache
	cacheTelemetry > cacheTelemetry
	contextUsage > contextUsage
cost
	input output cacheRead cacheWrite total
	totalOrigin = provider-billed
cache
	read write cacheRead cacheWrite total
cacheTelemetry
	state = available unavailable
contextUsage
	state = available unavailable
	promptTokens totalTokens
`
)
