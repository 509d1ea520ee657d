package stats

import (
	"context"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
)

// A Counter adds up the records of one session, each of them once, with the rules of Collect. Commands that read a
// session for another reason count it with a Counter on the way.
type Counter struct {
	collector *collector
	examiner  examiner
	one       contribution  // of the last record, unless it was prepared
	last      *contribution // of the last record
	total     Tally
}

// NewCounter returns a counter for a session. The session is opened again if its records are too disordered to tell
// copies from originals at once. A nil session stands for text that can be read only once.
func NewCounter(s *source.Session) *Counter {
	c := newCollector(Options{Jobs: 1})
	if s == nil {
		s = &source.Session{}
	}
	c.bytes = s.Bytes
	c.seen.beginAlone(mayBeStream(s))
	c.beginSession(s)
	return &Counter{collector: c, examiner: examiner{keys: recordKeys{isBrief: true}}}
}

// Prepare returns what jsonl.Options.Prepare is for: the goroutines that check the lines then do most of the work.
func (c *Counter) Prepare() func() func(*jsonl.Record) any {
	return c.collector.newExaminer(c.collector.state.session).prepare
}

// Add counts the next record of the session. It returns what the record adds, which is valid until the next call, or
// nil if it adds nothing: it cannot be read, is a copy, or is a message that no model sent.
func (c *Counter) Add(ctx context.Context, rec *jsonl.Record) (*Tally, error) {
	status, err := c.Judge(ctx, rec)
	if err != nil || status != Included {
		return nil, err
	}
	return &c.last.tally, nil
}

// Judge counts the next record of the session, and returns how it counts.
func (c *Counter) Judge(ctx context.Context, rec *jsonl.Record) (Status, error) {
	var isPrepared bool
	if c.last, isPrepared = rec.Prepared.(*contribution); !isPrepared {
		c.last = &c.one
		c.examiner.examine(rec, c.last)
	}
	return c.collector.countRecord(ctx, rec, c.last)
}

// Count counts the next record of the session.
func (c *Counter) Count(ctx context.Context, rec *jsonl.Record) error {
	_, err := c.Judge(ctx, rec)
	return err
}

// End releases the memory that tells copies from originals. Only Total may be called after it.
func (c *Counter) End() { c.total, c.collector = *c.Total(), nil }

// Total returns what was counted so far.
func (c *Counter) Total() *Tally {
	if c.collector == nil {
		return &c.total
	}
	return &c.collector.state.own
}
