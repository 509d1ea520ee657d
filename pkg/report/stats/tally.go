package stats

import "clawctl/pkg/jsonl"

// A Tally holds the counts of some part of the records.
type Tally struct {
	Sessions   int64
	Records    int64
	Messages   int64 // of people, models and tools, without mirrors
	Turns      int64 // messages in which a user says something
	ToolCalls  int64
	ToolErrors int64       // results that report an error
	Recorded   jsonl.Usage // of answers and all other paid work
	Answers    int64       // messages that should have usage
	Failed     int64       // answers that ended with an error or were interrupted
	NoUsage    int64       // answers without usage
	WithPrice  int64       // records with usage and a recorded price above $0
	ZeroPrice  int64       // records with usage and a recorded price of exactly $0
	NoPrice    int64       // records with usage but without a price
	Counted    int64       // tokens, as clawctl counts them

	// The following fields tell a recorded 0 from a number that nobody recorded.

	Work        int64 // answers and other paid work
	UsageStated int64 // those with tokens, even if these are 0
	CostStated  int64 // those with a price, even if it is $0

	// The following fields are the recorded tokens priced by Options.Prices. They are never part of Recorded.

	Priced        float64 // dollars
	PricedAnswers int64   // records with usage that a pattern matched
	Unmatched     int64   // records with usage that no pattern matched

	// The following fields are prices by Options.Prices, or else by Options.Catalogue.

	Listed           float64 // dollars, of all recorded tokens that have a list price
	ListedAnswers    int64   // records with tokens that have one
	Unlisted         int64   // records with tokens that have none
	Estimated        float64 // dollars: the recorded price if it is above $0, or else the list price
	EstimatedAnswers int64   // records with tokens that have one of these
	FarPrices        int64   // records whose recorded price is ten times off the list price, or more
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
	t.Failed += o.Failed
	t.Work += o.Work
	t.UsageStated += o.UsageStated
	t.CostStated += o.CostStated
	t.NoUsage += o.NoUsage
	t.WithPrice += o.WithPrice
	t.ZeroPrice += o.ZeroPrice
	t.NoPrice += o.NoPrice
	t.Counted += o.Counted
	t.Priced += o.Priced
	t.PricedAnswers += o.PricedAnswers
	t.Unmatched += o.Unmatched
	t.Listed += o.Listed
	t.ListedAnswers += o.ListedAnswers
	t.Unlisted += o.Unlisted
	t.Estimated += o.Estimated
	t.EstimatedAnswers += o.EstimatedAnswers
	t.FarPrices += o.FarPrices
	t.Recorded.Add(o.Recorded)
}

// UsageKnown reports whether the recorded tokens are known: some answer has them, even if they are 0, or there is no
// answer that could.
func (t *Tally) UsageKnown() bool { return t.UsageStated > 0 || t.Work == 0 }

// CostKnown reports whether the recorded cost is known: some answer has a price, even if it is $0, or there is no
// answer that could.
func (t *Tally) CostKnown() bool { return t.CostStated > 0 || t.Work == 0 }

// IsPaid reports whether there is usage: tokens or a price above $0.
func (t *Tally) IsPaid() bool { return t.WithPrice+t.ZeroPrice+t.NoPrice > 0 }

// Prompt returns the tokens that were sent, whether they came from a cache or not.
func (t *Tally) Prompt() int64 {
	return t.Recorded.Input + t.Recorded.CacheRead + t.Recorded.CacheWrite
}

// countUser adds up a user message: a turn if the user says something, and the errors of the tool results in it.
func countUser(m jsonl.Message, t *Tally) {
	var b jsonl.Block
	m.EachBlock(&b, func() {
		switch {
		case b.Kind != jsonl.BlockToolResult:
			t.Turns = 1
		case b.IsError().IsTrue():
			t.ToolErrors++
		}
	})
}

// countCalls counts the tool calls of an answer.
func countCalls(m jsonl.Message) int64 {
	var calls int64
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
	var b jsonl.Block
	m.EachBlock(&b, func() {
		if b.Kind == jsonl.BlockToolCall {
			c.state.tools[b.CallID().String()] = b.ToolName().String()
		}
	})
}

// addPrice prices the usage of a record by the price list.
func (c *collector) addPrice(carrier carrier, t *Tally) {
	if c.opts.Prices == nil {
		return
	}
	price, ok := c.prices.find(carrier.name())
	if !ok {
		t.Unmatched = 1
		return
	}
	t.Priced, t.PricedAnswers = price.of(t.Recorded), 1
}
