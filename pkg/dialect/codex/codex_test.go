package codex

import (
	"testing"

	"clawctl/pkg/jsontext"
)

func TestTranslate(t *testing.T) {
	const answer = `"role":"assistant","provider":"openai","api":"openai-responses","usage":null`
	for _, test := range []struct{ kind, payload, want string }{
		{meta, `{"id":"t","cwd":"/w","base_instructions":{"text":"x"},"forked_from_id":"p",` +
			`"history_base":{"thread_id":"p","end_byte_offset":9}}`,
			`"session",T,"version":3,"id":"t","cwd":"/w","systemMessage":{"role":"system","content":"x"},` +
				`"history":{"session":"p","bytes":9},"parentSession":"p"`},
		{turn, `{"model":"m"}`, `"model_change",T,"provider":"openai","modelId":"m"`},
		{item, `{"type":"message","id":"i","role":"user","content":[{"type":"input_text","text":"x"},` +
			`{"type":"input_image","image_url":"data:image/png;base64,QUJD"}]}`,
			`"message",T,"message":{"role":"user","content":[{"type":"text","text":"x"},` +
				`{"type":"image","mimeType":"image/png","data":"QUJD"}]}`},
		{item, `{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>"}]}`,
			`"custom_message",T,"display":false,"customType":"context","content":` +
				`[{"type":"text","text":"<environment_context>"}]`},
		{item, `{"type":"message","role":"developer","content":[]}`,
			`"custom_message",T,"display":false,"customType":"developer","content":[]`},
		{item, `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"x"}]}`,
			`"message",T,"message":{` + answer + `,"content":[{"type":"text","text":"x"}]}`},
		{item, `{"type":"reasoning","summary":[{"text":"a"},{"text":"b"}],"encrypted_content":"s"}`,
			`"message",T,"message":{` + answer +
				`,"content":[{"type":"thinking","thinking":"a\n\nb","thinkingSignature":"s"}]}`},
		{item, `{"type":"function_call","name":"n","arguments":"{}","call_id":"c"}`,
			`"message",T,"message":{` + answer + `,"content":[{"type":"toolCall","id":"c","name":"n","arguments":"{}"}]}`},
		{item, `{"type":"custom_tool_call","name":"n","input":"x","call_id":"c"}`,
			`"message",T,"message":{` + answer +
				`,"content":[{"type":"toolCall","id":"c","name":"n","arguments":{"input":"x"}}]}`},
		{item, `{"type":"tool_search_call","arguments":{"q":1},"call_id":"c"}`,
			`"message",T,"message":{` + answer +
				`,"content":[{"type":"toolCall","id":"c","name":"tool_search","arguments":{"q":1}}]}`},
		{item, `{"type":"function_call_output","call_id":"c","output":"x"}`,
			`"message",T,"message":{"role":"toolResult","toolCallId":"c","content":"x"}`},
		{compact, `{"message":"m","replacement_history":[{"type":"compaction"}]}`,
			`"compaction",T,"summary":"m","messages":[{"role":"custom","customType":"compaction","content":[],` +
				`"stated":{"type":"compaction"}}]`},
		{usage, `{"response_id":"r","usage":{"input_tokens":9,"cached_input_tokens":4,"output_tokens":2,"total_tokens":11}}`,
			`"usage",T,"kind":"reply","usage":{"series":"r","input":5,"output":2,"cacheRead":4,"cacheWrite":0,` +
				`"totalTokens":11}`},
		{event, `{"type":"token_count","info":{"total_token_usage":{"input_tokens":1}}}`,
			`"usage",T,"kind":"reply","usage":{"series":"thread","fallback":true,"input":1,"output":0,"cacheRead":0,` +
				`"cacheWrite":0,"totalTokens":0}`},
		{event, `{"type":"token_count","info":{"total_token_usage":{"input_tokens":9,"cached_input_tokens":4,` +
			`"output_tokens":2,"total_tokens":11},"last_token_usage":{"input_tokens":3,"cached_input_tokens":1,` +
			`"output_tokens":1,"total_tokens":4}}}`,
			`"usage",T,"kind":"reply","usage":{"series":"thread","fallback":true,"counter":"9 4 2 11 ","input":2,"output":1,` +
				`"cacheRead":1,"cacheWrite":0,"totalTokens":4}`},
		{event, `{"type":"token_count","info":{"total_token_usage":{"total_tokens":9},` +
			`"last_token_usage":{"input_tokens":0,"output_tokens":0,"total_tokens":9}}}`,
			`"custom",T,"customType":"token_count"`},
		{event, `{"type":"token_count","info":null}`, `"custom",T,"customType":"token_count"`},
		{event, `{"type":"thread_rolled_back","num_turns":2}`, `"rollback",T,"turns":2`},
		{"world_state", `{}`, `"custom",T,"customType":"world_state"`},
	} {
		line := `{"timestamp":"2026","type":"` + test.kind + `","payload":` + test.payload + `}`
		want := `{"type":` + replaceTime(test.want) + `}`
		if got := string(Translate(nil, test.kind, &jsontext.Outline{Text: jsontext.Value(line)})); got != want {
			t.Errorf("%s became\n%s, want\n%s", line, got, want)
		}
	}
	other := &jsontext.Outline{Text: jsontext.Value(`{"type":"event_msg","text":"of another program"}`)}
	if got := Translate(nil, event, other); len(got) > 0 {
		t.Errorf("the line of another program became %s", got)
	}
}

// replaceTime puts the time of the lines in place of the first T.
func replaceTime(text string) string {
	for i := range text {
		if text[i] == 'T' {
			return text[:i] + `"timestamp":"2026"` + text[i+1:]
		}
	}
	return text
}

func TestNames(t *testing.T) {
	const id = "01a1e6b8-0000-7000-8000-000000000001"
	const rollout = "01a1e6b8-0000-7000-8000-000000000009"
	for stem, want := range map[string][2]string{
		"rollout-2026-11-01T10-00-00-" + id:                 {id},
		"rollout-2026-11-01T10-00-00-" + id + "_" + rollout: {id, rollout},
		"rollout-short": {}, id: {},
	} {
		if thread, state := FileID(stem); thread != want[0] || state != want[1] {
			t.Errorf("%s: %q, %q", stem, thread, state)
		}
	}
	for folder, want := range map[string]bool{
		"/home/ada/.codex/sessions/2026/11/01": true, "/home/ada/agents/main/sessions": false, "/home/ada/2026/11/01": false,
	} {
		if OwnsFolder(folder) != want {
			t.Errorf("%s: %t", folder, !want)
		}
	}
}
