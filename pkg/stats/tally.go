package stats

import "clawctl/pkg/jsonl"

// A Tally holds the counts of some part of the records.
type Tally struct {
	Sessions   int64
	Records    int64
	Messages   int64 // of people, models and tools, without mirrors
	Turns      int64 // messages of users
	ToolCalls  int64
	ToolErrors int64       // results that report an error
	Recorded   jsonl.Usage // of answers and all other paid work
	Answers    int64       // messages that should have usage
	NoUsage    int64       // answers without usage
	WithPrice  int64       // records with usage and a recorded price above $0
	ZeroPrice  int64       // records with usage and a recorded price of exactly $0
	NoPrice    int64       // records with usage but without a price
	Counted    int64       // tokens, as clawctl counts them

	// The following fields are the recorded tokens priced by Options.Prices. They are never part of Recorded.

	Priced        float64 // dollars
	PricedAnswers int64   // records with usage that a pattern matched
	Unmatched     int64   // records with usage that no pattern matched
}

// add adds another tally.
func (t *Tally) add(o *Tally) {
	t.Sessions += o.Sessions
	t.Records += o.Records
	t.Messages += o.Messages
	t.Turns += o.Turns
	t.ToolCalls += o.ToolCalls
	t.ToolErrors += o.ToolErrors
	t.Answers += o.Answers
	t.NoUsage += o.NoUsage
	t.WithPrice += o.WithPrice
	t.ZeroPrice += o.ZeroPrice
	t.NoPrice += o.NoPrice
	t.Counted += o.Counted
	t.Priced += o.Priced
	t.PricedAnswers += o.PricedAnswers
	t.Unmatched += o.Unmatched
	t.Recorded.Add(o.Recorded)
}

// countUser adds up a user message: a turn, unless it contains only tool results.
func countUser(m jsonl.Message, t *Tally) {
	results, blocks := 0, 0
	var b jsonl.Block
	m.EachBlock(&b, func() {
		blocks++
		if b.Kind != jsonl.BlockToolResult {
			return
		}
		results++
		if b.IsError().IsTrue() {
			t.ToolErrors++
		}
	})
	if results == 0 || results < blocks {
		t.Turns++
	}
}

// countCalls counts the tool calls of an answer.
func countCalls(m jsonl.Message) (calls int64) {
	var b jsonl.Block
	m.EachBlock(&b, func() {
		if b.Kind == jsonl.BlockToolCall {
			calls++
		}
	})
	return calls
}

// rememberTools remembers the names of calls for results that do not repeat them.
func (c *collector) rememberTools(m jsonl.Message) {
	for b := range m.Blocks() {
		if call, ok := b.ToolCall(); ok {
			c.tools[call.ID] = call.Name
		}
	}
}

// addPrice prices the usage of a record by the price list.
func (c *collector) addPrice(carrier carrier, t *Tally) {
	if c.opts.Prices == nil {
		return
	}
	price, ok := c.prices.find(carrier.provider(), carrier.model())
	if !ok {
		t.Unmatched = 1
		return
	}
	t.Priced, t.PricedAnswers = price.Of(t.Recorded), 1
}
