// Package stats adds up what transcripts recorded: sessions, messages, tool calls, tokens and prices. It also says what
// it could not count.
//
// Every record is counted once, no matter how many copies of it exist. Sessions that may share records, because they
// have the same id, one was forked from the other, or one begins with a message of the other, form a family. One worker
// reads a whole family, live sessions first, and a record that came up before is a copy. Families are independent of
// each other, so memory does not grow with the number of sessions and the result does not depend on timing.
//
// A record is known by an id of 16 bytes of what it says and when (internal/textid). A family keeps the ids of all its
// records, which takes about 100 bytes of memory per record. A session without a family keeps those of its last 2,048
// to 4,096 records, however long it is, and those cover only the ends of long texts. A record with a new id that is
// younger than everything forgotten is not a copy, because a copy has the time of its original. The first record for
// which that is not enough, as in a file that was appended to itself, has the session read again up to its line. From
// there on complete ids of all records are kept, about 80 bytes each. So they are from the beginning for a pipe, which
// cannot be read again. Answers are exact in all of these cases.
package stats

import (
	"context"
	"maps"
	"time"

	"clawctl/internal/calendar"
	"clawctl/internal/parallel"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/models"
	"clawctl/pkg/source"
	"clawctl/pkg/tokens"
)

// Options say what to count.
type Options struct {
	By      []string       // dimensions to group by
	Cross   [][2]string    // pairs of dimensions to group by
	Since   time.Time      // zero: from the beginning
	Until   time.Time      // zero: to the end
	Zone    calendar.Zone  // of days, weeks and months; zero: UTC, as in datasets
	Counter tokens.Counter // nil: only what was recorded
	Prices  *PriceList     // nil: only the prices that were recorded
	Jobs    int            // families to read at the same time
	// Catalogue has list prices. nil: no list prices and no estimates.
	Catalogue *models.Catalogue
	// NewVisitor makes a visitor that sees the records of a family. MergeVisitor is called with the visitors in the order
	// of the families. nil: only the totals matter.
	NewVisitor   func() Visitor
	MergeVisitor func(Visitor)
}

// A Result holds what was counted.
type Result struct {
	Total    Tally
	By       map[string]map[string]*Tally // by dimension and name
	Cross    []map[[2]string]*Tally       // by the names in both dimensions of each pair of Options.Cross
	Work     map[string]jsonl.Usage       // by kind of work; its sum is that of the total
	Coverage Coverage
}

// Coverage says what was counted and what was not.
type Coverage struct {
	Kinds       map[source.Kind]int64 // sessions read, by kind
	First, Last time.Time             // of the messages that were counted
	Days        int64                 // with messages
	CoverageCounts
	Unreadable    []Failure
	ClaimedInput  int64 // tokens according to the session index
	ClaimedOutput int64
	Claims        int64         // index entries that state tokens
	ClaimsOf      jsonl.Usage   // what the sessions of those entries recorded
	Unmatched     []string      // models with usage that no price matches, as provider/model, sorted
	Misspelled    []Misspelling // names in the price list that are likely typos
	Unlisted      []string      // models with usage that have no list price, as provider/model, sorted
	Far           []*FarPrice   // models with recorded prices that are far off the list price
}

// CoverageCounts are what a coverage counts, in the form of JSON.
type CoverageCounts struct {
	Copies         int64 `json:"copied_records"`   // that were counted elsewhere
	CopiedSessions int64 `json:"copied_sessions"`  // that contain only copies
	Mirrors        int64 `json:"mirrors"`          // messages that no model sent
	Damaged        int64 `json:"damaged_lines"`    // that cannot be read
	Undated        int64 `json:"undated_messages"` // without a time
	Harness        int64 `json:"harness_sessions"` // whose tool calls are recorded elsewhere
	Joined         int64 `json:"joined_sessions"`  // read with those of other programs, which did their work
	JoinedRecords  int64 `json:"joined_records"`   // of the other programs
	JoinedTokens   int64 `json:"joined_tokens"`    // that those recorded, part of the total
	JoinedCopies   int64 `json:"joined_copies"`    // records that both have, counted once
}

// A Failure is a session that could not be read to its end.
type Failure struct {
	Session *source.Session
	Err     error
}

// A familyResult is what a worker makes of a family.
type familyResult struct {
	result  Result
	visitor Visitor
	err     error // of the visitor
}

// Collect reads the sessions and adds them up. Families are added in their order, whichever worker has read them: sums
// of prices depend on the order in their last digits.
func Collect(ctx context.Context, sessions []*source.Session, opts Options) (*Result, error) {
	families := Families(ctx, sessions, opts.Jobs)
	total := newCollector(opts)
	roots := rootsOf(families, opts)
	var workers []*collector
	newWorker := func() *collector {
		w := newCollector(opts)
		w.bytes, w.roots = source.TotalBytes(sessions), roots
		workers = append(workers, w)
		return w
	}
	read := func(ctx context.Context, w *collector, i int) familyResult {
		if opts.NewVisitor != nil {
			w.visitor = opts.NewVisitor()
		}
		w.readFamily(ctx, families[i])
		return familyResult{w.takeResult(), w.visitor, w.visitError}
	}
	add := func(_ int, r familyResult) error {
		total.merge(&r.result)
		if r.visitor != nil {
			opts.MergeVisitor(r.visitor)
		}
		return r.err
	}
	err := parallel.Ordered(ctx, len(families), opts.Jobs, newWorker, read, add)
	for _, w := range workers {
		maps.Copy(total.days, w.days)
		maps.Copy(total.prices.found, w.prices.found)
		total.lister.merge(w.lister)
	}
	total.finish()
	return &total.result, err
}
