package stats

import (
	"cmp"
	"context"
	"time"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
)

// A Visitor sees every record of a family, and what it adds to the totals.
type Visitor interface {
	// Begin is called before the records of a session. The session is not read if it returns an error.
	Begin(s *source.Session) error
	// Visit is called for every line. The record and what stats makes of it are valid until Visit returns.
	Visit(rec *jsonl.Record, c *CountedRecord) error
	// End is called after the records of a session, with what they add up to, and with the error if the session cannot
	// be read to its end.
	End(s *source.Session, total *Tally, err error) error
	// Unreadable is called for a session that cannot be read to its end.
	Unreadable(s *source.Session, err error)
}

// A preparer is a visitor that leaves work on every record to the goroutines that check the lines.
type preparer interface {
	Visitor
	// Prepare is called after Begin, with the reader that is about to read the session. It returns what
	// jsonl.Options.Prepare is for. The results are in Counted.Prepared.
	Prepare(s *source.Session, r *jsonl.Reader) func() func(*jsonl.Record) any
}

// A Status says why a record counts or not.
type Status uint8

// The states of records.
const (
	Illegible Status = iota // blank, damaged, or the rest of a long line
	Outside                 // of the time range
	Copy                    // of a record that was counted before
	Mirror                  // no model sent it; counted separately
	Included                // part of the totals
)

// A CountedRecord is what stats makes of a record: whether it is part of the totals, what it adds to them, and to which
// group of each dimension. A name is "" if the record has none in that dimension.
type CountedRecord struct {
	Status                Status
	At                    time.Time // of the record, or of the last one before it that has a time
	Kind, Provider, Model string
	Tool                  string // of a tool result
	Tally                 Tally
	Prepared              any // by a Preparer
}

// A Walker hands records to visitors. It reads one family after another, with the rules of Collect.
type Walker struct{ collector *collector }

// NewWalker returns a walker. Of the options, By is not used. bytes is the size of everything that will be read.
func NewWalker(opts Options, bytes int64) *Walker {
	opts.By = nil
	c := newCollector(opts)
	c.bytes = bytes
	return &Walker{c}
}

// Family reads the sessions of a family in order. It returns the first error of the visitor, or that of the context.
func (w *Walker) Family(ctx context.Context, f *Family, v Visitor) error {
	w.collector.visitor = v
	w.collector.readFamily(ctx, f)
	err := w.collector.visitError
	w.collector.visitor, w.collector.visitError = nil, nil
	return cmp.Or(err, ctx.Err())
}

// tell tells the visitor about a record, and returns its error.
func (c *collector) tell(rec *jsonl.Record, e *contribution, status Status) error {
	if c.visitor == nil || c.visitError != nil {
		return c.visitError
	}
	counted := &c.counted
	*counted = CountedRecord{Status: status, At: c.state.last, Prepared: e.forVisitor}
	if status == Included || status == Mirror {
		carrier := carrierOf(rec)
		counted.Tally, counted.Kind = e.tally, carrier.kind
		counted.Provider, counted.Model = carrier.providerName(), carrier.modelName()
		counted.Tool = c.resultTool(carrier)
	}
	c.visitError = c.visitor.Visit(rec, counted)
	return c.visitError
}
