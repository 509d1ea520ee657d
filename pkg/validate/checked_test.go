package validate

import (
	"fmt"
	"testing"

	"clawctl/internal/failure"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/source"
)

func TestSummary(t *testing.T) {
	session := func(id string) *source.Session { return &source.Session{ID: id, Kind: source.Live} }
	good := Verdict{State: Continues, API: rebuild.AnthropicMessages, Program: "OpenClaw"}
	corrected, stuck := good, good
	corrected.State, corrected.Reason, corrected.Corrections = Corrected, Reason{Code: "CL412", Line: 7}, 2
	stuck.State, stuck.Reason = Stuck, Reason{Code: "CL401", Line: 1234}
	refused := stuck
	refused.Reason, refused.IsRefused = Reason{Code: "CL101"}, true
	const can = "OpenClaw can continue this session with the Anthropic Messages API"
	tests := []struct {
		name    string
		results []Result
		unread  int
		words   string
		worst   failure.Code
		reaches [3]bool // by severity
	}{
		{"nothing", []Result{{}}, 0, "1 session: no problems. There are no messages to send.", "", [3]bool{}},
		{"one good", []Result{{Verdict: good}}, 0, "1 session: no problems. " + can + ".", "", [3]bool{}},
		{"one corrected", []Result{{Verdict: corrected}}, 0, "1 session: no problems. " + can +
			". It corrects 2 problems, the first is CL412 on line 7: thinking block from another provider's model.", "",
			[3]bool{}},
		{"one stuck", []Result{{
			Findings: []Finding{find("CL401", 1234, func(f *Finding) { f.Severity = Error })}, Verdict: stuck,
		}}, 0,
			"1 session: 1 error, 0 warnings, 0 notes. This session cannot be continued. The Anthropic Messages API refuses " +
				"what OpenClaw sends, because of CL401 on line 1,234: the conversation does not start with a user message.",
			"CL401", [3]bool{true, true, true}},
		{"one refused", []Result{{Verdict: refused}}, 0, "1 session: no problems. OpenClaw refuses to continue this " +
			"session, because of CL101: no header.", "", [3]bool{}},
		{"several", []Result{
			{Findings: []Finding{
				find("CL505", 0, nil), find("CL301", 3, func(f *Finding) { f.Severity, f.More = Info, 2 }),
			}, Verdict: good},
			{Verdict: stuck}, {Verdict: corrected}, {},
		}, 0, "4 sessions: 0 errors, 1 warning, 3 notes. 2 can be continued, 1 of them after corrections that their " +
			"program makes; 1 cannot; 1 session without messages (API: anthropic-messages).", "CL505",
			[3]bool{true, true, false}},
		{"all good", []Result{{Verdict: good}, {Verdict: good}}, 0,
			"2 sessions: no problems. All can be continued (API: anthropic-messages).", "", [3]bool{}},
		{"unread", []Result{{}, {}}, 2, "2 sessions: 2 not read to the end; otherwise no problems", "", [3]bool{}},
	}
	for _, test := range tests {
		s := &Summary{Unread: test.unread}
		for i, r := range test.results {
			c := NewChecked(session(fmt.Sprint(i)), "a.jsonl", r)
			s.Add(&c)
		}
		if got := s.Words(); got != test.words || s.WorstCode() != test.worst {
			t.Errorf("%s: %q, worst %q\nwant %q, worst %q", test.name, got, s.WorstCode(), test.words, test.worst)
		}
		for severity, want := range test.reaches {
			if got := s.Reaches(Severity(severity)); got != want {
				t.Errorf("%s reaches %v: %v", test.name, Severity(severity), got)
			}
		}
	}
}

func TestBaselineKnowsFindings(t *testing.T) {
	here := t.TempDir()
	at := func(path, entry string, line int64, more int) Finding {
		return find("CL301", line, func(f *Finding) { f.Path, f.Entry, f.More = here+path, entry, more })
	}
	first := NewBaseline(here)
	first.LeaveNew([]Finding{at("/a.jsonl", "x", 3, 0), at("/b.jsonl", "", 7, 5), at("/b.jsonl", "", 7, 0)})
	data, err := first.Encode()
	if err != nil || first.Len() != 8 {
		t.Fatal(err, first.Len())
	}
	tests := []struct {
		name string
		f    Finding
		left int // findings that are new
	}{
		{"the entry on another line", at("/a.jsonl", "x", 9, 0), 0},
		{"another entry", at("/a.jsonl", "y", 3, 0), 1},
		{"another file", at("/c.jsonl", "x", 3, 0), 1},
		{"the file spelled differently", at("/sub/../a.jsonl", "x", 3, 0), 0},
		{"as many that are only counted", at("/b.jsonl", "", 7, 5), 0},
		{"two more that are only counted", at("/b.jsonl", "", 7, 7), 2},
		{"a new one with others that are known", at("/b.jsonl", "", 8, 5), 1},
	}
	for _, test := range tests {
		b := NewBaseline(here)
		if !b.Load(data) {
			t.Fatalf("not a baseline: %s", data)
		}
		left := 0
		for _, f := range b.LeaveNew([]Finding{test.f}) {
			left += 1 + f.More
		}
		if left != test.left {
			t.Errorf("%s: %d are new, want %d", test.name, left, test.left)
		}
	}
	for _, other := range []string{"", "[]", `{"schema_version":2}`} {
		if NewBaseline("").Load([]byte(other)) {
			t.Errorf("%q is a baseline", other)
		}
	}
}

func TestHint(t *testing.T) {
	with := func(run string) *Rule { return &Rule{Code: "CL001", Run: run} }
	tests := []struct {
		f    Finding
		want string
	}{
		{Finding{Rule: with("show FILE -l LINE"), Path: "a b", Line: 7}, "show 'a b' -l 7"},
		{Finding{Rule: with("show FILE -l LINE"), Path: "a"}, "clawctl explain CL001"},
		{Finding{Rule: with("show FILE --entry ID"), Path: "a", Entry: "x1"}, "show a --entry x1"},
		{Finding{Rule: with("show FILE --entry ID"), Path: "a", Entry: "$(x)"}, "clawctl explain CL001"},
		{Finding{Rule: with("show FILE"), Path: failure.Stdin}, "clawctl explain CL001"},
		{Finding{Rule: with("ls FOLDER"), Path: "none/such/file"}, "ls none/such"},
		{Finding{Rule: with("ls FOLDER"), Path: "nothing"}, "ls ."},
	}
	for _, test := range tests {
		if got := test.f.hint(); got != test.want {
			t.Errorf("%s for %q: %q, want %q", test.f.Rule.Run, test.f.Path, got, test.want)
		}
	}
}
