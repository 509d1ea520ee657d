package rebuild

import (
	"iter"
	"slices"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/tokens"
)

// A Stretch is the part of the path that the next compaction may summarize: from the first entry that the last boundary
// keeps to the leaf.
type Stretch struct {
	c       *Context
	rules   *rules // by which it is measured
	entries []int32
	start   int    // the first entry that may be kept
	items   []item // what the model sees of each
	shown   []bool // the model sees it
	weighed []bool // the program measures it
	prompt  *promptMeter
	joined  []bool // a cut before it would separate a call from its result
	// continues marks entries that belong to the message before them.
	continues []bool
	resumed   int // the step whose checkpoint of a provider stands for those before it, or -1
}

// A Step is one entry of a stretch.
type Step struct {
	Message   bool // has an estimate: a message record, or whatever else becomes a message in the program
	System    bool // a system message of pi, which no summary replaces
	Shown     bool // the model sees it
	Boundary  bool // a compaction or reset
	Cut       bool // pi and OpenClaw may keep the entries from here: any message except a tool result
	Turn      bool // a turn begins here
	Fixed     bool // a cut does not move back over it
	Counted   bool // a message that a compaction summarizes or keeps
	Continues bool // an entry that belongs to the message before it
}

// Stretch returns the entries that the next compaction summarizes or keeps, measured as a program does. nil is the one
// that wrote the transcript.
func (c *Context) Stretch(like Program) *Stretch {
	s := &Stretch{c: c, rules: c.ix.rulesLike(like), entries: c.path, prompt: c.newPromptMeter()}
	if !c.ix.HasTree() {
		s.entries = c.pathEntries()
	} else if c.boundary >= 0 {
		s.entries, s.start = c.ix.rules.stretch(c)
	}
	s.markShown()
	s.joined = make([]bool, len(s.entries))
	s.join(isSendable)
	s.join(func(*block) bool { return true })
	s.joinGroups()
	s.resumed = s.findResumed()
	return s
}

// findResumed returns the step that has the checkpoint of the provider that the context would begin with, or -1.
func (s *Stretch) findResumed() int {
	at := s.c.findCheckpoint(s.c.ownFamily(), s.c.Answering.ID)
	if at < 0 {
		return -1
	}
	return slices.Index(s.entries, s.c.items[at].entry)
}

// Rule says how the program decides where to cut.
func (s *Stretch) Rule() CutRule { return s.rules.cutRule }

// IsHeld reports whether the program leaves the context as it is, because a hook has just compacted it.
func (s *Stretch) IsHeld() bool { return s.rules.isHeld(s.c) }

// Len returns the number of steps.
func (s *Stretch) Len() int { return len(s.entries) }

// Start returns the first step that may be kept.
func (s *Stretch) Start() int { return s.start }

// Place returns the position of a step.
func (s *Stretch) Place(i int) Place { return s.c.ix.placeOf(s.entries[i]) }

// ID returns the id of a step as it is written.
func (s *Stretch) ID(i int) string { return s.c.ix.names.text(s.c.ix.at(s.entries[i]).id) }

// KeepsPairs reports whether a cut before a step keeps every call together with its result.
func (s *Stretch) KeepsPairs(i int) bool { return !s.joined[i] }

// Step returns a step.
func (s *Stretch) Step(i int) Step {
	e := s.c.ix.at(s.entries[i])
	step := s.rules.step(s.c, s.entries[i])
	step.Shown, step.Boundary, step.System = s.shown[i], s.c.ix.rules.isBoundary(e), e.isSystem()
	step.Continues = s.continues != nil && s.continues[i]
	step.Cut = step.Cut && s.ID(i) == string(s.c.ix.names.bytes(e.id)) // a record can name it
	step.Counted = s.rules.summarizes(s, i, step)
	return step
}

// markShown marks the steps that the model sees, and those that only the program measures.
func (s *Stretch) markShown() {
	seen, items := make([]int32, s.c.ix.len()), s.c.weighedItems() // the number of its last item + 1
	for i, it := range items {
		seen[s.c.ix.rowOf(it.entry)] = int32(i) + 1
	}
	n := len(s.entries)
	s.shown, s.weighed, s.items = make([]bool, n), make([]bool, n), make([]item, n)
	for i, entry := range s.entries {
		if at := seen[entry]; at > 0 {
			s.shown[i], s.weighed[i], s.items[i] = !items[at-1].unsent, true, items[at-1]
		}
	}
}

// join marks the steps after a call up to its last result.
func (s *Stretch) join(counts func(*block) bool) {
	var messages, place []int32
	for i, entry := range s.entries {
		if e := s.c.ix.at(entry); s.shown[i] && e.kind == kindMessage && !e.isMirror() {
			messages, place = append(messages, entry), append(place, int32(i))
		}
	}
	p := s.c.ix.pair(messages, counts, true)
	reach := make([]int32, len(s.entries)) // the last step that a call needs
	for call, result := range p.links() {
		reach[place[call]] = max(reach[place[call]], place[result])
	}
	far := int32(-1)
	for i := range s.joined {
		s.joined[i] = s.joined[i] || int32(i) <= far
		far = max(far, reach[i])
	}
}

// joinGroups keeps entries that form one message together.
func (s *Stretch) joinGroups() {
	groups := s.c.ix.rules.groups(s.c)
	if groups == nil {
		return
	}
	s.continues = make([]bool, len(s.entries))
	step := make(map[int32]int, len(s.entries))
	for i, entry := range s.entries {
		step[entry] = i
	}
	for _, g := range groups {
		s.joinSteps(g, step)
	}
}

// joinSteps joins the steps from the first to the last entry of a group.
func (s *Stretch) joinSteps(g group, step map[int32]int) {
	first, last := len(s.entries), -1
	for _, entry := range g.entries {
		if i, ok := step[entry]; ok {
			first, last = min(first, i), max(last, i)
		}
	}
	for i := first + 1; i <= last; i++ {
		s.continues[i], s.joined[i] = true, true
	}
}

// Walk calls its argument with every step that has a text, and its record, including steps that the model does not see.
// records must read the same transcript again.
func (s *Stretch) Walk(records iter.Seq2[*jsonl.Record, error], each func(i int, rec *jsonl.Record) error) error {
	var spoken []int
	for i, entry := range s.entries {
		switch e := s.c.ix.at(entry); e.kind {
		case kindMessage, kindCustomMessage, kindBranchSummary, kindCompaction:
			spoken = append(spoken, i)
		}
	}
	needs := func(m int) []int32 { return s.c.ix.sources(s.entries[spoken[m]]) }
	return s.c.ix.assemble(records, len(spoken), needs, func(m int, body func(int32) *jsonl.Record) error {
		return each(spoken[m], s.c.projected(s.entries[spoken[m]], body))
	})
}

// A CheckpointPlace is the position of the last checkpoint of a stretch.
type CheckpointPlace struct {
	Place
	Covers int // the last step that it covers
	entry  int32
}

// Checkpoint returns the last checkpoint that was written after the last compaction or reset, for an entry of the path.
func (s *Stretch) Checkpoint() (at CheckpointPlace, ok bool) {
	ix := s.c.ix
	if len(ix.checkpoints) == 0 || len(s.entries) == 0 {
		return at, false
	}
	boundary := 0
	steps := make(map[int32]int, len(s.entries))
	for i, entry := range s.entries {
		steps[entry] = i
		if ix.rules.isBoundary(ix.at(entry)) {
			boundary = i
		}
	}
	t, seen := ix.tree(), make([]bool, ix.len())
	for n := len(ix.checkpoints) - 1; n >= 0; n-- {
		entry := ix.checkpoints[n]
		if step, known := t.covers(entry, steps, seen); known && step >= boundary {
			return CheckpointPlace{ix.placeOf(entry), step, entry}, true
		}
	}
	return at, false
}

// covers returns the nearest step at or above an entry. Entries in seen lead to no step, or form a cycle.
func (t *tree) covers(entry int32, steps map[int32]int, seen []bool) (step int, known bool) {
	for at := t.parent[entry]; at.isName() && t.has(at); at = t.parent[entry] {
		entry = t.byID[at]
		if step, known = steps[entry]; known || seen[entry] {
			return step, known
		}
		seen[entry] = true
	}
	return 0, false
}

// ReadCheckpoint reads the content of a checkpoint. records must read the same transcript again.
func (s *Stretch) ReadCheckpoint(
	at CheckpointPlace, records iter.Seq2[*jsonl.Record, error],
) (checkpoint jsonl.Checkpoint, err error) {
	err = s.c.ix.eachRecord(records, []int32{at.entry}, func(_ int, rec *jsonl.Record) error {
		checkpoint, _ = rec.Checkpoint()
		return nil
	})
	return checkpoint, err
}

// IsMeasured reports whether a step is part of the size of the context.
func (s *Stretch) IsMeasured(i int) bool { return s.weighed[i] }

// Measure measures a step that is part of the size of the context. A compaction counts with the prompt that it holds.
// Measure must be called once for each of these steps, in order.
func (s *Stretch) Measure(i int, rec *jsonl.Record, counter tokens.Counter) Measurement {
	it := s.items[i]
	m := s.c.measure(s.rules, it, rec, counter)
	m.Leads = s.c.ix.at(it.entry).kind == kindCompaction
	if s.c.isPrompt(it) {
		m.Correction = s.prompt.add(systemMessage(it, rec), m.Tokens, counter)
	}
	if s.c.holdsPrompt(it.entry) {
		prompt := rec.Get("systemMessage")
		cost := tokens.SystemTokens(prompt, counter)
		m.Tokens += cost
		m.Size += cost
		m.Correction = s.prompt.add(prompt, cost, counter)
	}
	return m
}

// Sent returns what a step with a measurement adds to the size of what is sent, which begins with the checkpoint of the
// provider if there is one. It reports whether the step is sent.
func (s *Stretch) Sent(i int, m Measurement, rec *jsonl.Record, counter tokens.Counter) (Measurement, bool) {
	switch {
	case s.resumed < 0:
		return m, true
	case i == s.resumed:
		return s.c.measure(s.rules, s.items[i].asResumed(), rec, counter), true
	}
	return m, !m.Unsent && (i > s.resumed || s.c.isPrompt(s.items[i]))
}

// SummarySize returns what the summary of a compaction adds to the size of a context.
func (s *Stretch) SummarySize(summary string, counter tokens.Counter) int {
	return s.rules.summarySize(summary, counter)
}

// Estimate returns the program's own estimate of a step with a message, which decides where it cuts.
func (s *Stretch) Estimate(i int, rec *jsonl.Record) int {
	return s.rules.estimate(s.c.ix.at(s.entries[i]), rec)
}

// Prompt returns the prompt that a compaction must hold for the next turns, or nil if there is none.
func (s *Stretch) Prompt(records iter.Seq2[*jsonl.Record, error]) (*Prompt, error) {
	return s.c.Prompt(records)
}
