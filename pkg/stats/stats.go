// Package stats adds up what transcripts recorded: sessions, messages, tool calls, tokens and prices, and says what it
// could not count.
//
// A record is counted once, however many copies of it there are. Sessions that may share records, because they have one
// id or one was forked from the other, form a family; a family is read by one worker in the order of its kinds, and a
// record that came up before is a copy. Families are independent of each other, so that memory does not grow with a
// home, and the result does not depend on who was faster. In a session without family copies are looked for among the
// records of late only, so that its size does not matter either.
package stats

import (
	"cmp"
	"context"
	"hash/maphash"
	"slices"
	"strings"
	"sync"
	"time"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/tokens"
)

// A Tally is what was counted of some part of the records.
type Tally struct {
	Sessions   int64
	Records    int64
	Messages   int64 // of people, models and tools, mirrors left out
	Turns      int64 // messages of users
	ToolCalls  int64
	ToolErrors int64 // results that report an error
	Recorded   jsonl.Usage
	Answers    int64 // messages that should have usage
	NoUsage    int64 // of those, how many have none
	NoPrice    int64 // how many have usage and no price
	Counted    int64 // tokens, by our own count
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
	t.NoPrice += o.NoPrice
	t.Counted += o.Counted
	t.Recorded.Input += o.Recorded.Input
	t.Recorded.Output += o.Recorded.Output
	t.Recorded.CacheRead += o.Recorded.CacheRead
	t.Recorded.CacheWrite += o.Recorded.CacheWrite
	t.Recorded.Total += o.Recorded.Total
	t.Recorded.Cost += o.Recorded.Cost
	t.Recorded.HasCost = t.Recorded.HasCost || o.Recorded.HasCost
}

// Dimensions are what totals can be parted by.
var Dimensions = []string{"day", "week", "month", "model", "provider", "agent", "channel", "tool", "session"}

// Options say what to count.
type Options struct {
	By      []string       // dimensions
	Since   time.Time      // zero: from the beginning
	Until   time.Time      // zero: to the end
	Counter tokens.Counter // nil: only what was recorded
	Jobs    int
}

// A Result is what was counted.
type Result struct {
	Total    Tally
	By       map[string]map[string]*Tally // by dimension and name
	Coverage Coverage
}

// Coverage says what was counted and what was not.
type Coverage struct {
	Kinds         map[source.Kind]int64 // sessions read, by kind
	First, Last   time.Time             // of the messages that were counted
	Days          int64                 // with messages
	Copies        int64                 // records that were counted elsewhere
	CopiedFiles   int64                 // sessions of which every record was
	Mirrors       Tally                 // messages that no model sent, counted apart
	Damaged       int64                 // lines that cannot be read
	Undated       int64                 // messages without a time
	Harness       int64                 // sessions whose tool calls lie elsewhere
	Unreadable    []Failure
	ClaimedInput  int64 // what registrations say
	ClaimedOutput int64
	Claims        int64       // how many registrations say something
	ClaimsOf      jsonl.Usage // what was recorded in the sessions of those registrations
}

// A Failure is a session that could not be read to its end.
type Failure struct {
	Session *source.Session
	Err     error
}

// Collect reads the sessions and adds them up. done is called after every session.
func Collect(ctx context.Context, sessions []*source.Session, opts Options, done func(*source.Session)) (*Result, error) {
	families := familiesOf(ctx, sessions)
	total := newCollector(opts)
	var mu sync.Mutex
	var workers sync.WaitGroup
	next := make(chan []*source.Session)
	for range max(1, min(opts.Jobs, len(families))) {
		workers.Go(func() {
			own := newCollector(opts)
			for family := range next {
				own.family(ctx, family, func(s *source.Session) {
					mu.Lock()
					defer mu.Unlock()
					done(s)
				})
			}
			mu.Lock()
			defer mu.Unlock()
			total.merge(own)
		})
	}
	for _, family := range families {
		next <- family
	}
	close(next)
	workers.Wait()
	total.finish()
	return &total.Result, ctx.Err()
}

// A collector adds up what one worker reads.
type collector struct {
	Result
	opts   Options
	seed   maphash.Seed
	seen   seenRecords // of the family
	days   map[string]bool
	reader jsonl.Reader

	session *source.Session
	names   []string // of the session in the dimensions that do not change with a record; "" for the others
	own     Tally    // of the session
	last    time.Time
	harness bool
	copies  int64             // that were known when the session began
	tools   map[string]string // of claw0's calls, by their ids
	touched map[*Tally]bool
}

func newCollector(opts Options) *collector {
	c := &collector{opts: opts, seed: maphash.MakeSeed(), days: map[string]bool{}}
	c.By = map[string]map[string]*Tally{}
	for _, d := range opts.By {
		c.By[d] = map[string]*Tally{}
	}
	c.Coverage.Kinds = map[source.Kind]int64{}
	return c
}

// family reads sessions that may share records.
func (c *collector) family(ctx context.Context, family []*source.Session, done func(*source.Session)) {
	c.seen.begin(len(family) > 1)
	for _, s := range family {
		if ctx.Err() != nil {
			return
		}
		c.seen.next()
		if err := c.read(ctx, s); err != nil && ctx.Err() == nil {
			c.Coverage.Unreadable = append(c.Coverage.Unreadable, Failure{s, err})
		}
		done(s)
	}
}

// read adds up one session.
func (c *collector) read(ctx context.Context, s *source.Session) error {
	in, err := s.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	c.begin(s)
	defer c.end()
	c.reader.Reset(in.Reader, jsonl.Options{BeforeRead: ctx.Err})
	for rec, err := range c.reader.All() {
		if err != nil {
			return err
		}
		c.record(rec)
	}
	return nil
}

func (c *collector) begin(s *source.Session) {
	c.session, c.own, c.last, c.harness, c.copies = s, Tally{}, time.Time{}, false, c.Coverage.Copies
	c.names, c.touched, c.tools = make([]string, len(c.opts.By)), map[*Tally]bool{}, map[string]string{}
	for i, d := range c.opts.By {
		switch d {
		case "agent":
			c.names[i] = s.Agent
		case "channel":
			c.names[i] = Channel(s.Key)
		case "session":
			c.names[i] = s.Key
		}
	}
}

// end closes a session: it counts once, where it had records of its own.
func (c *collector) end() {
	s := c.session
	c.Coverage.Kinds[s.Kind]++
	if c.harness {
		c.Coverage.Harness++
	}
	if c.own.Records == 0 {
		if c.Coverage.Copies > c.copies {
			c.Coverage.CopiedFiles++
		}
		return
	}
	c.own.Sessions = 1
	c.Total.add(&c.own)
	for t := range c.touched {
		t.Sessions++
	}
	if c.opts.Since.IsZero() && c.opts.Until.IsZero() && s.Listed && (s.Entry.InputTokens > 0 || s.Entry.OutputTokens > 0) {
		c.Coverage.Claims++
		c.Coverage.ClaimedInput += s.Entry.InputTokens
		c.Coverage.ClaimedOutput += s.Entry.OutputTokens
		c.Coverage.ClaimsOf.Input += c.own.Recorded.Input
		c.Coverage.ClaimsOf.Output += c.own.Recorded.Output
	}
}

func (c *collector) tally(dimension, name string) *Tally {
	t := c.By[dimension][name]
	if t == nil {
		t = &Tally{}
		c.By[dimension][name] = t
	}
	if c.touched != nil {
		c.touched[t] = true
	}
	return t
}

// record adds up one record.
func (c *collector) record(rec *jsonl.Record) {
	if rec.Damage != nil && !rec.Continued {
		c.Coverage.Damaged++
	}
	if rec.Blank || !rec.Legible() || rec.Continued {
		return
	}
	if t, ok := rec.Time(); ok {
		c.last = t
	}
	if !c.opts.Since.IsZero() && c.last.Before(c.opts.Since) || !c.opts.Until.IsZero() && !c.last.Before(c.opts.Until) {
		return
	}
	if c.seen.before(c.said(rec), c.named(rec)) {
		c.Coverage.Copies++
		return
	}
	one := Tally{Records: 1}
	m, isMessage := rec.Message()
	if isMessage && m.IsMirror() {
		one = Tally{}
		c.count(m, &one)
		c.Coverage.Mirrors.add(&one)
		return
	}
	if isMessage {
		c.count(m, &one)
		c.date()
	}
	c.own.add(&one)
	if len(c.opts.By) > 0 {
		c.part(m, isMessage, &one)
	}
}

// named tells a record by its id and time; 0 where it lacks one of them.
func (c *collector) named(rec *jsonl.Record) uint64 {
	id, stamp := rec.Get("id"), rec.Get("timestamp")
	if !id.IsString() || !stamp.Exists() {
		return 0
	}
	var h maphash.Hash
	h.SetSeed(c.seed)
	h.Write(id)
	h.Write(stamp)
	h.WriteString(rec.Type())
	return h.Sum64()
}

// said tells a record by what it says: a message by its time, role and content, which survive every copy, migration and
// change of version; another record by its id and time. Without a time it is its text and its place: a copy begins alike.
func (c *collector) said(rec *jsonl.Record) uint64 {
	var h maphash.Hash
	h.SetSeed(c.seed)
	m, isMessage := rec.Message()
	stamp := rec.Get("timestamp")
	switch id := rec.Get("id"); {
	case isMessage && (stamp.Exists() || m.Get("timestamp").Exists() || m.Get("ts").Exists()):
		h.Write(stamp)
		h.Write(m.Get("timestamp"))
		h.Write(m.Get("ts"))
		h.WriteString(m.Role())
		h.WriteString(m.Model())
		h.Write(m.Content())
		h.WriteString(m.ToolCallID())
	case !isMessage && id.IsString() && stamp.Exists():
		h.Write(id)
		h.Write(stamp)
		h.WriteString(rec.Type())
	default:
		h.Write(rec.Text())
		maphash.WriteComparable(&h, rec.Line)
	}
	return h.Sum64()
}

// count adds up a message.
func (c *collector) count(m jsonl.Message, t *Tally) {
	t.Messages++
	switch m.Role() {
	case jsonl.RoleUser:
		c.user(m, t)
	case jsonl.RoleToolResult:
		if m.Get("isError").IsTrue() || m.Get("is_error").IsTrue() {
			t.ToolErrors++
		}
	case jsonl.RoleAssistant:
		c.answer(m, t)
	}
	if c.opts.Counter != nil {
		t.Counted += int64(tokens.MessageTokens(m, c.opts.Counter))
	}
}

// user adds up what is not the model's own: a turn, unless it is nothing but results of tools.
func (c *collector) user(m jsonl.Message, t *Tally) {
	results, blocks := 0, 0
	m.Parts(func(key []byte, v jsonl.Value) {
		switch {
		case string(key) == "type" && string(v) == `"tool_result"`:
			results++
		case string(key) == "is_error" && v.IsTrue():
			t.ToolErrors++
		}
	}, func(jsonl.Value) { blocks++ })
	if results == 0 || results < blocks {
		t.Turns++
	}
}

// answer adds up what a model said.
func (c *collector) answer(m jsonl.Message, t *Tally) {
	if c.reader.Dialect().IsClaw0() {
		for b := range m.Blocks() {
			if call, ok := b.ToolCall(); ok {
				t.ToolCalls++
				c.tools[call.ID] = call.Name
			}
		}
		t.Answers, t.NoUsage = 1, 1
		return
	}
	m.Parts(func(key []byte, v jsonl.Value) {
		if string(key) == "type" && isCall(v) {
			t.ToolCalls++
		}
	}, func(jsonl.Value) {})
	if string(m.Get("api")) == `"cli"` {
		c.harness = true
	}
	t.Answers = 1
	u, ok := m.Usage()
	if !ok || u.Total == 0 {
		t.NoUsage = 1
		return
	}
	t.Recorded = u
	if !u.HasCost {
		t.NoPrice = 1
	}
}

func isCall(v jsonl.Value) bool {
	text := string(v)
	if strings.Contains(text, `\`) {
		text = `"` + v.String() + `"`
	}
	switch text {
	case `"toolCall"`, `"toolUse"`, `"functionCall"`, `"tool_call"`, `"tool_use"`, `"function_call"`:
		return true
	}
	return false
}

// date notes on which days there were messages.
func (c *collector) date() {
	if c.last.IsZero() {
		c.Coverage.Undated++
		return
	}
	if c.Coverage.First.IsZero() || c.last.Before(c.Coverage.First) {
		c.Coverage.First = c.last
	}
	if c.last.After(c.Coverage.Last) {
		c.Coverage.Last = c.last
	}
	c.days[c.last.UTC().Format(time.DateOnly)] = true
}

// part adds a record to the dimensions that were asked for.
func (c *collector) part(m jsonl.Message, isMessage bool, one *Tally) {
	for i, d := range c.opts.By {
		name := c.names[i]
		if name == "" {
			name = c.nameOf(d, m, isMessage)
		}
		if d == "tool" {
			c.partTools(m, isMessage, one)
			continue
		}
		if name != "" {
			c.tally(d, name).add(one)
		}
	}
}

// nameOf returns the name of a record in a dimension, "" where it has none.
func (c *collector) nameOf(dimension string, m jsonl.Message, isMessage bool) string {
	at := c.last.UTC()
	switch dimension {
	case "day":
		return dated(at, at.Format(time.DateOnly))
	case "week":
		year, week := at.ISOWeek()
		return dated(at, weekName(year, week))
	case "month":
		return dated(at, at.Format("2006-01"))
	case "model", "provider":
		if !isMessage || m.Role() != jsonl.RoleAssistant {
			return ""
		}
		if dimension == "model" {
			return orUnknown(m.Model())
		}
		return orUnknown(m.Provider())
	}
	return ""
}

// partTools adds the calls and errors of a message to its tools.
func (c *collector) partTools(m jsonl.Message, isMessage bool, one *Tally) {
	if !isMessage {
		return
	}
	if m.Role() == jsonl.RoleToolResult {
		t := Tally{Messages: 1, Records: 1, ToolErrors: one.ToolErrors, Counted: one.Counted}
		c.tally("tool", orUnknown(cmp.Or(m.ToolName(), c.tools[m.ToolCallID()]))).add(&t)
		return
	}
	if one.ToolCalls == 0 {
		return
	}
	for b := range m.Blocks() {
		if call, ok := b.ToolCall(); ok {
			t := Tally{ToolCalls: 1}
			c.tally("tool", orUnknown(call.Name)).add(&t)
		}
	}
}

// merge adds what another worker counted.
func (c *collector) merge(o *collector) {
	c.Total.add(&o.Total)
	for d, names := range o.By {
		for name, t := range names {
			c.tally(d, name).add(t)
		}
	}
	cov, other := &c.Coverage, &o.Coverage
	for kind, n := range other.Kinds {
		cov.Kinds[kind] += n
	}
	if cov.First.IsZero() || !other.First.IsZero() && other.First.Before(cov.First) {
		cov.First = other.First
	}
	if other.Last.After(cov.Last) {
		cov.Last = other.Last
	}
	cov.Copies += other.Copies
	cov.CopiedFiles += other.CopiedFiles
	cov.Mirrors.add(&other.Mirrors)
	cov.Damaged += other.Damaged
	cov.Undated += other.Undated
	cov.Harness += other.Harness
	cov.Unreadable = append(cov.Unreadable, other.Unreadable...)
	cov.Claims += other.Claims
	cov.ClaimedInput += other.ClaimedInput
	cov.ClaimedOutput += other.ClaimedOutput
	cov.ClaimsOf.Input += other.ClaimsOf.Input
	cov.ClaimsOf.Output += other.ClaimsOf.Output
	for day := range o.days {
		c.days[day] = true
	}
}

func (c *collector) finish() {
	c.Coverage.Days = int64(len(c.days))
	slices.SortFunc(c.Coverage.Unreadable, func(a, b Failure) int { return compareStrings(a.Session.Place(), b.Session.Place()) })
}
