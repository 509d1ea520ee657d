package stats

import (
	"time"

	"clawctl/internal/textid"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/tokens"
)

// A contribution is what a record adds to the totals. It depends on nothing but the record, so it can be made on any
// goroutine.
type contribution struct {
	at         time.Time
	isDated    bool
	content    contentKey
	id         textid.ID // by which copies in other sessions are recognized
	said       saying    // likewise, in forks with other times
	isMessage  bool
	kind       string // of the work that the record carries usage of, or ""
	isMirror   bool
	isHarness  bool // the tool calls are recorded elsewhere
	isPaid     bool // the tally has usage
	isPart     bool // of an answer whose first part has counted
	tally      Tally
	forVisitor any // what the visitor has prepared
}

// An examiner makes contributions. Each goroutine has its own.
type examiner struct {
	opts       Options
	keys       recordKeys
	isFamily   bool // the records may have copies in other sessions
	hasReplays bool // these may have other times

	forVisitor func() func(*jsonl.Record) any // nil if the visitor prepares nothing
}

// prepare returns a function that makes the contribution of a record, in place of one that is no longer needed.
func (x *examiner) prepare() func(rec *jsonl.Record) any {
	own := &examiner{opts: x.opts, isFamily: x.isFamily, hasReplays: x.hasReplays, keys: recordKeys{isBrief: !x.isFamily}}
	forVisitor := func(*jsonl.Record) any { return nil }
	if x.forVisitor != nil {
		forVisitor = x.forVisitor()
	}
	return func(rec *jsonl.Record) any {
		e, ok := rec.Prepared.(*contribution)
		if !ok {
			e = &contribution{}
		}
		own.examine(rec, e)
		e.forVisitor = forVisitor(rec)
		return e
	}
}

// examine sets the contribution of a record. A record that is not legible has none. One outside of the time range has a
// kind and no tally, unless it changes what others count.
func (x *examiner) examine(rec *jsonl.Record, e *contribution) {
	*e = contribution{}
	if !counts(rec) {
		return
	}
	at, isStamped := jsonl.ParseTime(rec.Get("timestamp"))
	if e.at, e.isDated = at, isStamped; !isStamped {
		e.at, e.isDated = rec.Time()
	}
	c := carrierOf(rec)
	e.isMessage, e.kind, e.isMirror = c.isMessage, c.kind, c.isMessage && c.message().IsMirror()
	if e.isDated && !x.opts.includes(e.at) && !mayChangeLater(rec) {
		return
	}
	if c.isMessage && isStamped && x.keys.isBrief {
		e.content = briefKey(c.message(), at)
	} else {
		e.content = x.keys.content(rec)
	}
	if x.isFamily {
		e.id = x.keys.id(rec)
	}
	if x.hasReplays {
		e.said = x.keys.saying(rec)
	}
	if c.isMessage {
		x.countMessage(c.message(), e)
	}
	if !e.isMirror {
		e.tally.Records = 1
		e.countWork(c)
	}
}

// counts reports whether a record can add to the totals.
func counts(rec *jsonl.Record) bool { return rec.Legible() && !rec.Continued }

// includes reports whether a time is within the range of the options.
func (o *Options) includes(at time.Time) bool {
	return (o.Since.IsZero() || !at.Before(o.Since)) && (o.Until.IsZero() || at.Before(o.Until))
}

func (x *examiner) countMessage(m jsonl.Message, e *contribution) {
	t := &e.tally
	t.Messages = 1
	switch m.Role() {
	case jsonl.RoleUser:
		countUser(m, t)
	case jsonl.RoleToolResult:
		if m.IsError() {
			t.ToolErrors = 1
		}
	case jsonl.RoleAssistant:
		t.Answers, t.ToolCalls = 1, countCalls(m)
		if m.IsFailed() {
			t.Failed = 1
		}
		e.isHarness = string(m.Get("api")) == `"cli"`
	}
	if x.opts.Counter != nil {
		t.Counted = int64(tokens.MessageTokens(m, x.opts.Counter))
	}
}

// countWork adds up the usage that a record carries.
func (e *contribution) countWork(c carrier) {
	if e.kind == "" {
		return
	}
	t := &e.tally
	u, isStated := c.usage()
	if c.isMessage && c.rec.Translator() != nil && c.message().Get("usage").IsNull() {
		return // it is in another record
	}
	t.Work = 1
	if isStated {
		t.UsageStated = 1
	}
	if isStated && u.HasCost {
		t.CostStated, t.Recorded.HasCost = 1, true
	}
	if e.isPaid = isStated && isPaid(u); !e.isPaid {
		t.NoUsage = t.Answers
		return
	}
	e.countPaid(u)
}

// countIncrease counts what a running total adds, instead of the total itself.
func (e *contribution) countIncrease(u jsonl.Usage) {
	e.isPaid = isPaid(u)
	e.tally.WithPrice, e.tally.ZeroPrice, e.tally.NoPrice, e.tally.Recorded = 0, 0, 0, jsonl.Usage{}
	if e.isPaid {
		e.countPaid(u)
	}
}

// countAgain takes back what the first part of an answer, or of other work, has counted.
func (e *contribution) countAgain() {
	t := &e.tally
	if e.isPart = t.Answers > 0; e.isPart {
		t.Messages, t.Answers, t.Failed = 0, 0, 0
	}
	t.Work, t.UsageStated, t.CostStated = 0, 0, 0
}

// forgetAnswer takes back that a part of an answer has usage and prices. Its first part has counted for the answer.
func (e *contribution) forgetAnswer() {
	t := &e.tally
	t.WithPrice, t.ZeroPrice, t.NoPrice = 0, 0, 0
	t.PricedAnswers, t.Unmatched, t.ListedAnswers, t.Unlisted, t.EstimatedAnswers = 0, 0, 0, 0, 0
}

// countPaid counts usage, and whether it has a price.
func (e *contribution) countPaid(u jsonl.Usage) {
	t := &e.tally
	t.Recorded = u
	switch {
	case !u.HasCost:
		t.NoPrice = 1
	case u.Cost == 0:
		t.ZeroPrice = 1
	default:
		t.WithPrice = 1
	}
}
