package claudecode

import (
	"encoding/json"
	"testing"

	"clawctl/pkg/jsontext"
)

// Every line that is an object becomes nothing, or an object.
func FuzzTranslate(f *testing.F) {
	for _, line := range fuzzLines {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		var fields map[string]any
		if json.Unmarshal([]byte(line), &fields) != nil || fields == nil {
			return
		}
		for _, kind := range Types() {
			form := Translate(nil, kind, &jsontext.Outline{Text: jsontext.Value(line)})
			if len(form) > 0 && (form[0] != '{' || !json.Valid(form)) {
				t.Errorf("%s of type %s became %s", line, kind, form)
			}
		}
	})
}

var fuzzLines = []string{
	row(user, `"message":{"content":[{"type":"tool_result","content":[{"type":"text","text":"x"}]}]},"toolUseResult":1`),
	row(assistant, `"message":{"id":"m","model":"o","content":"x","usage":{"input_tokens":"1"}}`),
	row(system, `"subtype":"compact_boundary","compactMetadata":{"preservedSegment":[]}`),
	row(attachment, `"attachment":{"type":1},"rendered":[{"content":[1,"x",{"type":"text"}]},2]`),
	`{"leafUuid":1,"sessionId":"s","totalCostUSD":1e3,"summary":"x","mode":{},"keep":[]}`,
}
