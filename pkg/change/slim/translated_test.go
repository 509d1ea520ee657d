package slim

import (
	"encoding/base64"
	"strings"
	"testing"

	"clawctl/pkg/jsonl"
)

// Of a line that another program wrote, a value goes only if the line has it as the translation does.
func TestTranslatedLines(t *testing.T) {
	long := jsonl.Quote(strings.Repeat("row\n", 300))
	escaped := `"` + strings.Repeat(`\u0041\/`, 300) + `"`
	image := `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` +
		base64.StdEncoding.EncodeToString([]byte(strings.Repeat("\x89PNG", 300))) + `"}}`
	claude := func(content, result string) string {
		return `{"type":"user","uuid":"u","sessionId":"s","message":{"role":"user","content":[{"type":"tool_result",` +
			`"tool_use_id":"c","content":` + content + `}]},"toolUseResult":` + result + "}\n"
	}
	codex := func(output string) string {
		return `{"timestamp":"2026-11-03T10:00:00.000Z","type":"response_item","payload":{"type":"function_call_output",` +
			`"call_id":"c","output":` + output + "}}\n"
	}
	url := `[{"type":"input_image","image_url":"data:image/png;base64,` + strings.Repeat("AAAA", 300) + `"}]`
	tests := []struct {
		name, line string
		moved      int
		left       string // in the copy
	}{
		{"result and details", claude(long, `{"stdout":`+long+`}`), 2, `"toolUseResult":{}`},
		{"result twice", claude(long, long), 2, `"toolUseResult":"row\n`},
		{"blocks", claude(`[{"type":"text","text":`+long+`},`+image+`]`, `{}`), 2, `bytes of image/png moved`},
		{"escapes", claude(escaped, `{}`), 1, `"content":"A/A/`},
		{"short", claude(`"tool_result"`, `{}`), 0, `"type":"tool_result"`},
		{"codex", codex(long), 1, `"call_id":"c","output":"row\n`},
		{"codex's texts", codex(`[{"type":"input_text","text":` + long + `}]`), 1, `[{"type":"input_text","text":"row\n`},
		{"an image inside of a URL", codex(url), 0, url},
		{"tools, which the translation quotes", strings.Replace(codex(`0,"tools":[`+long+`]`), "function_call_output",
			"tool_search_output", 1), 0, `"tools":["row\n`},
	}
	for _, test := range tests {
		small, m, kept, _ := slimmed(t, test.line, Options{Over: 5})
		wantRestored(t, test.line, small, m, kept)
		if len(m.Cuts) != test.moved || !strings.Contains(small, test.left) {
			t.Errorf("%s: moved %d, want %d\n%s", test.name, len(m.Cuts), test.moved, small)
		}
		for rec := range jsonl.Records(strings.NewReader(small), jsonl.Options{}) {
			if m, ok := rec.Message(); !ok || m.Role() != jsonl.RoleToolResult {
				t.Errorf("%s: the copy is not a result\n%s", test.name, small)
			}
		}
	}
}
