package repair

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/validate"
	"clawctl/pkg/validate/validatetest"
)

var testOptions = Options{Session: source.Stream(nil, "test"), Now: time.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC)}

// repaired plans the repair of a text, verifies it, and returns the new text.
func repaired(t testing.TB, text []byte) (*Plan, []byte) {
	t.Helper()
	plan, new := planned(t, text)
	size := int64(len(text))
	before, after := io.NewSectionReader(bytes.NewReader(text), 0, size), io.NewSectionReader(bytes.NewReader(new), 0,
		int64(len(new)))
	if err := plan.verify(context.Background(), before, after, testOptions); err != nil {
		t.Fatalf("%v\n%s\nbecame\n%s", err, text, new)
	}
	return plan, new
}

// planned plans the repair of a text, and returns the new text.
func planned(t testing.TB, text []byte) (*Plan, []byte) {
	t.Helper()
	size := int64(len(text))
	plan, err := New(context.Background(), bytes.NewReader(text), size, testOptions)
	if err != nil {
		t.Fatal(err)
	}
	new, err := io.ReadAll(plan.Edits.Reader(bytes.NewReader(text), size))
	if err != nil {
		t.Fatal(err)
	}
	return plan, new
}

func findings(t testing.TB, text []byte) validate.Result {
	t.Helper()
	result, err := validate.Session(jsonl.NewReader(bytes.NewReader(text), jsonl.Options{}), testOptions.Session,
		validate.Selection{})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// Every kind of fault that is an error, or that the API refuses, is mended. Everything else is left as it is.
func TestPlantedFaultsAreMended(t *testing.T) {
	for k, fault := range validatetest.Faults {
		for seed := range uint64(4) {
			text, _ := fault.Plant(seed*1000 + uint64(k))
			plan, new := repaired(t, text)
			result := findings(t, new)
			name := fmt.Sprintf("%s %s (seed %d)", fault.Code, fault.Name, seed)
			if len(plan.Left) > 0 {
				t.Errorf("%s: left %+v", name, plan.Left)
			}
			for _, f := range result.Findings {
				if f.Severity == validate.Error {
					t.Errorf("%s: still %s in line %d: %s\n%s\n%s", name, f.Rule.Code, f.Line, f.Message(), words(plan), new)
				}
			}
			isLeft := fault.Code == "CL412" || fault.Code == "CL410" // the next message mends it
			if result.Verdict.Answer() != "accepted" && !isLeft {
				t.Errorf("%s: the API says %+v\n%s\n%s", name, result.Verdict, words(plan), new)
			}
			if fault.Code != "CL701" && mends(fault.Code) != (len(plan.Mends) > 0) { // its image is none
				t.Errorf("%s: %d changes: %s", name, len(plan.Mends), words(plan))
			}
			again, same := repaired(t, new)
			if len(again.Mends) > 0 || !bytes.Equal(same, new) {
				t.Errorf("%s: repaired twice: %s", name, words(again))
			}
			if seed == 0 {
				t.Logf("%s\n%s", name, words(plan))
			}
		}
	}
}

func words(p *Plan) string {
	var b strings.Builder
	for _, m := range p.Mends {
		fmt.Fprintf(&b, "  line %d %s [%s]: %s; %s; also %d\n", m.Line, m.Code, m.EntryID, m.Change, m.Cost, m.AlsoLines)
	}
	return b.String()
}

// A transcript with more problems than fit into memory is left alone, with the reason.
func TestTooManyProblems(t *testing.T) {
	defer func(most int) { maxProblems = most }(maxProblems)
	maxProblems = 10
	plan, new := repaired(t, []byte(strings.Repeat("{}\n", 20)))
	if len(plan.Mends) > 0 || len(plan.Left) == 0 || string(new) != strings.Repeat("{}\n", 20) {
		t.Fatalf("%d mends, %d left: %q", len(plan.Mends), len(plan.Left), new)
	}
	for _, left := range plan.Left {
		if left.Change != "left alone: the transcript has more than 10 problems" {
			t.Errorf("%+v", left)
		}
	}
}
