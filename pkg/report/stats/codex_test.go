package stats

import (
	"fmt"
	"testing"
)

// codexLine returns a line of a rollout, written the given number of seconds after 10:00.
func codexLine(second int, kind, payload string) string {
	return fmt.Sprintf(`{"timestamp":"2026-05-01T10:%02d:%02d.000Z","type":%q,"payload":%s}`, second/60, second%60, kind,
		payload)
}

// codexHeader is the first line of a rollout.
func codexHeader(second int, id, more string) string {
	return codexLine(second, "session_meta", fmt.Sprintf(`{"id":%q,"cwd":"/w","cli_version":"0.77.0"%s}`, id, more))
}

// codexSays is what the user or the model says.
func codexSays(second int, role, text string) string {
	kind := map[string]string{"user": "input_text", "assistant": "output_text"}[role]
	return codexLine(second, "response_item",
		fmt.Sprintf(`{"type":"message","role":%q,"content":[{"type":%q,"text":%q}]}`, role, kind, text))
}

// codexTokens are an input, the part of it that was cached, and an output.
type codexTokens [3]int

func (c codexTokens) String() string {
	return fmt.Sprintf(`{"input_tokens":%d,"cached_input_tokens":%d,"output_tokens":%d,"total_tokens":%d}`, c[0], c[1],
		c[2],
		c[0]+c[2])
}

// codexCount is what the counter of the thread shows, and the usage of the last answer.
func codexCount(second int, total, last codexTokens) string {
	return codexLine(second, "event_msg",
		fmt.Sprintf(`{"type":"token_count","info":{"total_token_usage":%v,"last_token_usage":%v}}`, total, last))
}

// A counter counts the usage of the last answer whenever it changes, even if it goes back to begin again.
func TestCounters(t *testing.T) {
	for _, test := range []struct {
		name  string
		lines []string
		want  string // input, output, tokens that were cached, total, and answers with usage
	}{
		{"grows", []string{codexCount(1, codexTokens{100, 80, 5}, codexTokens{100, 80, 5}),
			codexCount(2, codexTokens{300, 180, 15}, codexTokens{200, 100, 10})}, "120 15 180 315 2"},
		{"is repeated", []string{codexCount(1, codexTokens{100, 80, 5}, codexTokens{100, 80, 5}),
			codexCount(2, codexTokens{100, 80, 5}, codexTokens{100, 80, 5})}, "20 5 80 105 1"},
		{"goes back", []string{codexCount(1, codexTokens{1000, 800, 50}, codexTokens{1000, 800, 50}),
			codexCount(2, codexTokens{300, 200, 30}, codexTokens{300, 200, 30}),
			codexCount(3, codexTokens{2100, 1700, 110}, codexTokens{1100, 900, 60})}, "500 140 1900 2540 3"},
		{"goes back and ends", []string{codexCount(1, codexTokens{1000, 800, 50}, codexTokens{1000, 800, 50}),
			codexCount(2, codexTokens{300, 200, 30}, codexTokens{300, 200, 30})}, "300 80 1000 1380 2"},
		{"begins again the same way", []string{codexCount(1, codexTokens{100, 0, 5}, codexTokens{100, 0, 5}),
			codexCount(2, codexTokens{200, 0, 10}, codexTokens{100, 0, 5}),
			codexCount(3, codexTokens{100, 0, 5}, codexTokens{100, 0, 5})}, "300 15 0 315 3"},
		{"is estimated", []string{codexCount(1, codexTokens{100, 80, 5}, codexTokens{100, 80, 5}),
			codexLine(2, "event_msg", `{"type":"token_count","info":{"total_token_usage":{"input_tokens":0,"total_tokens":900},`+
				`"last_token_usage":{"input_tokens":0,"total_tokens":795}}}`),
			codexCount(3, codexTokens{300, 180, 15}, codexTokens{200, 100, 10})}, "120 15 180 315 2"},
		{"has only totals", []string{
			codexLine(1, "event_msg", `{"type":"token_count","info":{"total_token_usage":{"input_tokens":5,"total_tokens":5}}}`),
			codexLine(2, "event_msg", `{"type":"token_count","info":{"total_token_usage":{"input_tokens":8,"total_tokens":8}}}`),
		}, "8 0 0 8 2"},
		{"is left for records of each answer", []string{
			codexLine(1, "token_usage_record", `{"response_id":"r1","usage":`+codexTokens{100, 80, 5}.String()+`}`),
			codexCount(1, codexTokens{100, 80, 5}, codexTokens{100, 80, 5}),
			codexLine(2, "token_usage_record", `{"response_id":"r1","usage":`+codexTokens{100, 80, 5}.String()+`}`),
			codexCount(2, codexTokens{300, 180, 15}, codexTokens{200, 100, 10})}, "20 5 80 105 1"},
	} {
		lines := append([]string{codexHeader(0, "t", ""), codexSays(1, "user", "hi")}, test.lines...)
		s := transcript(t, t.TempDir(), "s.jsonl", lines...)
		counted := collect(t, Options{}, s).Total
		u := counted.Recorded
		got := fmt.Sprint(u.Input, u.Output, u.CacheRead, u.Total, counted.Work)
		if got != test.want {
			t.Errorf("a counter that %s: %s, want %s", test.name, got, test.want)
		}
	}
}
