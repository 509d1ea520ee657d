package validate

import (
	"fmt"
	"slices"
	"testing"

	"clawctl/internal/failure"
)

// find makes a finding with the rule of a code.
func find(code failure.Code, line int64, change func(*Finding)) Finding {
	rule, _ := Lookup(code)
	f := Finding{Rule: rule, Severity: rule.Severity, Line: line}
	if change != nil {
		change(&f)
	}
	return f
}

func TestTally(t *testing.T) {
	old := func(f *Finding) { f.Severity = Info }
	entry := func(key string) func(*Finding) {
		return func(f *Finding) { f.Path, f.Session = "sessions.json", key }
	}
	var tally Tally
	tally.Add("a", []Finding{
		find("CL301", 3, old), find("CL301", 7, nil), find("CL301", 9, nil), find("CL402", 8, nil), find("CL105", 1, old),
	})
	tally.Add("b", []Finding{find("CL301", 2, nil), find("CL001", 5, nil), find("CL105", 2, nil)})
	tally.Add("c", nil)
	tally.Add("d", []Finding{
		find("CL505", 0, entry("x")), find("CL505", 0, entry("x")), find("CL505", 0, entry("y")),
	})
	var got []string
	for _, r := range tally.Rows() {
		got = append(got, fmt.Sprintf("%s %s %d in %d, %s:%d",
			r.Rule.Code, r.Severity, r.Findings, r.Sessions, r.Path, r.Line))
	}
	want := []string{
		"CL301 error 3 in 2, a:7", "CL001 error 1 in 1, b:5", "CL505 warn 3 in 2, sessions.json:0",
		"CL105 info 2 in 2, a:1", "CL301 info 1 in 1, a:3", "CL402 info 1 in 1, a:8",
	}
	if !slices.Equal(got, want) || tally.Len() != 11 {
		t.Errorf("%d findings\n%q\nwant\n%q", tally.Len(), got, want)
	}
	if empty := (&Tally{}); empty.Rows() != nil || empty.Len() != 0 {
		t.Error("an empty tally has rows")
	}
}
