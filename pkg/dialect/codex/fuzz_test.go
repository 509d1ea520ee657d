package codex

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
	`{"timestamp":"t","payload":{"type":"message","content":[{"type":"input_image","image_url":"data:a;base64,"}]}}`,
	`{"timestamp":"t","payload":{"type":"reasoning","summary":[{"text":"x"}],"content":null}}`,
	`{"timestamp":"t","payload":{"type":"function_call","arguments":1,"call_id":[]}}`,
	`{"timestamp":"t","payload":{"replacement_history":[1,"x",{"type":"message","role":"user","content":"x"}]}}`,
	`{"timestamp":"t","payload":{"usage":{"input_tokens":-5,"cached_input_tokens":1e99},"id":1,"history_base":{}}}`,
}
