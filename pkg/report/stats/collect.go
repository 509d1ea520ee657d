package stats

import (
	"context"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"clawctl/internal/calendar"
	"clawctl/internal/parallel"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
)

// A collector adds up what one worker reads.
type collector struct {
	result Result
	opts   Options
	seen   seenRecords // of the family
	meter  jsonl.Meter // of the family

	running runningPrices // likewise
	keys    recordKeys    // for what the examiners left out
	days    map[int64]bool
	day     int64 // the last one that was added to days
	clock   *calendar.Days
	prices  *priceCache
	lister  *priceLister
	reader  jsonl.Reader
	bytes   int64 // of all sessions

	groupSets []groupSet // the dimensions that were asked for
	crossSets []crossSet // the pairs of them
	// asksForWakes is set if a dimension depends on who began a turn.
	asksForWakes bool
	roots        map[*source.Session]string

	visitor    Visitor // nil: only the totals matter
	visitError error
	counted    CountedRecord // the last one

	state sessionState
}

// A sessionState is the state of a collector for the session that it is reading.
type sessionState struct {
	session *source.Session
	own     Tally
	last    time.Time // of the latest record that has a time
	turns   int64     // turns that no model has answered yet
	wake    string    // how OpenClaw began the turn, "" if somebody did
	harness bool
	// selected is the model of the answers that name none.
	selected modelName
	copies   int64             // number of copies when the session began
	tools    map[string]string // names of tool calls whose results do not repeat them, by their ids
	touched  map[*Tally]bool   // groups that hold a record of the session
}

func newCollector(opts Options) *collector {
	c := &collector{
		opts: opts, days: map[int64]bool{}, clock: calendar.NewDays(opts.Zone),
		prices: &priceCache{opts.Prices, map[modelName]*Price{}},
		lister: &priceLister{catalogue: opts.Catalogue, unlisted: map[string]bool{}, far: map[string]*FarPrice{}},
	}
	c.takeResult()
	return c
}

// takeResult returns what was added up, and starts again.
func (c *collector) takeResult() Result {
	r := c.result
	c.result = Result{Work: map[string]jsonl.Usage{}}
	c.beginGroups()
	c.result.Coverage.Kinds = map[source.Kind]int64{}
	return r
}

// readFamily reads sessions that may share records.
func (c *collector) readFamily(ctx context.Context, family *Family) {
	if len(family.Sessions) > 1 {
		c.seen.beginFamily(family)
	} else {
		c.seen.beginAlone(mayBeStream(family.Sessions[0]))
	}
	c.meter, c.running = jsonl.Meter{}, runningPrices{}
	c.lister.unbilled, c.lister.billed = 0, nil
	for i, s := range family.Sessions {
		if ctx.Err() != nil {
			return
		}
		c.seen.beginSession(int32(i))
		err := c.readSession(ctx, s)
		if c.visitError != nil || ctx.Err() != nil {
			return
		}
		if err != nil {
			c.addUnreadable(s, err)
		}
	}
}

// addUnreadable notes a session that could not be read to its end.
func (c *collector) addUnreadable(s *source.Session, err error) {
	c.result.Coverage.Unreadable = append(c.result.Coverage.Unreadable, Failure{s, err})
	if c.visitor != nil {
		c.visitor.Unreadable(s, err)
	}
}

func (c *collector) readSession(ctx context.Context, s *source.Session) error {
	in, err := s.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	c.beginSession(s)
	c.seeOmitted(ctx, s)
	if err = c.visitError; err == nil {
		err = c.readRecords(ctx, s, in.Reader)
	}
	c.endSession(err)
	return err
}

// seeOmitted notes the records that a session leaves out, because another program that did its work has them too. A
// backup of the session still has them, and that of the other program has its own.
func (c *collector) seeOmitted(ctx context.Context, s *source.Session) {
	in, ok := s.OpenOmitted()
	if !ok {
		return
	}
	defer in.Close()
	for rec, err := range jsonl.Records(in, jsonl.Options{BeforeRead: ctx.Err}) {
		if err != nil {
			return // a private file, which can be read unless the run ends
		}
		if !counts(rec) {
			continue
		}
		if _, ok := rec.Message(); ok {
			c.result.Coverage.JoinedCopies++
		}
		if c.seen.isFamily() {
			content := c.keys.content(rec)
			c.seen.before(&content, c.keys.id(rec))
		}
	}
}

func (c *collector) readRecords(ctx context.Context, s *source.Session, in io.Reader) error {
	c.reader.Reset(in, jsonl.Options{
		BeforeRead: ctx.Err, Jobs: parallel.Share(c.opts.Jobs, s.Bytes, c.bytes), Prepare: c.newExaminer(s).prepare})
	for rec, err := range c.reader.All() {
		if err != nil {
			return err
		}
		if err := c.addRecord(ctx, rec, rec.Prepared.(*contribution)); err != nil {
			return err
		}
	}
	return nil
}

func (c *collector) newExaminer(s *source.Session) *examiner {
	x := &examiner{opts: c.opts, isFamily: c.seen.isFamily(), hasReplays: c.seen.hasReplays()}
	if p, ok := c.visitor.(preparer); ok {
		x.forVisitor = p.Prepare(s, &c.reader)
	}
	return x
}

func (c *collector) beginSession(s *source.Session) {
	c.state = sessionState{
		session: s, copies: c.result.Coverage.Copies,
		tools: map[string]string{}, touched: map[*Tally]bool{},
	}
	c.meter.BeginSession()
	c.running.beginSession()
	c.enterSession()
	if c.visitor != nil {
		c.visitError = c.visitor.Begin(s)
	}
}

// endSession counts the session itself, if any of its records counted.
func (c *collector) endSession(err error) {
	if c.visitor != nil && c.visitError == nil {
		c.visitError = c.visitor.End(c.state.session, &c.state.own, err)
	}
	c.result.Coverage.Kinds[c.state.session.Kind]++
	switch n := c.state.session.JoinedLines(); {
	case n > 0:
		c.result.Coverage.Joined++
		c.result.Coverage.JoinedRecords += n
	case c.state.harness:
		c.result.Coverage.Harness++
	}
	if c.state.own.Records == 0 {
		if c.result.Coverage.Copies > c.state.copies {
			c.result.Coverage.CopiedSessions++
		}
		return
	}
	c.state.own.Sessions = 1
	c.result.Total.add(&c.state.own)
	for t := range c.state.touched {
		t.Sessions++
	}
	c.addClaim()
}

// addClaim adds the tokens in the session's index entry. They are totals of the complete session and say nothing about
// a part of it.
func (c *collector) addClaim() {
	s, isPart := c.state.session, !c.opts.Since.IsZero() || !c.opts.Until.IsZero()
	if isPart || !s.Listed || s.Entry.InputTokens <= 0 && s.Entry.OutputTokens <= 0 {
		return
	}
	c.result.Coverage.Claims++
	c.result.Coverage.ClaimedInput += s.Entry.InputTokens
	c.result.Coverage.ClaimedOutput += s.Entry.OutputTokens
	c.result.Coverage.ClaimsOf.Input += c.state.own.Recorded.Input
	c.result.Coverage.ClaimsOf.Output += c.state.own.Recorded.Output
}

// addRecord adds up one record. It returns the error of the visitor, or that of reading the session again.
func (c *collector) addRecord(ctx context.Context, rec *jsonl.Record, e *contribution) error {
	status, err := c.countRecord(ctx, rec, e)
	if err != nil {
		return err
	}
	return c.tell(rec, e, status)
}

// countRecord adds up one record and returns how it counts. It fails if the session cannot be read again.
func (c *collector) countRecord(ctx context.Context, rec *jsonl.Record, e *contribution) (Status, error) {
	if rec.Damage != nil && !rec.Continued {
		c.result.Coverage.Damaged++
	}
	if !counts(rec) {
		return Illegible, nil
	}
	if e.isDated {
		c.state.last = e.at
	}
	c.noteWake(rec, e)
	c.closeTurns(rec, e)
	isOutside := !c.opts.includes(c.state.last)
	if isOutside && !mayChangeLater(rec) {
		return Outside, nil
	}
	isCopy, err := c.isCopy(ctx, rec, e)
	if err != nil {
		return Illegible, err
	}
	c.running.pass(e, isCopy)
	switch {
	case isOutside:
		c.passUsage(c.carrierOf(rec, e), e, isCopy)
		return Outside, nil
	case isCopy:
		c.passUsage(c.carrierOf(rec, e), e, isCopy)
		c.result.Coverage.Copies++
		return Copy, nil
	}
	return c.addEntry(c.carrierOf(rec, e), e), nil
}

// mayChangeLater reports whether a record outside of the time range may change what one inside counts: it may have
// copies with other times, or the running totals go on from it.
func mayChangeLater(rec *jsonl.Record) bool { return rec.Translator() != nil }

// passUsage lets the running totals go on from a record that does not count itself.
func (c *collector) passUsage(carrier carrier, e *contribution, isCopy bool) {
	u := e.tally.Recorded
	switch {
	case u.Series == "" || e.isMirror:
	case isCopy && u.Counter == "": // the meter knows it from the original
	case isCopy:
		c.meter.Increase(u)
	default:
		c.startPrice(&e.tally)
		if e.countIncrease(c.meter.Increase(u)); e.isPaid {
			c.lister.isOutside = true
			c.addListPrice(carrier, &e.tally, true)
			c.lister.isOutside = false
		}
	}
}

// addEntry adds up a record that is not a copy, and returns how it counts.
func (c *collector) addEntry(carrier carrier, e *contribution) Status {
	if carrier.isMessage && carrier.kind == Reply && carrier.rec.Translator() != nil {
		c.rememberTools(carrier.message())
	}
	c.state.harness = c.state.harness || e.isHarness
	if e.isMirror {
		c.result.Coverage.Mirrors += e.tally.Messages
		return Mirror
	}
	series := e.tally.Recorded.Series
	hasCounted := false // an answer whose first part had tokens
	if series != "" {
		if c.meter.Repeats(e.tally.Recorded) {
			e.countAgain()
		}
		c.startPrice(&e.tally)
		hasCounted = e.isPart && c.meter.HasCounted(series)
		e.countIncrease(c.meter.Increase(e.tally.Recorded))
	}
	if e.isPaid {
		c.addPrice(carrier, &e.tally)
		c.addListPrice(carrier, &e.tally, series != "")
	}
	if hasCounted {
		e.forgetAnswer()
	}
	if carrier.isMessage {
		c.addDate()
		c.state.turns += e.tally.Turns
	}
	c.addTally(carrier, &e.tally)
	return Included
}

// addTally adds the tally of one record to the session and to the groups.
func (c *collector) addTally(carrier carrier, one *Tally) {
	c.state.own.add(one)
	if carrier.rec.Harness() != "" {
		c.result.Coverage.JoinedTokens += one.Recorded.Total
	}
	if carrier.kind != "" {
		work := c.result.Work[carrier.kind]
		work.Add(one.Recorded)
		c.result.Work[carrier.kind] = work
	}
	c.addToGroups(carrier, one)
}

// addDate notes the day of a message.
func (c *collector) addDate() {
	if c.state.last.IsZero() {
		c.result.Coverage.Undated++
		return
	}
	c.result.Coverage.extend(c.state.last, c.state.last)
	if day := c.clock.Of(c.state.last).Number; day != c.day || len(c.days) == 0 {
		c.day, c.days[day] = day, true
	}
}

// extend makes the coverage include the time from first to last.
func (cov *Coverage) extend(first, last time.Time) {
	if cov.First.IsZero() || !first.IsZero() && first.Before(cov.First) {
		cov.First = first
	}
	if last.After(cov.Last) {
		cov.Last = last
	}
}

// merge adds the result of a family.
func (c *collector) merge(o *Result) {
	c.result.Total.add(&o.Total)
	for i := range c.groupSets {
		g := &c.groupSets[i]
		for name, t := range o.By[g.dimension.name] {
			tallyIn(c, g.groups, name).add(t)
		}
	}
	for i := range c.crossSets {
		for names, t := range o.Cross[i] {
			tallyIn(c, c.crossSets[i].cells, names).add(t)
		}
	}
	for kind, u := range o.Work {
		work := c.result.Work[kind]
		work.Add(u)
		c.result.Work[kind] = work
	}
	c.result.Coverage.add(&o.Coverage)
}

// add adds another coverage, except for the fields that finish sets.
func (cov *Coverage) add(o *Coverage) {
	for kind, n := range o.Kinds {
		cov.Kinds[kind] += n
	}
	cov.extend(o.First, o.Last)
	cov.Copies += o.Copies
	cov.CopiedSessions += o.CopiedSessions
	cov.Mirrors += o.Mirrors
	cov.Damaged += o.Damaged
	cov.Undated += o.Undated
	cov.Harness += o.Harness
	cov.Joined += o.Joined
	cov.JoinedRecords += o.JoinedRecords
	cov.JoinedTokens += o.JoinedTokens
	cov.JoinedCopies += o.JoinedCopies
	cov.Unreadable = append(cov.Unreadable, o.Unreadable...)
	cov.Claims += o.Claims
	cov.ClaimedInput += o.ClaimedInput
	cov.ClaimedOutput += o.ClaimedOutput
	cov.ClaimsOf.Add(o.ClaimsOf)
}

func (c *collector) finish() {
	c.result.Coverage.Days = int64(len(c.days))
	c.result.Coverage.Unmatched = c.prices.unmatched(modelName.String)
	c.result.Coverage.Misspelled = c.prices.misspellings(c.opts.Catalogue)
	c.result.Coverage.Unlisted, c.result.Coverage.Far = slices.Sorted(maps.Keys(c.lister.unlisted)), c.lister.farPrices()
	slices.SortFunc(c.result.Coverage.Unreadable, func(a, b Failure) int {
		return strings.Compare(a.Session.Place(), b.Session.Place())
	})
}
