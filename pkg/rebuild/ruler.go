package rebuild

import (
	"clawctl/pkg/jsonl"
	"clawctl/pkg/tokens"
)

// A ruler is how a program measures a context, and where its compactions may cut. isHeld and isWeighed may be missing,
// which means never.
type ruler struct {
	cutRule CutRule
	// step says what an entry of a stretch is for a compaction.
	step func(c *Context, i int32) Step
	// summarizes reports whether a compaction that cuts after a step summarizes a message there.
	summarizes func(s *Stretch, i int, step Step) bool
	// isHeld reports whether the program leaves a context as it is.
	isHeld func(c *Context) bool
	// estimate returns the program's own estimate of an entry, which decides where a compaction cuts.
	estimate func(e *entry, rec *jsonl.Record) int
	// size returns what an entry adds to the size of a context, in which it has so many tokens by the counter.
	size func(e *entry, rec *jsonl.Record, tokens int) int
	// summarySize is size for the summary of a compaction.
	summarySize func(summary string, counter tokens.Counter) int
	// recorded returns the size of the context that an answer states, or 0. isBarrier is set if it says that no size
	// that was stated before counts.
	recorded func(e *entry, m jsonl.Message) (tokens int64, isBarrier bool)
	// trusts reports whether the size that an item states is that of the context.
	trusts func(it item) bool
	// isWeighed reports whether the program measures an entry that it does not show to its model.
	isWeighed func(e *entry) bool
}

// A CutRule says how a program decides where its compactions cut.
type CutRule struct {
	Program Program // whose estimate and rule it is
	// Estimates is set if the size of a context is the sum of the program's own estimates, not of tokens.
	Estimates bool
	// Scaled is set if the number of tokens to keep is meant as the model counts. It is divided by how much larger the
	// recorded size is than the estimates, and what a reset keeps is added to it.
	Scaled bool
	// ByEntry is set if a cut splits a turn unless the entry at the cut, whatever its type, begins one.
	ByEntry bool
	// ByMessages is set if the program counts messages, not tokens, to decide what it keeps.
	ByMessages bool
}

// countRuler is the rule of pi 0.73 for messages, and of programs that have none of their own: what has not been
// recorded is counted in tokens, and only the estimate of message records decides where to cut.
var countRuler = ruler{
	cutRule: CutRule{Program: Pi},
	step:    countStep, summarizes: countSummarizes, estimate: countEstimate, size: countSize,
	summarySize: countSummarySize, recorded: countRecorded, trusts: countTrusts,
}

func countStep(c *Context, i int32) Step {
	var s Step
	e := c.ix.at(i)
	s.Message = e.kind == kindMessage
	s.Fixed = s.Message
	switch e.kind {
	case kindCustomMessage, kindBranchSummary:
		s.Cut, s.Turn = true, true
	case kindMessage:
		switch e.role {
		case roleUser:
			s.Cut, s.Turn = true, !c.startsWithResult(i)
		case roleBash:
			s.Cut, s.Turn = true, true
		case roleAssistant, roleCustom:
			s.Cut = true
		}
	}
	return s
}

func countSummarizes(_ *Stretch, _ int, step Step) bool {
	return step.Shown && !step.Boundary && !step.System
}

func countEstimate(_ *entry, rec *jsonl.Record) int {
	m, ok := rec.Message()
	if !ok {
		return 0
	}
	return tokens.Estimate(m)
}

func countSize(_ *entry, _ *jsonl.Record, tokens int) int { return tokens }

func countSummarySize(summary string, counter tokens.Counter) int {
	return tokens.MessageOverhead + counter.Count(compactionBefore+summary+compactionAfter)
}

func countRecorded(e *entry, m jsonl.Message) (tokens int64, isBarrier bool) {
	if u, ok := m.Usage(); ok && !e.has(failed) && !e.has(mirror) {
		return u.Total, false
	}
	return 0, false
}

func countTrusts(it item) bool { return !it.retained && !it.stale }
