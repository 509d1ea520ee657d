// Package du tells where the bytes of a place are.
//
//	files ─▶ kinds, agents, compression        (names and sizes)
//	      ─▶ records, their parts, and copies  (transcripts, read once)
//	      ─▶ tables, free pages                (databases)
//
// A View divides the bytes of all files, and its shares always add up to them. What a view cannot divide, such as the
// index in a view of records, is one share with its name in brackets.
package du

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"clawctl/internal/parallel"
	"clawctl/pkg/report/stats"
	"clawctl/pkg/source"
)

// A View is one way to divide the bytes of a place.
type View string

// The views, in the order of reports.
const (
	Kind    View = "kind"    // live, reset, ..., database, index
	Agent   View = "agent"   // whose folder it is in
	Session View = "session" // which session
	Type    View = "type"    // types of records
	Content View = "content" // parts of records: text, images, results
	Tool    View = "tool"    // calls and results of each tool
	Copy    View = "copy"    // records and their copies, which stats counts once
	Storage View = "storage" // plain, compressed, database
	Table   View = "table"   // tables of databases, and free pages
)

// Views lists the views.
var Views = []View{Kind, Agent, Session, Type, Content, Tool, Copy, Storage, Table}

// readsText are the views for which transcripts are read.
var readsText = []View{Session, Type, Content, Tool, Copy}

// A Share is a part of the bytes. Count says how many files, sessions, records, blocks or pages they are.
type Share struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
	Count int64  `json:"count"`
}

// A Report tells where the bytes are.
type Report struct {
	SchemaVersion int              `json:"schema_version"`
	Bytes         int64            `json:"bytes"`
	Files         int64            `json:"files"`
	By            map[View][]Share `json:"by"` // the largest first
	Unread        []Unread         `json:"-"`
}

// Unread is a file or session that could not be read. Its bytes are counted.
type Unread struct {
	Path string
	Err  error
}

// Options are the views to make, the number of transcripts to read at a time, and the files that were listed before.
type Options struct {
	Views   []View
	Jobs    int
	Listing *Listing
}

// Collect measures the files of places, among which are those of the sessions.
func Collect(ctx context.Context, places []*source.Listing, sessions []*source.Session, opts Options) (*Report, error) {
	c := &collector{opts: opts, ledger: ledger{}, report: Report{SchemaVersion: 1}}
	c.files = c.listFiles(places, sessions)
	for _, f := range c.files {
		c.report.Bytes += f.bytes
		c.report.Files++
		c.addFile(f)
	}
	if c.wants(readsText...) {
		if err := c.readAll(ctx); err != nil {
			return nil, err
		}
	}
	if c.wants(Table) {
		if err := c.addTables(ctx); err != nil {
			return nil, err
		}
	}
	c.report.By = c.ledger.sorted(opts.Views)
	return &c.report, nil
}

// A collector fills a report.
type collector struct {
	opts   Options
	files  []*file
	ledger ledger
	report Report

	originals map[*source.Session]*stats.Originals // records of earlier transcripts of the family
	numbers   map[*source.Session]int32            // of transcripts in their family
}

func (c *collector) wants(views ...View) bool {
	return slices.ContainsFunc(views, func(v View) bool { return slices.Contains(c.opts.Views, v) })
}

func (c *collector) unread(path string, err error) {
	c.report.Unread = append(c.report.Unread, Unread{path, err})
}

// addFile adds a file to the views that know it by its name.
func (c *collector) addFile(f *file) {
	c.ledger.add(Kind, f.kind, f.bytes, 1)
	c.ledger.add(Agent, f.agent, f.bytes, 1)
	c.ledger.add(Storage, f.storage, f.bytes, 1)
	if f.storage != inDatabase {
		c.ledger.add(Table, notInDatabase, f.bytes, 1)
	}
	if len(f.sessions) == 0 {
		for _, view := range readsText {
			c.ledger.add(view, "("+f.kind+")", f.bytes, 1)
		}
	}
}

// readAll reads the transcripts of all files, and divides the bytes of the files as their text is divided.
func (c *collector) readAll(ctx context.Context) error {
	readable := slices.DeleteFunc(slices.Clone(c.files), func(f *file) bool { return len(f.sessions) == 0 })
	total := int64(0)
	var sessions []*source.Session
	for _, f := range readable {
		total += f.bytes
		sessions = append(sessions, f.sessions...)
	}
	rule := c.copyRule(len(sessions))
	if rule == amongSessions {
		c.joinFamilies(ctx, sessions)
		c.orderFiles(readable)
	}
	read := func(ctx context.Context, e *examiner, i int) *reading {
		f := readable[i]
		return e.readFile(ctx, f, rule, parallel.Share(c.opts.Jobs, f.bytes, total))
	}
	settle := func(i int, r *reading) error {
		c.settle(readable[i], r)
		return ctx.Err()
	}
	return parallel.Ordered(ctx, len(readable), c.opts.Jobs, func() *examiner { return &examiner{} }, read, settle)
}

// copyRule says where the copies of a record may be.
func (c *collector) copyRule(sessions int) copyRule {
	switch {
	case !c.wants(Copy):
		return nowhere
	case sessions == 1:
		return withinSession
	}
	return amongSessions
}

// joinFamilies finds the sessions that may have the same records.
func (c *collector) joinFamilies(ctx context.Context, sessions []*source.Session) {
	c.originals, c.numbers = map[*source.Session]*stats.Originals{}, map[*source.Session]int32{}
	for _, family := range stats.Families(ctx, sessions, c.opts.Jobs) {
		originals := stats.NewOriginals(family)
		for i, s := range family.Sessions {
			c.originals[s], c.numbers[s] = originals, int32(i)
		}
	}
}

// orderFiles puts files and their transcripts in the order in which stats reads them, because copies come after their
// originals.
func (c *collector) orderFiles(files []*file) {
	for _, f := range files {
		slices.SortStableFunc(f.sessions, func(a, b *source.Session) int { return cmp.Compare(c.numbers[a], c.numbers[b]) })
	}
	slices.SortStableFunc(files, func(a, b *file) int {
		return cmp.Compare(c.numbers[a.sessions[0]], c.numbers[b.sessions[0]])
	})
}

// settle adds what was read of a file to the views.
func (c *collector) settle(f *file, r *reading) {
	c.report.Unread = append(c.report.Unread, r.unread...)
	for i, p := range r.pieces {
		session := f.sessions[p.session]
		originals := c.originals[session]
		if i == 0 || r.pieces[i-1].session != p.session {
			originals.Begin(c.numbers[session])
		}
		r.addCopy(originals.IsCopy(p.id), p.bytes)
	}
	for _, view := range readsText {
		c.ledger.divide(view, f.bytes, r.ledger[view], "("+f.rest()+")")
	}
}

// The shares of Copy: records that occur for the first time, and copies of them.
const (
	first = "first"
	Again = "again"
)

// A ledger holds the shares of every view by their names.
type ledger map[View]map[string]*Share

func (l ledger) add(view View, name string, bytes, count int64) {
	shares := l[view]
	if shares == nil {
		shares = map[string]*Share{}
		l[view] = shares
	}
	s := shares[name]
	if s == nil {
		s = &Share{Name: name}
		shares[name] = s
	}
	s.Bytes += bytes
	s.Count += count
}

// divide adds the bytes of a file to a view as its text is divided. What the file has more than the text is the rest.
// If it has less, because it is compressed, every part shrinks alike.
func (l ledger) divide(view View, bytes int64, text map[string]*Share, rest string) {
	var total int64
	for _, s := range text {
		total += s.Bytes
	}
	if total < bytes {
		l.add(view, rest, bytes-total, 1)
	}
	var before, used int64
	for _, name := range slices.Sorted(maps.Keys(text)) {
		s := text[name]
		before += s.Bytes
		upTo := before
		if total > bytes {
			upTo = int64(float64(before) / float64(total) * float64(bytes))
		}
		if before == total {
			upTo = min(total, bytes)
		}
		l.add(view, name, upTo-used, s.Count)
		used = upTo
	}
}

// sorted returns the shares of the views, the largest first.
func (l ledger) sorted(views []View) map[View][]Share {
	by := map[View][]Share{}
	for _, view := range views {
		list := make([]Share, 0, len(l[view]))
		for _, s := range l[view] {
			list = append(list, *s)
		}
		slices.SortFunc(list, func(a, b Share) int {
			return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Name, b.Name))
		})
		by[view] = list
	}
	return by
}
