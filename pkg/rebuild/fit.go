package rebuild

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/tokens"
)

// A FitResult describes what Fit did.
type FitResult struct {
	Turns, DroppedTurns    int
	Messages, DroppedItems int
	Tokens, DroppedTokens  int
}

// Words say what was kept and what was dropped to fit a limit.
func (f FitResult) Words(limit int) string {
	kept := fmt.Sprintf("Restored: %s, about %s", ui.Count(f.Turns-f.DroppedTurns, "previous turn"),
		ui.Count(f.Tokens-f.DroppedTokens, "token"))
	if f.DroppedTurns == 0 {
		return kept + "; nothing had to be dropped"
	}
	dropped := "the oldest turn"
	if f.DroppedTurns > 1 {
		dropped = "the oldest " + ui.Count(f.DroppedTurns, "turn")
	}
	return fmt.Sprintf("%s; dropped %s (%s, about %s) to fit %s", kept, dropped,
		ui.Count(f.DroppedItems, "message"), ui.Count(f.DroppedTokens, "token"), ui.Thousands(int64(limit)))
}

// Fit drops the oldest turns until the rest takes at most limit tokens. A turn begins with a user message. A result
// belongs to the turn of its call and is never separated from it. The prompt and the summary of a compaction always
// stay. fits is false if the last turn alone takes more. In that case nothing is dropped. records must read the same
// transcript again.
func (c *Context) Fit(
	records iter.Seq2[*jsonl.Record, error], counter tokens.Counter, limit int,
) (f FitResult, fits bool, err error) {
	turns := c.turns()
	costs, err := c.costs(records, counter)
	if err != nil {
		return f, false, err
	}
	if len(turns) == 0 {
		return f, true, nil
	}
	for _, turn := range turns {
		f.Turns = max(f.Turns, int(turn)+1)
	}
	sums := make([]int, f.Turns)
	fixed := 0
	for i, cost := range costs {
		f.Tokens += cost
		if c.isSummary(i) {
			fixed += cost
		} else {
			sums[turns[i]] += cost
		}
	}
	first, rest := f.Turns, fixed
	for first > 0 && rest+sums[first-1] <= limit {
		first--
		rest += sums[first]
	}
	f.Messages = len(c.items)
	if first == f.Turns && f.Turns > 0 {
		return f, false, nil
	}
	f.DroppedTurns, f.DroppedTokens = first, f.Tokens-rest
	var kept []item
	for i, it := range c.items {
		if int(turns[i]) >= first || c.isSummary(i) {
			kept = append(kept, it)
		}
	}
	f.DroppedItems = len(c.items) - len(kept)
	c.items, c.weighed = kept, nil
	return f, true, nil
}

// isSummary reports whether an item stands for what is no longer sent: the summary of a compaction, the checkpoint of a
// provider, or the prompt before them.
func (c *Context) isSummary(i int) bool {
	return c.ix.at(c.items[i].entry).kind == kindCompaction || c.items[i].resumed || c.isPrompt(c.items[i])
}

// turns returns the number of the turn of every item.
func (c *Context) turns() []int32 {
	turns := make([]int32, len(c.items))
	var spoken, place []int32 // the paired entries, as in a conversation, and the item of each
	turn := int32(0)
	for i, it := range c.items {
		e := c.ix.at(it.entry)
		if i > 0 && e.is(roleUser) && !c.startsWithResult(it.entry) && !c.isSummary(i-1) {
			turn++
		}
		turns[i] = turn
		if !e.isMirror() {
			spoken, place = append(spoken, it.entry), append(place, int32(i))
		}
	}
	p := c.ix.pair(spoken, isSendable, true)
	for call, result := range p.links() {
		turns[place[result]] = turns[place[call]]
	}
	return turns
}

// links yields the messages of calls and of their results: first the answers, and then the results that repeat another
// one, each with the last earlier call that it names.
func (p *pairing) links() iter.Seq2[int, int] {
	return func(yield func(call, result int) bool) {
		for f, c := range p.calls() {
			if c.answer >= 0 && !yield(f.message, p.answers[c.answer].message) {
				return
			}
		}
		slices.SortFunc(p.dropped, func(a, b int) int { return cmp.Compare(p.answers[a].message, p.answers[b].message) })
		called, next := map[sym]int{}, 0
		for _, at := range p.dropped {
			a := p.answers[at]
			for ; next < len(p.frames) && p.frames[next].message < a.message; next++ {
				for _, call := range p.frames[next].calls {
					called[call.id] = p.frames[next].message
				}
			}
			if message, known := called[a.id]; known && !yield(message, a.message) {
				return
			}
		}
	}
}

// costs counts the tokens of every item.
func (c *Context) costs(records iter.Seq2[*jsonl.Record, error], counter tokens.Counter) ([]int, error) {
	costs := make([]int, 0, len(c.items))
	err := c.Measure(records, counter, func(m Measurement) {
		if !m.Unsent {
			costs = append(costs, m.Tokens+m.Correction)
		}
	})
	return costs, err
}

// A Measurement is the cost of one entry of the context.
type Measurement struct {
	Place
	Role   string // system, user, assistant, toolResult, bashExecution, custom, or summary
	Tool   string // of a tool result
	Tokens int    // by the counter
	// Correction is set for the last system message. With it, all of them together count as the prompt that they add up
	// to. It applies only if no size was recorded: pi counts patches that follow an answer as they are.
	Correction int
	// Size is what it adds to the size of the context by the rules of the program: Tokens, or its own estimate.
	Size      int
	Estimated bool // Size is an estimate
	// Recorded is the size of the context when the message was answered, or 0 if it was not recorded or the answer
	// failed.
	Recorded int64
	// Retained is set for entries from before the last compaction or context edit: Recorded is the size of an older
	// context.
	Retained bool
	Trusted  bool // the program takes Recorded for the size of the context
	Barrier  bool // nothing that was recorded so far is the size of the context
	Leads    bool // the summary of a compaction, which is the beginning of the context
	Unsent   bool // the model does not get it, but the program measures it
}

// weighedItems returns the items that the program measures.
func (c *Context) weighedItems() []item {
	if c.weighed != nil {
		return c.weighed
	}
	return c.items
}

// Measure measures the entries of the context in order. records must read the same transcript again.
func (c *Context) Measure(
	records iter.Seq2[*jsonl.Record, error], counter tokens.Counter, each func(Measurement),
) error {
	prompt, items := c.newPromptMeter(), c.weighedItems()
	needs := func(m int) []int32 { return c.ix.sources(items[m].entry) }
	return c.ix.assemble(records, len(items), needs, func(at int, body func(int32) *jsonl.Record) error {
		it := items[at]
		rec := c.projected(it.entry, body)
		m := c.measure(c.ix.rules, it, rec, counter)
		if c.isPrompt(it) {
			m.Correction = prompt.add(systemMessage(it, rec), m.Tokens, counter)
		}
		each(m)
		return nil
	})
}

// measure measures an item. rec is its projected record.
func (c *Context) measure(by *rules, it item, rec *jsonl.Record, counter tokens.Counter) Measurement {
	e := c.ix.at(it.entry)
	measured := Measurement{
		Place: c.ix.placeOf(it.entry), Tokens: c.cost(it, rec, counter), Retained: it.retained || it.stale,
		Trusted: by.trusts(it), Unsent: it.unsent, Estimated: by.cutRule.Estimates,
	}
	measured.Size = by.size(e, rec, measured.Tokens)
	m, ok := rec.Message()
	switch {
	case it.resumed: // what was recorded is the size of what the checkpoint replaces
		measured.Size, measured.Role = measured.Tokens, m.Role()
	case it.prompt:
		measured.Role = jsonl.RoleSystem
	case !ok && e.kind == kindCustomMessage:
		measured.Role = jsonl.RoleCustom
	case !ok:
		measured.Role = "summary"
	default:
		measured.Role, measured.Tool = m.Role(), m.ToolName()
		measured.Recorded, measured.Barrier = by.recorded(e, m)
	}
	return measured
}

// CountedBy returns the name of the program that estimates what no answer has recorded, or clawctl, which counts it.
func (c *Context) CountedBy() string {
	if rule := c.ix.rules.cutRule; rule.Estimates {
		return rule.Program.Name
	}
	return "clawctl"
}

// MeasureAlone measures a message without its transcript, by the rules of a program. nil is the one that may have
// written the record.
func MeasureAlone(p Program, rec *jsonl.Record, counter tokens.Counter) Measurement {
	m, _ := rec.Message()
	by := rulesOf[cmp.Or(p, authorOf(rec))]
	e := &entry{kind: kindMessage, role: roleNamed(m.Role())}
	if m.IsFailed() {
		e.flags |= failed
	}
	if m.IsMirror() {
		e.flags |= mirror
	}
	measured := Measurement{Tokens: tokens.MessageTokens(m, counter), Role: m.Role(), Trusted: true}
	measured.Size = by.size(e, rec, measured.Tokens)
	measured.Recorded, measured.Barrier = by.recorded(e, m)
	return measured
}

// cost counts the tokens of one entry, as package tokens counts a message.
func (c *Context) cost(it item, rec *jsonl.Record, counter tokens.Counter) int {
	e := c.ix.at(it.entry)
	switch {
	case c.isPrompt(it):
		return tokens.SystemTokens(systemMessage(it, rec), counter)
	case e.kind == kindCompaction || e.kind == kindBranchSummary:
		return tokens.MessageOverhead + counter.Count(jsonl.Value(`"`+summaryText(e, rec)+`"`).String())
	case e.kind == kindCustomMessage:
		sum := tokens.MessageOverhead
		for b := range jsonl.BlocksOf(rec.Get("content")) {
			sum += tokens.CostOf(b, counter).Tokens
		}
		return sum
	}
	m, _ := rec.Message()
	if it.resumed {
		return resumedCost(m, counter)
	}
	if c.resultLimit > 0 && e.role == roleToolResult {
		return trimmedCost(m, counter, c.resultLimit)
	}
	return tokens.MessageTokens(m, counter)
}
