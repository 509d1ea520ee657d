package atifcheck

import (
	"strings"
	"testing"
)

const valid = `{"schema_version":"ATIF-v1.7","session_id":"s","agent":{"name":"pi","version":"1"},"steps":[` +
	`{"step_id":1,"source":"user","message":"hi","timestamp":"2026-05-01T10:00:00.000Z"},` +
	`{"step_id":2,"source":"agent","message":"","llm_call_count":1,` +
	`"tool_calls":[{"tool_call_id":"c","function_name":"ls","arguments":{}}],` +
	`"observation":{"results":[{"source_call_id":"c","content":"a"}]},"metrics":{"prompt_tokens":1}}]}`

// A checker that refuses nothing would make every test of a trajectory pass.
func TestCheck(t *testing.T) {
	if problems := Check([]byte(valid)); problems != nil {
		t.Fatal(problems)
	}
	for _, test := range []struct{ old, new, want string }{
		{`}]}`, `}]`, "not JSON"},
		{`v1.7`, `v2.0`, "schema_version"},
		{`"session_id"`, `"sessionId"`, "unknown field sessionId"},
		{`"session_id":"s"`, `"session_id":1`, "must be a string"},
		{`"agent":{"name":"pi","version":"1"},`, ``, "agent is missing"},
		{`"version":"1"`, `"model_name":"m"`, "version is missing"},
		{`"step_id":2`, `"step_id":3`, "step_id must be 2"},
		{`"source":"user"`, `"source":"human"`, "must be one of"},
		{`2026-05-01T10:00:00.000Z`, `yesterday`, "ISO 8601"},
		{`"message":"hi"`, `"message":null`, "must be a list"},
		{`"message":"hi"`, `"message":"hi","metrics":{}`, "only steps of the agent"},
		{`"message":"hi"`, `"message":"hi","observation":{"results":[]}`, "steps of the user"},
		{`"message":"hi"`, `"message":[{"type":"text","source":{"media_type":"image/png","path":"x"}}]`, "a text part"},
		{`"message":"hi"`, `"message":[{"type":"image","source":{"media_type":"image/bmp","path":"x"}}]`, "must be one of"},
		{`"source_call_id":"c"`, `"source_call_id":"d"`, "not a call of the step"},
		{`"arguments":{}`, `"arguments":"{}"`, "must be an object"},
		{`"prompt_tokens":1`, `"prompt_tokens":1.5`, "must be an integer"},
		{`"prompt_tokens":1`, `"cost_usd":"1"`, "must be a number"},
		{`"llm_call_count":1`, `"llm_call_count":0`, "no model was called"},
		{`"content":"a"`, `"subagent_trajectory_ref":[{"session_id":"x"}]`, "trajectory_path is missing"},
		{`"arguments":{}}`, `"arguments":{}},{"tool_call_id":"c","function_name":"ls","arguments":{}}`, "two calls"},
	} {
		problems := strings.Join(Check([]byte(strings.Replace(valid, test.old, test.new, 1))), "\n")
		if !strings.Contains(problems, test.want) {
			t.Errorf("%s instead of %s: got %q, want %q", test.new, test.old, problems, test.want)
		}
	}
}
