package rebuild

import (
	"clawctl/internal/failure"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/tokens"
)

// rules are everything that a program decides in its own way: what its model sees, how it measures a context, and where
// its compactions may cut.
type rules struct {
	hasTree      bool // entries have ids and parents; without them, all messages are the path
	hasHeader    bool // a transcript begins with a record about the session
	hasManyRoots bool // a second root is normal
	copiesKept   bool // what a boundary keeps may follow it, because a fork has written it again
	hasPrompt    bool // system messages and compactions hold the prompt
	canExclude   bool // the program knows messages that it does not send
	needsDates   bool // summaries and custom messages without a date are refused
	needsUsage   bool // an answer without usage is refused
	sendsValues  bool // a result may be any JSON value, which is sent as its text
	sendsApart   bool // messages are sent without looking at the ones before them
	recordsSent  bool // other texts than were written, and the checkpoints of providers, are recorded

	// isChained reports whether a row of version 1 gets an id and becomes a child of the previous one.
	isChained func(e *entry) bool
	// isEntry reports whether the program expects an entry to have the shape of its type.
	isEntry func(e *entry) bool
	// isForeign reports whether only another program writes an entry.
	isForeign func(e *entry) bool
	// isBoundary reports whether an entry separates what the model sees from what it no longer sees.
	isBoundary func(e *entry) bool
	// isShown reports whether the model sees an entry of the window. retained is set if it is from before the boundary,
	// kept if a reset keeps it.
	isShown func(e *entry, retained, kept bool) bool
	// settle corrects links of the index that are only known to be wrong after the last record.
	settle func(ix *Index)
	// parents returns the number of the entry that each entry continues, or -1.
	parents func(ix *Index) []int32
	// eachLeaf calls note with every row and the entry that is current before it.
	eachLeaf func(ix *Index, note func(row int32, leaf sym))
	// find returns the context that ends with a leaf, or with the leaf of the transcript if it is "".
	find func(ix *Index, leaf string) (*Context, error)
	// edit applies the context edits of the window.
	edit func(c *Context)
	// refusal returns why the program refuses a context, or nil.
	refusal func(c *Context) error
	// refuses reports whether the program refuses to continue a transcript with a problem of its records.
	refuses func(code failure.Code) bool
	// corrects reports whether the program corrects a problem by itself before it sends a request.
	corrects func(p *problem) bool
	// native writes what the model sees of an item.
	native func(c *Context, it item, body func(int32) *jsonl.Record) string
	// groups returns the entries that form a message each, or nil if every item of the context is one.
	groups func(c *Context) []group
	// group writes the message that a group of entries forms.
	group func(c *Context, g group, body func(int32) *jsonl.Record) string
	// boundaries returns the boundaries of a context, and what left it at each of them.
	boundaries func(c *Context) *Boundaries
	// stretch returns the entries that the next compaction summarizes or keeps, and the first of them that may be kept.
	stretch func(c *Context) (entries []int32, start int)

	cutRule CutRule
	// step says what an entry of a stretch is for a compaction.
	step func(c *Context, i int32) Step
	// summarizes reports whether a compaction that cuts after a step summarizes a message there.
	summarizes func(s *Stretch, i int, step Step) bool
	// isHeld reports whether the program leaves a context as it is instead of compacting it.
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

// commonRules are what most programs share: they read records as OpenClaw does, and measure as pi 0.73 did. What has
// not been recorded is counted in tokens, and only the estimate of message records decides where to cut.
var commonRules = rules{
	isChained: (*entry).isReadable, isEntry: (*entry).isCanonical, isForeign: (*entry).isRollback,
	isBoundary: (*entry).isBoundary, isShown: openClawShows, settle: func(*Index) {},
	parents: treeParents, eachLeaf: eachTreeLeaf, edit: func(*Context) {},
	refusal: func(*Context) error { return nil }, refuses: func(failure.Code) bool { return false },
	native: openClawMessage, groups: func(*Context) []group { return nil },
	boundaries: treeBoundaries, stretch: openClawStretch,
	cutRule: CutRule{Program: Pi}, step: countStep, summarizes: countSummarizes,
	isHeld: func(*Context) bool { return false }, estimate: countEstimate, size: countSize,
	summarySize: countSummarySize, recorded: countRecorded, trusts: countTrusts,
	isWeighed: func(*entry) bool { return false },
}

// with returns rules that differ in some points.
func (r rules) with(change func(r *rules)) *rules {
	change(&r)
	return &r
}

// A group is the entries that form a message.
type group struct {
	entries []int32
	made    uint8 // what kind of message the program makes of them, in the words of its rules
	open    []sym // the calls among them that have no result
	part    int   // which of the messages that the first entry consists of is the first
	bare    bool  // thinking is left out, because another model thought it
	system  bool  // the model takes messages of the system between others
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
