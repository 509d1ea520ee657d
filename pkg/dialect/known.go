package dialect

import (
	"slices"
	"strings"

	"clawctl/pkg/dialect/shape"
)

// Known returns everything that clawctl has seen in lines of a program, and in the entries of an index. Programs whose
// lines are not translated write each other's records, so they share one answer. nil is a program that is not known.
func Known(p *Program) []shape.Object {
	if p != nil && p.Translate != nil {
		return p.Known()
	}
	var all []shape.Object
	for _, p := range Table {
		all = append(all, slices.DeleteFunc(p.Known(), p.translatesPlace)...)
	}
	return all
}

// translatesPlace reports whether an object is a line that is translated.
func (p *Program) translatesPlace(o shape.Object) bool {
	kind, isRecord := strings.CutSuffix(o.Place, " record")
	return isRecord && slices.Contains(p.types(), kind)
}

// knownGoClaw is what GoClaw is known to write beside what OpenClaw writes too.
func knownGoClaw() []shape.Object {
	return []shape.Object{
		shape.New("session record", shape.Free("key")),
		shape.New("compaction record", shape.Free("fromCheckpoint")),
		shape.New("checkpoint record", shape.Nested("checkpoint", "checkpoint")),
		shape.New("checkpoint", shape.Free("summary", "tokensAtCheckpoint", "messageCountAtCheckpoint", "topics",
			"openQuestions", "keyDecisions")),
	}
}

// knownPi is what pi is known to write beside what OpenClaw writes too, up to 1.5.2.
func knownPi() []shape.Object {
	usage := shape.Nested("usage", placeUsage)
	return []shape.Object{
		shape.New("compaction record", usage, shape.Nested("systemMessage", placeMessage)),
		shape.New("branch_summary record", usage),
		shape.New("usage record", usage, shape.Free("kind", "provider", "model", "note")),
		shape.New("context_edit record", shape.Free("targetId"), shape.Nested("replacement", "replacement")),
		shape.New("replacement", shape.Free("content")), // it may be that of a result
		shape.New("system message", shape.Nested("content", placeBlock), shape.Free("sections"),
			shape.Nested("toolsAdded", "tool"), shape.Nested("toolsRemoved", "tool")),
		shape.New("tool", shape.Free("name", "description", "parameters", "constrainedSampling")),
		shape.New("assistant message", shape.Enum("stopReason", "deferred", "pending"),
			shape.Nested("deferred", "deferred"),
			shape.Free("rawStopReason", "thinkingLevel", "providerThinkingLevel", "durationMs")),
		shape.New("deferred", shape.Free("provider", "modelId", "api", "id", "expiresAt", "pollAfterMs", "data")),
		shape.New("toolResult message", usage, shape.Free("addedToolNames", "durationMs"),
			shape.Nested("nestedCalls", "nestedCalls")),
		shape.New("nestedCalls", shape.Nested("calls", "nested call"), shape.Free("complete")),
		shape.New("nested call", shape.Free("id", "name", "arguments", "argumentsBytes", "durationMs", "error"),
			shape.Enum("status", "ok", "error", "unfinished")),
		shape.New("toolCall block", shape.Free("namespace", "argumentsError")),
		shape.New(placeUsage, shape.Free("reasoning")),
		shape.New("cost", shape.Free("totalFromProvider")),
	}
}
