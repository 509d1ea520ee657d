package stats

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
)

// Conditions are checked completely before any transcript is read.
func TestParseCondition(t *testing.T) {
	for _, text := range []string{
		"recorded.input > 5e6", "sessions>=1", "  turns\t!= 3 ", "recorded.cost_usd > 20", "coverage.claimed_to_recorded<1",
		"coverage.kinds.backup > 0", "coverage.problems == 0", "tool_error_rate <= .5", "prices.zero > 1_000",
		"schema_version == 1", "coverage.answers_zero_price > 0",
	} {
		if _, err := ParseCondition(text, Options{}); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"counted.tokens > 1", "priced_usd > 20", "coverage.answers_unmatched > 0"} {
		if _, err := ParseCondition(text, allOptions()); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestConditionErrors(t *testing.T) {
	for _, c := range []struct {
		text    string
		problem ConditionProblem
		want    string
	}{
		{"much", ConditionForm, `expected a condition like 'recorded.input > 5e6', got "much"`},
		{"sessions > many", ConditionForm, `expected a condition like 'recorded.input > 5e6', got "sessions > many"`},
		{"sessions > 1-2", ConditionNumber, `"1-2" is not a number`},
		{"recorded.moon > 1", ConditionUnknown, `unknown field "recorded.moon"`},
		{"coverage.kinds.moon > 1", ConditionUnknown, `unknown field "coverage.kinds.moon"`},
		{"Dimensions > 1", ConditionUnknown, `unknown field "Dimensions"`},
		{"recorded > 1", ConditionText, `the field "recorded" is not a number`},
		{"coverage.first > 1", ConditionText, `the field "coverage.first" is not a number`},
		{"by > 1", ConditionText, `the field "by" is not a number`},
		{"counted.tokens > 1", ConditionUnset, `the field "counted.tokens" is not collected`},
		{"priced_usd > 1", ConditionUnset, `the field "priced_usd" is not collected`},
	} {
		_, err := ParseCondition(c.text, Options{})
		var e *ConditionError
		if !errors.As(err, &e) || e.Problem != c.problem || e.Text != c.text || e.Error() != c.want {
			t.Errorf("%s: %+v", c.text, err)
		}
	}
}

// filled returns a report with every field set.
func filled() *Result {
	at := mustParse("2026-05-01T10:00:00Z")
	return &Result{
		Total: Tally{
			Sessions: 2, Records: 9, Messages: 7, Turns: 3, ToolCalls: 4, ToolErrors: 1, Answers: 3, ZeroPrice: 1, WithPrice: 2,
			Work: 3, UsageStated: 3, CostStated: 3,
			Recorded: jsonl.Usage{Input: 10, Output: 5, Total: 15, Cost: 0.1 + 0.2, HasCost: true},
			Priced:   1.5, PricedAnswers: 2, Unmatched: 1, Counted: 99,
			Listed: 1.75, ListedAnswers: 3, Unlisted: 1, Estimated: 2.5, EstimatedAnswers: 4, FarPrices: 1,
		},
		By: map[string]map[string]*Tally{"model": {"a": {Messages: 1}, "b": {Messages: 2}}},
		Coverage: Coverage{
			Kinds: map[source.Kind]int64{source.Live: 2}, First: at, Last: at.AddDate(0, 0, 3), Days: 2,
			Claims: 1, ClaimedInput: 30, ClaimsOf: jsonl.Usage{Input: 15}, Unmatched: []string{"p/m"},
		},
	}
}

func TestConditionHolds(t *testing.T) {
	report := NewReport(filled(), allOptions(), 0)
	for text, want := range map[string]bool{
		"recorded.input > 9": true, "recorded.input > 10": false, "recorded.input >= 10": true, "recorded.input < 11": true,
		"recorded.input <= 9": false, "sessions == 2": true, "sessions != 2": false, "recorded.cost_usd == 0.3": true,
		"coverage.kinds.live > 1": true, "coverage.kinds.backup > 0": false, "coverage.claimed_to_recorded == 2": true,
		"counted.tokens == 99": true, "priced_usd > 1": true, "coverage.empty_days == 2": true,
		"tool_error_rate == .25": true,
	} {
		c, err := ParseCondition(text, allOptions())
		if err != nil || c.Check(report).Holds != want || c.String() != text {
			t.Errorf("%s: %v %v, want %v", text, c.Check(report), err, want)
		}
	}
}

// A value is unknown if there are answers and none has it. A recorded 0, and that of an empty period, is known.
func TestUnknownValues(t *testing.T) {
	for _, test := range []struct {
		name, condition string
		total           Tally
		want            Verdict
	}{
		{"nothing", "recorded.cost_usd < 1", Tally{}, Verdict{Holds: true}},
		{"nothing", "recorded.total == 0", Tally{}, Verdict{Holds: true}},
		{"nothing", "priced_usd < 1", Tally{}, Verdict{Holds: true}},
		{"nothing", "coverage.claimed_to_recorded < 9", Tally{}, Verdict{IsAbsent: true}},
		{"no tokens", "recorded.input < 1", Tally{Work: 2}, Verdict{IsUnknown: true, Lacking: 2}},
		{"no price", "recorded.cost_usd < 1", Tally{Work: 2, UsageStated: 2}, Verdict{IsUnknown: true, Lacking: 2}},
		{"no price", "recorded.total < 1", Tally{Work: 2, UsageStated: 2}, Verdict{Holds: true}},
		{"zero", "recorded.cost_usd < 1", Tally{Work: 2, UsageStated: 2, CostStated: 2}, Verdict{Holds: true}},
		{"some", "recorded.cost_usd > 1", Tally{Work: 3, UsageStated: 2, CostStated: 1}, Verdict{Lacking: 2}},
		{"some", "recorded.output < 1", Tally{Work: 3, UsageStated: 2}, Verdict{Holds: true, Lacking: 1}},
		{"no match", "priced_usd < 1", Tally{Work: 3, UsageStated: 3, Unmatched: 3},
			Verdict{IsUnknown: true, Lacking: 3}},
		{"a match", "priced_usd < 1", Tally{Work: 3, UsageStated: 3, Unmatched: 2, PricedAnswers: 1},
			Verdict{Holds: true, Lacking: 2}},
		{"messages", "messages < 1", Tally{Work: 2}, Verdict{Holds: true}},
	} {
		c, err := ParseCondition(test.condition, allOptions())
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Check(NewReport(&Result{Total: test.total}, allOptions(), 0)); got != test.want {
			t.Errorf("%s: %s: %+v, want %+v", test.name, test.condition, got, test.want)
		}
	}
}

// The fields of conditions are exactly the numbers in the JSON report.
func TestConditionFields(t *testing.T) {
	var object map[string]any
	text, err := json.Marshal(NewReport(filled(), allOptions(), 0))
	if err != nil || json.Unmarshal(text, &object) != nil {
		t.Fatal(err)
	}
	delete(object, "by")
	var want []string
	var walk func(path string, object map[string]any)
	walk = func(path string, object map[string]any) {
		for name, value := range object {
			switch v := value.(type) {
			case float64:
				want = append(want, path+name)
			case map[string]any:
				walk(path+name+".", v)
			}
		}
	}
	walk("", object)
	slices.Sort(want)
	var got []string
	for name, field := range emptyFields(allOptions()) {
		if field.isNumber {
			got = append(got, name)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("conditions have\n%v\nthe report has\n%v", got, want)
	}
}
