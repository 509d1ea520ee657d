package stats

import (
	"encoding/json"
	"testing"
	"time"
)

func mustParse(text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return at
}

// The names and the order of the fields are a contract.
func TestReportFields(t *testing.T) {
	for _, c := range []struct {
		opts Options
		want string
	}{
		{Options{}, `{"schema_version":1,"sessions":2,"records":9,"messages":7,"turns":3,"tool_calls":4,"tool_errors":1,` +
			`"tool_error_rate":0.25,` +
			`"recorded":{"input":10,"output":5,"cache_read":0,"cache_write":0,"total":15,"cost_usd":0.3},` +
			`"prices":{"recorded":2,"zero":1,"missing":0},"priced_usd":null,` +
			`"answers":3,"failed_answers":0,"usage_known":true,"cost_known":true,"by":{},"coverage":{` +
			`"kinds":{"archive":0,"backup":0,"checkpoint":0,"deleted":0,"live":2,"reset":0},` +
			`"first":"2026-05-01T10:00:00Z","last":"2026-05-04T10:00:00Z","days":2,"empty_days":2,"answers":3,` +
			`"answers_without_usage":0,"answers_without_price":0,"copied_records":0,"copied_sessions":0,"mirrors":0,` +
			`"damaged_lines":0,"undated_messages":0,"harness_sessions":0,` +
			`"joined_sessions":0,"joined_records":0,"joined_tokens":0,` +
			`"joined_copies":0,"unreadable_sessions":0,"problems":0,"claims":1,` +
			`"claimed_input":30,"claimed_output":0,"claimed_to_recorded":2,"answers_with_price":2,"answers_zero_price":1,` +
			`"answers_priced":null,"answers_unmatched":null,` +
			`"first_day":"2026-05-01","last_day":"2026-05-04"},"timezone":"UTC"}`},
		{allOptions(), `{"schema_version":1,"sessions":2,"records":9,"messages":7,"turns":3,"tool_calls":4,"tool_errors":1,` +
			`"tool_error_rate":0.25,` +
			`"recorded":{"input":10,"output":5,"cache_read":0,"cache_write":0,"total":15,"cost_usd":0.3},` +
			`"counted":{"tokens":99},"prices":{"recorded":2,"zero":1,"missing":0},"priced_usd":1.5,` +
			`"answers":3,"failed_answers":0,"usage_known":true,"cost_known":true,` +
			`"priced":{"cost_usd":1.75,"answers":3,"share":0.75},"estimated":{"cost_usd":2.5,"answers":4,"share":1},` +
			`"far_prices":1,"by":{},"coverage":{` +
			`"kinds":{"archive":0,"backup":0,"checkpoint":0,"deleted":0,"live":2,"reset":0},` +
			`"first":"2026-05-01T10:00:00Z","last":"2026-05-04T10:00:00Z","days":2,"empty_days":2,"answers":3,` +
			`"answers_without_usage":0,"answers_without_price":0,"copied_records":0,"copied_sessions":0,"mirrors":0,` +
			`"damaged_lines":0,"undated_messages":0,"harness_sessions":0,` +
			`"joined_sessions":0,"joined_records":0,"joined_tokens":0,` +
			`"joined_copies":0,"unreadable_sessions":0,"problems":0,"claims":1,` +
			`"claimed_input":30,"claimed_output":0,"claimed_to_recorded":2,` +
			`"estimate":"counted tokens are exact for OpenAI's encodings and an estimate for other models",` +
			`"answers_with_price":2,"answers_zero_price":1,"answers_priced":2,"answers_unmatched":1,` +
			`"unmatched_models":["p/m"],"first_day":"2026-05-01","last_day":"2026-05-04"},"timezone":"UTC"}`},
	} {
		got, err := json.Marshal(NewReport(filled(), c.opts, 0).totals())
		if err != nil || string(got) != c.want {
			t.Errorf("%v\n%s\nwant\n%s", err, got, c.want)
		}
	}
}

// Groups are sorted by size, top keeps the largest, and periods stay in the order of time.
func TestReportGroups(t *testing.T) {
	r := filled()
	r.By["day"] = map[string]*Tally{"2026-05-01": {Messages: 1}, "2026-05-02": {Messages: 3}, "2026-05-03": {Messages: 2}}
	names := func(top int) (list string) {
		for _, g := range NewReport(r, Options{By: []string{"model", "day"}}, top).Groups() {
			list += g.By + ":" + g.Name + " "
		}
		return list
	}
	if got := names(0); got != "model:b model:a day:2026-05-01 day:2026-05-02 day:2026-05-03 " {
		t.Error(got)
	}
	if got := names(2); got != "model:b model:a day:2026-05-02 day:2026-05-03 " {
		t.Error(got)
	}
	groups := NewReport(r, Options{}, 0).Groups()
	if len(groups) != 1 || groups[0].Name != "total" || groups[0].Messages != 7 {
		t.Errorf("%+v", groups)
	}
}
