package tokens

import (
	"strings"
	"testing"

	"clawctl/pkg/jsonl"
)

// The expected values are those of pi 0.73.1.
func TestEstimate(t *testing.T) {
	for message, want := range map[string]int{
		`{"role":"user","content":"12345"}`: 2,
		`{"role":"user","content":[{"type":"text","text":"1234"},{"type":"image","data":"AAAA"}]}`:          1,
		`{"role":"user","content":"\ud83d\ude00é"}`:                                                         1,
		`{"role":"assistant","content":"a bare string counts nothing"}`:                                     0,
		`{"role":"assistant","content":[{"type":"thinking","thinking":"1234"},{"type":"text","text":"5"}]}`: 2,
		// {"a":"bA\n"}
		`{"role":"assistant","content":[{"type":"toolCall","name":"read","arguments":{"a": "b\u0041\n" }}]}`:      4,
		`{"role":"assistant","content":[{"type":"toolCall","name":"x","arguments":{"n":1.0,"l":[1, 2],"e":{}}}]}`: 7,
		`{"role":"toolResult","content":[{"type":"text","text":"1234"},{"type":"image","data":"AAAA"}]}`:          1201,
		`{"role":"custom","content":"12345678"}`:                 2,
		`{"role":"bashExecution","command":"ls","output":"abc"}`: 2,
		`{"role":"nobody","content":"12345678"}`:                 0,
	} {
		line := `{"type":"session","version":3,"id":"s"}` + "\n" + `{"type":"message","id":"a","message":` + message + "}\n"
		for rec := range jsonl.NewReader(strings.NewReader(line), jsonl.Options{}).All() {
			if m, ok := rec.Message(); ok && Estimate(m) != want {
				t.Errorf("%s: %d, want %d", message, Estimate(m), want)
			}
		}
	}
}
