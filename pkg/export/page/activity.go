package page

import (
	"cmp"
	"context"
	"slices"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/models"
	"clawctl/pkg/report/stats"
	"clawctl/pkg/source"
)

// An Activity is what a report draws beside the numbers of stats: the largest sessions, and how their contexts grew.
type Activity struct {
	catalogue *models.Catalogue // nil: the windows of models are not known
	sessions  []sessionActivity // the largest ones
	current   sessionActivity
}

// A sessionActivity is the usage of one session, and how its context grew.
type sessionActivity struct {
	session *source.Session
	total   stats.Tally
	fill    fillSeries
	most    int64 // the size of its largest context
	window  int64 // of the model that had it, 0 if it is not known
}

// mostSessions is how many sessions a report lists.
const mostSessions = 20

// CollectActivity reads sessions for a report, once. The result is what stats counts of them.
func CollectActivity(
	ctx context.Context, sessions []*source.Session, opts stats.Options,
) (*stats.Result, *Activity, error) {
	all := &Activity{}
	opts.NewVisitor = func() stats.Visitor { return &Activity{catalogue: opts.Catalogue} }
	opts.MergeVisitor = func(v stats.Visitor) { all.merge(v.(*Activity)) }
	result, err := stats.Collect(ctx, sessions, opts)
	return result, all, err
}

// Begin begins a session.
func (a *Activity) Begin(s *source.Session) error {
	a.current = sessionActivity{session: s}
	return nil
}

// Visit takes a record that counts.
func (a *Activity) Visit(rec *jsonl.Record, c *stats.CountedRecord) error {
	if c.Status != stats.Included {
		return nil
	}
	switch rec.Type() {
	case jsonl.TypeCompaction, jsonl.TypeReset:
		a.current.fill.mark()
	}
	if c.Kind == stats.Reply && c.Tally.Recorded.Total > 0 {
		a.addContext(c)
	}
	return nil
}

// addContext adds the context of an answer.
func (a *Activity) addContext(c *stats.CountedRecord) {
	s, size := &a.current, c.Tally.Prompt()
	s.fill.add(size)
	if size <= s.most {
		return
	}
	s.most, s.window = size, 0
	if a.catalogue == nil {
		return
	}
	if match := a.catalogue.Find(c.Provider, c.Model); match != nil {
		s.window = match.Entry.Window
	}
}

// End keeps a session if it is one of the largest.
func (a *Activity) End(_ *source.Session, total *stats.Tally, _ error) error {
	if total.Records == 0 {
		return nil
	}
	a.current.total = *total
	a.keep(a.current)
	return nil
}

// keep adds sessions and leaves out all but the largest. Of sessions of one size, the first ones stay.
func (a *Activity) keep(sessions ...sessionActivity) {
	a.sessions = append(a.sessions, sessions...)
	slices.SortStableFunc(a.sessions, func(x, y sessionActivity) int {
		return cmp.Compare(y.total.Recorded.Total, x.total.Recorded.Total)
	})
	a.sessions = a.sessions[:min(len(a.sessions), mostSessions)]
}

// merge adds the sessions of a family.
func (a *Activity) merge(family *Activity) { a.keep(family.sessions...) }

// Unreadable is told of sessions that stats reports.
func (a *Activity) Unreadable(*source.Session, error) {}

// A fillSeries is the size of a context at each answer. Of a long session, each point is the largest of several.
type fillSeries struct {
	points []int64
	marks  []int // the points that compactions and resets come before
	step   int   // answers of a point
	last   int   // answers of the last point
}

// mostPoints is how many points are drawn of a session.
const mostPoints = 256

func (f *fillSeries) add(size int64) {
	if f.step == 0 {
		f.step, f.last = 1, 1
	}
	if f.last < f.step {
		at := len(f.points) - 1
		f.points[at] = max(f.points[at], size)
		f.last++
		return
	}
	if len(f.points) == mostPoints {
		f.halve()
	}
	f.points, f.last = append(f.points, size), 1
}

// halve joins every two points.
func (f *fillSeries) halve() {
	for i := range len(f.points) / 2 {
		f.points[i] = max(f.points[2*i], f.points[2*i+1])
	}
	f.points, f.step = f.points[:len(f.points)/2], 2*f.step
	for i := range f.marks {
		f.marks[i] /= 2
	}
	f.marks = slices.Compact(f.marks)
}

// mark notes a compaction or reset.
func (f *fillSeries) mark() {
	if n := len(f.marks); n == 0 || f.marks[n-1] != len(f.points) {
		f.marks = append(f.marks, len(f.points))
	}
}
