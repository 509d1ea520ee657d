package doctor

import (
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/ui"
	"clawctl/pkg/change"
	"clawctl/pkg/source"
	"clawctl/pkg/source/openclaw"
)

func TestReportWords(t *testing.T) {
	tests := []struct {
		statuses []Status
		words    string
		notable  int
	}{
		{[]Status{OK, Info}, "2 checks, and nothing needs a look. --all shows the others.", 1},
		{[]Status{OK, Warn, OK}, "1 of 3 checks needs a look. --all shows the others.", 1},
		{[]Status{Error, Warn, Info}, "2 of 3 checks need a look.", 3},
	}
	for _, test := range tests {
		r := &Report{}
		for _, s := range test.statuses {
			r.Checks = append(r.Checks, Result{Status: s})
		}
		if got := r.Words(len(r.Notable())); got != test.words || len(r.Notable()) != test.notable {
			t.Errorf("%q with %d notable, want %q with %d", got, len(r.Notable()), test.words, test.notable)
		}
		if r.OK() != r.Object("", false).OK {
			t.Error("the object contradicts the report")
		}
	}
}

func TestText(t *testing.T) {
	place := &source.Listing{Path: "state"}
	results := []Result{{Status: Warn, Message: "Something is left over.", Command: "clawctl repair"}}
	const wide = "state: no transcripts\n! Something is left over.  → clawctl repair\n"
	const narrow = "state: no transcripts\n! Something is left over.\n  → clawctl repair\n"
	for term, want := range map[ui.Terminal]string{
		{}: wide, {Is: true, Columns: 80}: wide, {Is: true, Columns: 30}: narrow,
	} {
		if got := Text(term, place, results); got != want {
			t.Errorf("%+v: %q, want %q", term, got, want)
		}
	}
}

func TestOverviewCounts(t *testing.T) {
	o := NewOverview(openclaw.StateDir{Path: "state"}, nil)
	o.Count(&source.Listing{
		Databases: []string{"a.sqlite"},
		Sessions: []*source.Session{
			{Agent: "main", Kind: source.Live, Bytes: 5, Problems: []source.Problem{{Code: source.Unlisted}}},
			{Agent: "main", Kind: source.Live, Bytes: 7, InDatabase: true},
		},
		Problems: []source.Problem{{Code: source.DeadLock, More: 2}},
	})
	if o.Transcripts != 2 || o.Agents != 1 || o.Bytes != 12 || o.Kinds[source.Live] != 2 || o.Databases != 1 ||
		o.InDatabase != 1 || o.Unlisted != 1 || o.Problems[source.DeadLock] != 3 {
		t.Errorf("%+v", o)
	}
}

// The lock of an interrupted change of clawctl leads to undo --finish, another one to rm.
func TestOwnLocks(t *testing.T) {
	folder := t.TempDir()
	session := filepath.Join(folder, "s.jsonl")
	home := Home{Place: &source.Listing{Path: folder, Locks: []openclaw.Lock{{Path: session + ".lock", PID: 2147480000}}}}
	if r := (&exam{home: home}).locks(); r.Status != Warn || !strings.HasPrefix(r.Command, "rm ") {
		t.Errorf("somebody's lock: %+v", r)
	}
	home.Unsettled = []*change.Receipt{{Path: session}}
	if r := (&exam{home: home}).locks(); r.Status != Warn || r.Command != "clawctl undo --finish" {
		t.Errorf("clawctl's lock: %+v", r)
	}
}

// Several databases that cannot be read are all named, and the worst decides.
func TestWorst(t *testing.T) {
	r := worst([]Result{{Status: Warn, Message: "a.", Command: "x"}, {Status: Error, Message: "b.", Command: "y"}})
	if r.Status != Error || r.Message != "a. b." || r.Command != "y" {
		t.Errorf("%+v", r)
	}
}
