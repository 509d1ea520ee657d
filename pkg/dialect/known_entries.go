package dialect

import s "clawctl/pkg/dialect/shape"

// openClawEntries are the entries of a sessions.json and of a database. OpenClaw lists their names itself, to keep
// plugins from using them.
func openClawEntries() []s.Object {
	return []s.Object{
		s.New(placeEntry, entryEnums()...),
		s.New(placeEntry, s.Free(
			"abortCutoffMessageSid", "abortCutoffTimestamp", "abortedLastRun", "acp", "acpSessionBinding",
			"activeWriterRunId", "activitySummary", "agentHarnessId", "agentRuntimeOverride", "agentStatus",
			"ambientTranscriptWatermarks", "archivedAt", "archivedBy", "authProfileOverride",
			"authProfileOverrideCompactionCount", "autoLabel", "boardFace", "boardPresentation", "cacheRead",
			"cacheWrite", "category", "claudeCliSessionId", "cliHistoryBoundary", "cliSessionBindings",
			"cliSessionIds", "color", "compactionCount", "completionOwnerSessionKey", "contextBudgetStatus",
			"contextTokens", "contextWindow", "createdActor", "createdAt", "cronRunContinuation", "delivery",
			"displayName", "elevatedLevel", "endedAt", "estimatedCostUsd", "execCwd", "execHost", "execNode",
			"fallbackNotice", "fastMode", "forkSource", "forkedFromParent", "goal", "groupActivationNeedsSystemIntro",
			"groupChannel", "groupId", "heartbeatIsolatedBaseSessionKey", "heartbeatTaskState",
			"hookExternalContentSource", "icon", "incognito", "inheritedToolAllow", "inheritedToolDeny",
			"inheritedToolPolicyVersion", "initializationPending", "inputTokens", "label", "lastActivityAt",
			"lastHeartbeatSentAt", "lastHeartbeatText", "lastInteractionAt", "lastReadAt", "lastRunError",
			"lastRunId", "lastTtsReadLatestAt", "lastTtsReadLatestHash", "lifecycleRevision", "lifecycleRunId",
			"liveModelSwitchPending", "mainRestartRecovery", "markedUnreadAt", "memoryFlush", "model",
			"modelFallback", "modelOverride", "modelOverrideFallbackOriginModel",
			"modelOverrideFallbackOriginProvider", "modelOverrideRouteResolution", "modelProvider",
			"modelSelectionLocked", "nativeRuntimeConsent", "observerDigest", "outputTokens", "owner",
			"parentSessionId", "parentSessionKey", "participantCount", "participants", "pinnedAt",
			"previousSessionId", "profileInvolvement", "projectId", "providerOverride", "providerReview",
			"publicShare", "queueCap", "queueDebounceMs", "quotaSuspension", "reasoningLevel",
			"repositoryWorkspaceId", "runtimeMs", "sandbox", "sandboxMode", "sessionDiffBaseline",
			"sessionDiffBaselineCapture", "sessionFile", "sessionId", "sessionRoot", "sessionStartedAt",
			"skillLibrarySelections", "skillsSnapshot", "snoozedUntil", "space", "spawnDepth", "spawnedBy",
			"spawnedCwd", "spawnedWorkspaceDir", "startedAt", "subagentRecovery", "subject", "swarmCollector",
			"swarmGroupId", "swarmOutputSchema", "systemPromptReport", "systemSent", "thinkingLevel", "toolOverrides",
			"topicName", "totalTokens", "totalTokensFresh", "totalTokensVersion", "traceLevel",
			"transcriptByteCompactionLatch", "transcriptPath", "ttsAuto", "updatedAt", "usageFamilyKey",
			"usageFamilySessionIds", "verboseLevel", "worktree")),
		s.New(placeEntry, s.Free(
			"restartRecoveryBeforeAgentReplyState", "restartRecoveryDeliveryContext",
			"restartRecoveryDeliveryMediaUrls", "restartRecoveryDeliveryReceiptState",
			"restartRecoveryDeliveryRequestFingerprint", "restartRecoveryDeliveryRunId",
			"restartRecoveryDeliverySourceRunId", "restartRecoveryDeliveryToolCallId",
			"restartRecoveryDisableMessageTool", "restartRecoveryForceSafeTools", "restartRecoveryHarnessCompletion",
			"restartRecoveryRequesterAccountId", "restartRecoveryRequesterSenderId", "restartRecoveryRuns",
			"restartRecoverySameChannelThreadRequired", "restartRecoverySourceIngress",
			"restartRecoverySourceReplyDeliveryMode", "restartRecoverySuppressTextDelivery",
			"restartRecoveryTerminalDeliveryEvidence", "restartRecoveryTerminalRunIds")),
		s.New(placeEntry, s.Free(
			"pendingDeliveryNotice", "pendingFinalDelivery", "pendingProjectGitUrl", "pendingTranscriptRepair",
			"pendingWorktree", "pluginDebugEntries", "pluginExtensionSlotKeys", "pluginExtensions",
			"pluginNextTurnInjections", "pluginOwnerId")),
		s.New(placeEntry, s.Free( // in older versions
			"channel", "compactionCheckpoints", "deliveryContext", "execAsk", "execSecurity",
			"fallbackNoticeActiveModel", "fallbackNoticeReason", "fallbackNoticeSelectedModel", "flushActioned",
			"lastAccountId", "lastChannel", "lastThreadId", "lastTo", "memoryFlushAt", "memoryFlushCompactionCount",
			"memoryFlushContextHash", "memoryFlushFailureCount", "memoryFlushLastFailedAt",
			"memoryFlushLastFailureError", "origin", "pendingFinalDeliveryAttemptCount",
			"pendingFinalDeliveryContext", "pendingFinalDeliveryCreatedAt", "pendingFinalDeliveryIntentId",
			"pendingFinalDeliveryLastAttemptAt", "pendingFinalDeliveryLastError", "pendingFinalDeliveryText",
			"route")),
	}
}

// entryEnums are the fields of an entry that have one of several values.
func entryEnums() [][]s.Field {
	return [][]s.Field{
		s.Enum("archiveReason", "manual", "active-session-cap", "age-retention", "stale-dashboard", "restart-recovery"),
		s.Enum("status", "queued", "running", "done", "failed", "killed", "timeout", "interrupted"),
		s.Enum("chatType", "direct", "group", "channel"),
		s.Enum("createdVia", "operator", "spawn", "channel", "cron", "talk", "run", "plugin", "internal"),
		s.Enum("visibility", "shared", "read-only", "suggest", "draft"),
		s.Enum("permissionMode", "read-only", "guarded", "workspace", "full"),
		s.Enum("subagentRole", "orchestrator", "leaf"), s.Enum("subagentControlScope", "children", "none"),
		s.Enum("responseUsage", "on", "off", "tokens", "full"), s.Enum("sendPolicy", "allow", "deny"),
		s.Enum("modelOverrideSource", "auto", "user", "default"), s.Enum("groupActivation", "mention", "always"),
		s.Enum("authProfileOverrideSource", "auto", "user", "user-link"),
		s.Enum("queueMode", "steer", "followup", "collect", "interrupt"), s.Enum("queueDrop", "old", "new", "summarize"),
		s.Enum("contextTokensSource", "runtime", "runtime-configured", "resolved", "resolved-v1"),
	}
}
