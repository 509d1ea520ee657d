package dialect

import s "clawctl/pkg/dialect/shape"

// knownPi is what pi is known to write beside what OpenClaw writes too, up to 1.5.2.
func knownPi() []s.Object {
	usage := s.Nested("usage", placeUsage)
	return []s.Object{
		s.New("compaction record", usage, s.Nested("systemMessage", placeMessage)),
		s.New("branch_summary record", usage),
		s.New("usage record", usage, s.Free("kind", "provider", "model", "note")),
		s.New("context_edit record", s.Free("targetId"), s.Nested("replacement", "replacement")),
		s.New("replacement", s.Free("content")), // it may be that of a result
		s.New("system message", s.Nested("content", placeBlock), s.Free("sections"), s.Nested("toolsAdded", "tool"),
			s.Nested("toolsRemoved", "tool")),
		s.New("tool", s.Free("name", "description", "parameters", "constrainedSampling")),
		s.New("assistant message", s.Enum("stopReason", "deferred", "pending"), s.Nested("deferred", "deferred"),
			s.Free("rawStopReason", "thinkingLevel", "providerThinkingLevel", "durationMs")),
		s.New("deferred", s.Free("provider", "modelId", "api", "id", "expiresAt", "pollAfterMs", "data")),
		s.New("toolResult message", usage, s.Free("addedToolNames", "durationMs"), s.Nested("nestedCalls", "nestedCalls")),
		s.New("nestedCalls", s.Nested("calls", "nested call"), s.Free("complete")),
		s.New("nested call", s.Free("id", "name", "arguments", "argumentsBytes", "durationMs", "error"),
			s.Enum("status", "ok", "error", "unfinished")),
		s.New("toolCall block", s.Free("namespace", "argumentsError")),
		s.New(placeUsage, s.Free("reasoning")),
		s.New("cost", s.Free("totalFromProvider")),
	}
}
