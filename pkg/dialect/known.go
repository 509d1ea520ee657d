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
	return isRecord && slices.Contains(p.Types, kind)
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
