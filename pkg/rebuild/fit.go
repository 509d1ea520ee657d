package rebuild

import (
	"iter"

	"clawctl/pkg/jsonl"
)

// A Counter counts the tokens of a text.
type Counter interface{ Count(text string) int }

// imageTokens is what an image counts: as many as the 4,800 characters that OpenClaw and pi count for one.
const imageTokens = 1200

// messageTokens is what every message costs besides its content.
const messageTokens = 4

// A Fitting is what Fit did.
type Fitting struct {
	Turns, DroppedTurns    int
	Messages, DroppedItems int
	Tokens, DroppedTokens  int
}

// Fit drops the oldest turns so that the rest takes at most limit tokens. A turn begins with what a user says; a result
// belongs to the turn of its call, so that no call is parted from it. The summary of a compaction always stays. fits is
// false where the last turn alone takes more: then nothing is dropped. records must read the same transcript again.
func (c *Context) Fit(records iter.Seq2[*jsonl.Record, error], counter Counter, limit int) (f Fitting, fits bool, err error) {
	turns := c.turns()
	costs, err := c.costs(records, counter)
	if err != nil {
		return f, false, err
	}
	if len(turns) == 0 {
		return f, true, nil
	}
	f.Turns = int(turns[len(turns)-1]) + 1
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
	c.items = kept
	return f, true, nil
}

// isSummary reports whether an item is the summary that stands for what was compacted.
func (c *Context) isSummary(i int) bool {
	return c.ix.at(c.items[i].entry).kind == kindCompaction
}

// turns numbers the turn of every item.
func (c *Context) turns() []int32 {
	turns := make([]int32, len(c.items))
	messages := make([]int32, len(c.items))
	turn := int32(0)
	for i, it := range c.items {
		e := c.ix.at(it.entry)
		if i > 0 && e.kind == kindMessage && e.role == roleUser && !c.startsWithResult(it.entry) && !c.isSummary(i-1) {
			turn++
		}
		turns[i], messages[i] = turn, it.entry
	}
	p := c.ix.pair(messages, isSendable, true)
	for _, f := range p.frames {
		for _, call := range f.calls {
			if call.answer >= 0 {
				turns[p.answers[call.answer].message] = turns[f.message]
			}
		}
	}
	return turns
}

// costs counts the tokens of every item.
func (c *Context) costs(records iter.Seq2[*jsonl.Record, error], counter Counter) ([]int, error) {
	costs := make([]int, len(c.items))
	a := &assembly{
		ix: c.ix, count: len(c.items),
		needs: func(m int) []int32 { return []int32{c.items[m].entry} },
		render: func(m int, body func(int32) *jsonl.Record) error {
			costs[m] = c.cost(c.items[m].entry, body(c.items[m].entry), counter)
			return nil
		},
	}
	return costs, a.run(records)
}

// cost counts one entry: its texts, thinking, the names and arguments of calls, images, and a little for the message.
func (c *Context) cost(i int32, rec *jsonl.Record, counter Counter) int {
	e := c.ix.at(i)
	if e.kind == kindCompaction || e.kind == kindBranchSummary {
		return messageTokens + counter.Count(jsonl.Value(`"`+summaryText(e, rec)+`"`).String())
	}
	if e.role == roleBash {
		return messageTokens + counter.Count(jsonl.Value(`"`+bashText(rec.Get("message"))+`"`).String())
	}
	tokens := messageTokens
	for _, v := range blockValues(e, rec) {
		b := jsonl.Block{Value: v}
		call, isCall := b.ToolCall()
		switch {
		case isCall:
			tokens += counter.Count(call.Name) + counter.Count(call.Arguments)
		case b.Type() == jsonl.BlockImage:
			tokens += imageTokens
		case b.Type() == jsonl.BlockToolResult:
			tokens += counter.Count(jsonl.PlainText(b.Get("content")))
		default:
			tokens += counter.Count(b.Text())
		}
	}
	return tokens
}
