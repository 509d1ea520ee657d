package rebuild

import (
	"strings"
	"testing"

	"clawctl/pkg/jsonl"
)

// codexSends returns the items that Codex sends of those in a rollout, which have no passthrough.
func codexSends(t *testing.T, items ...string) string {
	t.Helper()
	lines := []string{`{"timestamp":"2026-05-01T10:00:00.000Z","type":"session_meta","payload":{"id":"t","cwd":"/w"}}`}
	for _, item := range items {
		kind := "response_item"
		if strings.HasPrefix(item, `{"message":`) {
			kind = "compacted"
		}
		lines = append(lines, `{"timestamp":"2026-05-01T10:00:01.000Z","type":"`+kind+`","payload":`+item+`}`)
	}
	text := []byte(strings.Join(lines, "\n") + "\n")
	_, c := read(t, text, "")
	return string(gather(t, text, func(r *jsonl.Reader, emit func([]byte) error) error { return c.Native(r.All(), emit) }))
}

// What Codex 0.169 sends of items of all versions, as it was asked.
func TestCodexItems(t *testing.T) {
	const call, shell = `{"type":"function_call","name":"n","arguments":"{}","call_id":"c"}`,
		`{"type":"local_shell_call","call_id":"c","status":"completed","action":{"type":"exec","command":["ls"]}}`
	output := func(kind, output string) string {
		return `{"type":"` + kind + `_output","call_id":"c","output":` + output + `}`
	}
	custom := `{"type":"custom_tool_call","name":"n","input":"x","call_id":"c"}`
	aborted := output("function_call", `"aborted"`)
	for _, test := range []struct {
		name        string
		items, want []string // want is nil if they are sent as they are
	}{
		{"a message", []string{`{"type":"message","role":"developer","content":[]}`}, nil},
		{"a call and its output", []string{call, output("function_call", `"x"`)}, nil},
		{"a snapshot of an older version", []string{`{"type":"ghost_snapshot","ghost_commit":{"id":"a"}}`}, []string{}},
		{"items that are not known", []string{`{"type":"mcp_tool_call","content":"x"}`, `{"type":"configuration_update"}`,
			`{"type":"compaction_trigger"}`, `{"type":"additional_tools"}`,
			`{"type":"message","role":"system","content":[{"type":"input_text","text":"x"}]}`}, []string{}},
		{"items without a type", []string{`{"role":"user","content":[{"type":"input_text","text":"x"}]}`,
			`{"role":"developer","content":[]}`, `{"name":"n"}`}, []string{}},
		{"other items", []string{`{"type":"agent_message","content":[{"type":"encrypted_content","encrypted_content":"x"}]}`,
			`{"type":"additional_tools","role":"developer"}`, `{"type":"web_search_call","action":{}}`}, nil},
		{"a summary of an older version", []string{`{"type":"compaction_summary","encrypted_content":"x"}`},
			[]string{`{"type":"compaction","encrypted_content":"x"}`}},
		{"reasoning", []string{`{"type":"reasoning","summary":[]}`}, []string{
			`{"type":"reasoning","summary":[],"content":null}`}},
		{"an empty output", []string{call, output("function_call", `""`)}, nil},
		{"a list without parts", []string{call, output("function_call", `[]`)}, nil},
		{"empty texts", []string{custom, output("custom_tool_call",
			`[{"type":"input_text","text":""},{"type":"input_text","text":"x"},{"type":"input_text","text":""}]`)},
			[]string{custom, output("custom_tool_call", `[{"type":"input_text","text":"x"}]`)}},
		{"only empty texts", []string{call, output("function_call", `[{"type":"input_text","text":""}]`)},
			[]string{call, output("function_call", `[]`)}},
		{"an output without a call", []string{output("function_call", `"x"`)}, []string{}},
		{"a call without an output", []string{call}, []string{call, aborted}},
		{"outputs of a wrong form", []string{call, output("function_call", `{"content":"x"}`),
			output("function_call", `[{"type":"output_text","text":"x"}]`)}, []string{call, aborted}},
		{"a custom call without an output", []string{custom}, []string{custom, output("custom_tool_call", `"aborted"`)}},
		{"a command without an output", []string{shell}, []string{shell, aborted}},
		{"a search without an output", []string{`{"type":"tool_search_call","call_id":"c","arguments":{}}`},
			[]string{`{"type":"tool_search_call","call_id":"c","arguments":{}}`,
				`{"type":"tool_search_output","call_id":"c","status":"completed","execution":"client","tools":[]}`}},
		{"the prompts of a summary without a history", []string{`{"type":"message","id":"i","role":"user","content":[` +
			`{"type":"input_text","text":"<image name=[Image ` +
			`#1]>"},{"type":"input_image","image_url":"data:image/png;base64,AA=="},` +
			`{"type":"input_text","text":"</image>"},{"type":"input_text","text":"x"},{"type":"input_text","text":"y"}]}`, call,
			`{"message":"so far"}`, `{"type":"message","id":"j","role":"user","content":[]}`},
			[]string{`{"type":"message","id":"i","role":"user","content":[{"type":"input_text","text":"xy"}]}`,
				`{"type":"message","role":"user","content":[{"type":"input_text","text":"so far"}]}`,
				`{"type":"message","id":"j","role":"user","content":[]}`}},
		{"a history", []string{call, `{"message":"","replacement_history":[{"type":"ghost_snapshot"},` +
			`{"type":"message","role":"user","content":[{"type":"input_text","text":"x"}]},{"role":"user","content":[]}]}`},
			[]string{`{"type":"message","role":"user","content":[{"type":"input_text","text":"x"}]}`}},
	} {
		if test.want == nil {
			test.want = test.items
		}
		got, want := codexSends(t, test.items...), "["+strings.Join(test.want, ",")+"]"
		if got != want {
			t.Errorf("%s: got\n%s, want\n%s", test.name, got, want)
		}
	}
}
