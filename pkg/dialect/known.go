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
	return shape.Table(`
session record
	key
compaction record
	fromCheckpoint
checkpoint record
	checkpoint > checkpoint
checkpoint
	summary tokensAtCheckpoint messageCountAtCheckpoint topics openQuestions keyDecisions
`)
}

// knownPi is what pi is known to write beside what OpenClaw writes too, up to 1.5.2. The replacement of an edit may be
// that of a result.
func knownPi() []shape.Object {
	return shape.Table(`
compaction record
	usage > usage
	systemMessage > message
branch_summary record
	usage > usage
usage record
	usage > usage
	kind provider model note
context_edit record
	targetId
	replacement > replacement
replacement
	content
system message
	content > block
	sections
	toolsAdded > tool
	toolsRemoved > tool
tool
	name description parameters constrainedSampling
assistant message
	stopReason = deferred pending
	deferred > deferred
	rawStopReason thinkingLevel providerThinkingLevel durationMs
deferred
	provider modelId api id expiresAt pollAfterMs data
toolResult message
	usage > usage
	addedToolNames durationMs
	nestedCalls > nestedCalls
nestedCalls
	calls > nested call
	complete
nested call
	id name arguments argumentsBytes durationMs error
	status = ok error unfinished
toolCall block
	namespace argumentsError
usage
	reasoning
cost
	totalFromProvider
`)
}
