// Package catalog describes sessions as rows of a list, in an order, for people and programs.
package catalog

import (
	"cmp"
	"context"
	"slices"
	"time"

	"clawctl/pkg/dialect"
	"clawctl/pkg/report/stats"
	"clawctl/pkg/source"
)

// A List is sessions as rows.
type List struct {
	Rows    []*Row
	Damaged bool // some part of a transcript cannot be read
	names   map[*source.Session]string
}

// Facts are what reading a session has shown.
type Facts struct {
	source.Facts
	Tally stats.Tally // of its records, each of them once
}

// Read reads every session once, jobs of them at a time.
func Read(ctx context.Context, sessions []*source.Session, jobs int) []Facts {
	counters := make([]*stats.Counter, len(sessions))
	read := source.InspectCounting(ctx, sessions, jobs, func(i int) source.RecordCounter {
		counters[i] = stats.NewCounter(sessions[i])
		return counters[i]
	})
	facts := make([]Facts, len(sessions))
	for i := range facts {
		facts[i].Facts = read[i]
		if counters[i] != nil { // else the reading was interrupted
			facts[i].Tally = *counters[i].Total()
		}
	}
	return facts
}

// New describes the sessions of a match. state is the state folder, whose sessions need no place in their names. facts
// are what reading them has shown, in the same order, or nil if they were not read. explain says why a transcript
// cannot be read.
func New(
	m *source.Match, state string, facts []Facts, explain func(*source.Session, error) string,
) *List {
	l := &List{names: m.Names(state)}
	if facts == nil {
		source.ReadEnds(m.Sessions)
	}
	for i, s := range m.Sessions {
		var row *Row
		if facts == nil {
			row = newRow(s, s.LastUsed())
		} else {
			row = newRow(s, s.UsedAt(facts[i].LastRecord))
			row.read(&facts[i], explain)
			l.Damaged = l.Damaged || facts[i].Damaged > 0 || facts[i].Err != nil
		}
		row.Name = l.names[s]
		l.Rows = append(l.Rows, row)
	}
	return l
}

// AddCommands adds the commands that continue sessions in their own programs, if the sessions were read.
func (l *List) AddCommands(facts []Facts, env dialect.Environment) {
	for i, f := range facts {
		l.Rows[i].Resume = l.Rows[i].Session.Resume(f.Dialect, f.HeaderID, f.Origin.Folder, env)
	}
}

// orders are the orders of a list.
var orders = []struct {
	name    string
	compare func(a, b *Row) int
}{
	{"last", func(a, b *Row) int { return b.used.Compare(a.used) }},
	{"size", func(a, b *Row) int { return cmp.Compare(b.Bytes, a.Bytes) }},
	{"messages", func(a, b *Row) int { return cmp.Compare(intOf(b.Messages), intOf(a.Messages)) }},
	{"key", nil}, // the order in which they are found
}

// Orders returns the names of the orders of a list.
func Orders() (names []string) {
	for _, o := range orders {
		names = append(names, o.name)
	}
	return names
}

// Sort orders the rows.
func (l *List) Sort(order string) {
	for _, o := range orders {
		if o.name == order && o.compare != nil {
			slices.SortStableFunc(l.Rows, o.compare)
		}
	}
}

// Keep removes the sessions without records in a time range, as far as is known. A zero time is no limit.
func (l *List) Keep(since, until time.Time) {
	l.Rows = slices.DeleteFunc(l.Rows, func(r *Row) bool { return !r.overlaps(since, until) })
}

func (r *Row) overlaps(since, until time.Time) bool {
	last, first := timeOf(r.Last), timeOf(r.First)
	if r.latest.After(last) {
		last = r.latest
	}
	return !last.Before(since) && (until.IsZero() || first.Before(until))
}

// hasHosts reports whether the sessions are from more than one host.
func (l *List) hasHosts() bool {
	return slices.ContainsFunc(l.Rows, func(r *Row) bool { return r.Host != l.Rows[0].Host })
}

// hasProjects reports whether any session belongs to a project.
func (l *List) hasProjects() bool {
	return slices.ContainsFunc(l.Rows, func(r *Row) bool { return r.Project != "" })
}

func timeOf(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}

func intOf(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}
