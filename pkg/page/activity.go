package page

import (
	"cmp"
	"context"
	"slices"

	"clawctl/internal/calendar"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/stats"
)

// An Activity is what a report draws beside the totals: the usage of each model by day, and the largest sessions. It
// sees every record with what stats makes of it, so its sums are those of stats.
type Activity struct {
	days     *calendar.Days
	byDay    map[string]map[string]amount // by day and model
	sessions []sessionActivity            // the largest ones
	current  sessionActivity
}

// An amount is a recorded usage.
type amount struct {
	tokens int64
	cost   float64
}

// A sessionActivity is the usage of one session, and how its context grew.
type sessionActivity struct {
	session *source.Session
	total   stats.Tally
	fill    fillSeries
}

// mostSessions is how many sessions a report lists.
const mostSessions = 20

// CollectActivity reads sessions for a report.
func CollectActivity(ctx context.Context, sessions []*source.Session, opts stats.Options) (*Activity, error) {
	a := &Activity{days: calendar.NewDays(opts.Zone), byDay: map[string]map[string]amount{}}
	w := stats.NewWalker(opts, source.TotalBytes(sessions))
	for _, f := range stats.Families(ctx, sessions, opts.Jobs) {
		if err := w.Family(ctx, f, a); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// Begin begins a session.
func (a *Activity) Begin(s *source.Session) error {
	a.current = sessionActivity{session: s}
	return nil
}

// Visit takes a record that counts.
func (a *Activity) Visit(rec *jsonl.Record, c *stats.Counted) error {
	if c.Status != stats.Included {
		return nil
	}
	switch rec.Type() {
	case jsonl.TypeCompaction, jsonl.TypeReset:
		a.current.fill.mark()
	}
	u := c.Tally.Recorded
	if u.Total == 0 && u.Cost == 0 {
		return nil
	}
	if c.Kind == stats.Reply {
		a.current.fill.add(c.Tally.Prompt())
	}
	day := "undated"
	if !c.At.IsZero() {
		day = a.days.Of(c.At).Name
	}
	models := a.byDay[day]
	if models == nil {
		models = map[string]amount{}
		a.byDay[day] = models
	}
	sum := models[c.Model]
	models[c.Model] = amount{sum.tokens + u.Total, sum.cost + u.Cost}
	return nil
}

// End keeps a session if it is one of the largest.
func (a *Activity) End(_ *source.Session, total *stats.Tally, _ error) error {
	if total.Records == 0 {
		return nil
	}
	a.current.total = *total
	a.sessions = append(a.sessions, a.current)
	slices.SortStableFunc(a.sessions, func(x, y sessionActivity) int {
		return cmp.Compare(y.total.Recorded.Total, x.total.Recorded.Total)
	})
	a.sessions = a.sessions[:min(len(a.sessions), mostSessions)]
	return nil
}

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
