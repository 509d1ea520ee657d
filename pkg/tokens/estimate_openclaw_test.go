package tokens

import (
	"strings"
	"testing"

	"clawctl/pkg/jsonl"
)

// The expected values are those of OpenClaw 2026.9.6.
func TestEstimateOpenClaw(t *testing.T) {
	for _, test := range []struct {
		want    int
		message string
	}{
		{2, `{"role":"user","content":"12345"}`},
		{3, `{"role":"user","content":[{"type":"text","text":"1234"},{"type":"text","text":"5678"}]}`},
		{2015, `{"role":"user","content":[{"type":"text","text":"1234"},{"type":"image","data":"AAAA"}]}`},
		{4025, `{"role":"user","content":[{"type":"image","data":"AAAA"},{"type":"novel"},{"type":"image","data":"AAAA"}]}`},
		{17, `{"role":"user","content":[{"type":"tool_result","content":"12345678"},{"type":"toolResult","content":[]}]}`},
		{3, `{"role":"user","content":"日本語"}`},
		{5, `{"role":"user","content":"한국어 ·"}`},
		{10, `{"role":"user","content":"𠀀㐀ｱ😀"}`},
		{11, `{"role":"user","content":"hi","__openclaw":{"senderId":" 42 ","senderName":"王\"小\"","senderUsername":" "}}`},
		{1, `{"role":"user","content":"hi","__openclaw":{"senderName":"Ann"}}`},
		{0, `{"role":"user","content":"hidden","excludeFromContext":true}`},
		{2, `{"role":"user","content":"counted","excludeFromContext":"yes"}`},
		{2, `{"role":"assistant","content":[{"type":"thinking","thinking":"1234"},{"type":"text","text":"5"}]}`},
		{0, `{"role":"assistant","content":[{"type":"image","data":"AAAA"},{"type":"tool_use","name":"read","input":{}}]}`},
		{4, `{"role":"assistant","content":[{"type":"toolCall","name":"read","arguments":{"a": "b\u0041\n" }}]}`},
		{7, `{"role":"assistant","content":[{"type":"toolCall","name":"x","arguments":` +
			`{"n":-1.0,"l":[1, 2e21],"l":[1e-7],"e":{}}}]}`},
		{8, `{"role":"assistant","content":[{"type":"toolCall","name":"x","arguments":{"half":"\ud83d","键":"值"}}]}`},
		{4, `{"role":"assistant","content":[{"type":"toolCall","name":"call"}]}`},
		{2015, `{"role":"toolResult","content":[{"type":"text","text":"1234"},{"type":"image","data":"AAAA"}]}`},
		{2, `{"role":"custom","content":"12345678"}`},
		{2, `{"role":"bashExecution","command":"ls","output":"abc"}`},
		{0, `{"role":"nobody","content":"12345678"}`},
		{8, `{"role":"assistant","content":"a bare string has become a text"}`},
	} {
		if got := estimateOf(t, `{"type":"message","id":"a","message":`+test.message+"}"); got != test.want {
			t.Errorf("%s: %d, want %d", test.message, got, test.want)
		}
	}
}

// Records that are not messages have an estimate, too.
func TestEstimateOpenClawRecords(t *testing.T) {
	for _, test := range []struct {
		want   int
		record string
	}{
		{2, `{"type":"custom_message","id":"a","customType":"x","content":[{"type":"text","text":"中文"}]}`},
		{2, `{"type":"branch_summary","id":"a","summary":"12345"}`},
		{2, `{"type":"compaction","id":"a","summary":"12345678"}`},
	} {
		if got := estimateOf(t, test.record); got != test.want {
			t.Errorf("%s: %d, want %d", test.record, got, test.want)
		}
	}
}

// estimateOf returns the estimate of the only record of a transcript.
func estimateOf(t *testing.T, record string) (estimate int) {
	t.Helper()
	text := `{"type":"session","version":3,"id":"s"}` + "\n" + record + "\n"
	for rec, err := range jsonl.NewReader(strings.NewReader(text), jsonl.Options{}).All() {
		if err != nil {
			t.Fatal(err)
		}
		if rec.Type() != jsonl.TypeSession {
			estimate = EstimateOpenClaw(rec, rec.Role())
		}
	}
	return estimate
}
