package repair

import (
	"fmt"
	"slices"
	"testing"

	"clawctl/pkg/source"
)

// aPlan is a plan with two changes, a problem that is left alone, and a note.
func aPlan() *SessionPlan {
	return &SessionPlan{Session: source.File("a.jsonl"), Plan: &Plan{
		Mends: []Row{
			{State: Planned, Code: "CL001", Line: 5, Change: "first", AlsoLines: []int64{6, 7}},
			{State: Planned, Code: "CL002", Line: 9, Change: "second", AlsoLines: []int64{10, 11, 12, 13}},
		},
		Left:  []Row{{State: Left, Code: "CL003", Line: 7, Change: "left alone: nobody knows"}},
		Notes: []Row{{State: Note, Code: "CL004", Change: "left alone: harmless"}},
	}}
}

func TestRows(t *testing.T) {
	var got []string
	for _, row := range aPlan().Rows(true) {
		got = append(got, fmt.Sprintf("%s:%d %s %s", row.Path, row.Line, row.State, row.Words()))
	}
	want := []string{
		"a.jsonl:0 note left alone: harmless",
		"a.jsonl:5 planned first; also changes line 6, 7",
		"a.jsonl:7 left left alone: nobody knows",
		"a.jsonl:9 planned second; also changes 4 other lines from line 10 on",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if rows := aPlan().Rows(false); len(rows) != 3 {
		t.Errorf("without notes: %d rows", len(rows))
	}
}

func TestSummary(t *testing.T) {
	left := &SessionPlan{Plan: &Plan{Left: make([]Row, 2)}}
	for _, test := range []struct {
		plans      []*SessionPlan
		plan, done string
	}{
		{nil, "3 sessions (API: x): nothing to repair", "made 0 changes (API: x); receipt r"},
		{[]*SessionPlan{left},
			"3 sessions (API: x): nothing that can be repaired, 2 problems left alone. Nothing was written.",
			"made 0 changes (API: x), 2 problems left alone; receipt r"},
		{[]*SessionPlan{aPlan(), left},
			"3 sessions (API: x): 2 changes in 1 session, 3 problems left alone. Nothing was written.",
			"made 2 changes (API: x), 3 problems left alone; receipt r"},
	} {
		s := Summarize(3, test.plans)
		s.Written, s.Receipt = s.Changes, "r"
		if plan, done := s.PlanWords(" (API: x)"), s.DoneWords(" (API: x)"); plan != test.plan || done != test.done {
			t.Errorf("got %q, %q", plan, done)
		}
	}
}
