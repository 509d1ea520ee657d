package claw0

import (
	"testing"

	"clawctl/pkg/jsontext"
)

func TestTranslate(t *testing.T) {
	for _, test := range []struct{ kind, line, want string }{
		{User, `{"type":"user","content":"x","ts":1.5}`,
			`{"type":"message","timestamp":1.5,"message":{"role":"user","content":"x"}}`},
		{Assistant, `{"content":[{"type":"text","text":"x"}],"type":"assistant","ts":"2026-01-01T00:00:00"}`,
			`{"type":"message","timestamp":"2026-01-01T00:00:00",` +
				`"message":{"role":"assistant","content":[{"type":"text","text":"x"}]}}`},
		{ToolUse, `{"type":"tool_use","tool_use_id":"c","name":"n","input":{}}`,
			`{"type":"message","continues":true,"message":{"role":"assistant",` +
				`"content":[{"type":"tool_use","tool_use_id":"c","name":"n","input":{}}]}}`},
		{ToolResult, `{"type":"tool_result","tool_use_id":"c","output":"x"}`,
			`{"type":"message","message":{"role":"toolResult","tool_use_id":"c","content":"x"}}`},
		{ToolResult, `{"type":"tool_result","tool_use_id":"c","content":{"a":1},"is_error":true,"output":"no"}`,
			`{"type":"message","message":{"role":"toolResult","tool_use_id":"c","isError":true,"content":{"a":1}}}`},
		{User, `{"type":"user","id":"a","parentId":null,"ts":"never","content":null}`,
			`{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":null}}`},
		{User, `{"type":"user","message":{"role":"user","content":"of another program"}}`, ``},
	} {
		if got := string(Translate(nil, test.kind, &jsontext.Outline{Text: jsontext.Value(test.line)})); got != test.want {
			t.Errorf("%s became\n%s, want\n%s", test.line, got, test.want)
		}
	}
}

// The lines that repair adds are lines of the same form.
func TestNewLines(t *testing.T) {
	at := jsontext.Value(`{"type":"tool_use","ts":"2026-01-01T00:00:00"}`)
	for _, line := range [][]byte{NewPrompt(at, "x"), MissingResult(Flat, at, "c")} {
		kind := jsontext.Value(line).Get("type").String()
		if form := Detect(kind, line); form != Flat {
			t.Errorf("%s has form %d", line, form)
		}
	}
	at = jsontext.Value(`{"type":"tool_use","ts":1777629601.5}`)
	if line := MissingResult(Guard, at, "c"); Detect(ToolResult, line) != Guard {
		t.Errorf("%s is not of the newer form", line)
	}
}
