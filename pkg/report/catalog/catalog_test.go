package catalog

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"clawctl/pkg/report/stats"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

func day(n int) time.Time { return time.Date(2026, 5, n, 0, 0, 0, 0, time.UTC) }

// example has a session that was read, a copy of it on another host, and one that cannot be read.
func example() *List {
	first := &source.Session{Key: "first", ID: "1", Kind: source.Live, Bytes: 10, Host: "web1", Modified: day(9)}
	copied := &source.Session{Key: "copy", ID: "1", Kind: source.Backup, Bytes: 10, Host: "web2", Modified: day(2)}
	broken := &source.Session{Key: "broken", ID: "3", Kind: source.Live, Bytes: 30, Host: "web1", Modified: day(3),
		Problems: []source.Problem{{Code: source.Unlisted}}}
	four := stats.Tally{Messages: 4, Turns: 2, Answers: 2, Work: 2}
	facts := []Facts{
		{source.Facts{Records: 5, First: day(4), Last: day(5), LastRecord: day(5), Name: "A name", Project: "p"}, four},
		{source.Facts{Records: 5, FirstText: "hello", CopyOf: first}, four},
		{source.Facts{Records: 1, Damaged: 2, Err: errors.New("cut"),
			Parent: `C:\s\2026-05-01T00-00-00-000Z_abc.jsonl`}, stats.Tally{}},
	}
	m := &source.Match{Sessions: []*source.Session{first, copied, broken}}
	return New(m, "", facts, func(_ *source.Session, err error) string { return "it is " + err.Error() })
}

func keys(l *List) string {
	var list []string
	for _, r := range l.Rows {
		list = append(list, r.Key)
	}
	return strings.Join(list, " ")
}

func TestOrders(t *testing.T) {
	for order, want := range map[string]string{
		"last": "first broken copy", "size": "broken first copy", "messages": "first copy broken",
		"key": "first copy broken",
	} {
		l := example()
		if l.Sort(order); keys(l) != want || !slices.Contains(Orders(), order) {
			t.Errorf("%s: %s, want %s", order, keys(l), want)
		}
	}
}

func TestKeep(t *testing.T) {
	for _, c := range []struct {
		since, until time.Time
		want         string
	}{
		{time.Time{}, time.Time{}, "first copy broken"},
		{day(3), time.Time{}, "first broken"},
		{day(6), time.Time{}, ""},
		{time.Time{}, day(4), "copy broken"}, // nobody knows when these began
	} {
		l := example()
		if l.Keep(c.since, c.until); keys(l) != c.want {
			t.Errorf("%v to %v: %s, want %s", c.since, c.until, keys(l), c.want)
		}
	}
}

func TestRows(t *testing.T) {
	l := example()
	if !l.Damaged || !l.hasHosts() || !l.hasProjects() {
		t.Errorf("%+v", l)
	}
	first, copied, broken := l.Rows[0], l.Rows[1], l.Rows[2]
	if *first.Messages != 4 || *first.Turns != 2 || *first.UsageKnown || first.Recorded.CostUSD != nil ||
		*broken.UsageKnown || broken.Recorded.CostUSD != nil || broken.Counts() || !first.Counts() {
		t.Errorf("%+v, %+v", first, broken)
	}
	if first.Title != "A name" || *first.Records != 5 || !first.Last.Equal(day(5)) || first.notes(nil) != "" {
		t.Errorf("%+v", first)
	}
	byKey := func(s *source.Session) string { return s.Key }
	if copied.CopyOfHost != "web1" || copied.Title != "hello" || copied.notes(byKey) != "copy of first on web1" {
		t.Errorf("%+v", copied)
	}
	if broken.Problems[1].Detail != "it is cut" || broken.notes(byKey) != "fork of abc, 2 damaged, unlisted, unreadable" {
		t.Errorf("%+v: %s", broken, broken.notes(byKey))
	}
}

// An incomplete session is among the problems of its place already.
func TestIncomplete(t *testing.T) {
	m := &source.Match{Sessions: []*source.Session{{Key: "k", ID: "1"}}}
	l := New(m, "", []Facts{{Facts: source.Facts{Err: store.ErrIncomplete}}}, nil)
	if !l.Damaged || len(l.Rows[0].Problems) > 0 || l.hasHosts() {
		t.Errorf("%+v", l.Rows[0])
	}
	if fast := New(m, "", nil, nil); fast.Damaged || fast.Rows[0].Records != nil || fast.Rows[0].Last != nil {
		t.Errorf("%+v", fast.Rows[0])
	}
}
