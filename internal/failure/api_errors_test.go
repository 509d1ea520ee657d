package failure

import (
	"slices"
	"strings"
	"testing"
)

func TestDiagnose(t *testing.T) {
	tests := []struct {
		text, who string
		codes     string
	}{
		{"messages.5: tool_use ids were found without tool_result", "Anthropic", "CL301,CL304"},
		{"400 {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"messages.5: `tool_use` ids " +
			"were found without `tool_result` blocks immediately after: toolu_01. Each `tool_use` block must have a " +
			"corresponding `tool_result` block in the next message.\"}}", "Anthropic", "CL301,CL304"},
		{"messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_01. Each `tool_result` block " +
			"must have a corresponding `tool_use` block in the previous message.", "Anthropic", "CL302,CL304,CL307"},
		{"messages.1.content.0: Invalid `signature` in `thinking` block", "Anthropic", "CL403,CL703"},
		{"messages: first message must use the \"user\" role", "Anthropic", "CL401"},
		{"messages.2.content.0.image.source.base64.data: image exceeds 5 MB maximum", "Anthropic", "CL406"},
		{"The request body is not valid JSON: no low surrogate in string: line 1 column 120", "Anthropic", "CL407,CL014"},
		{"prompt is too long: 212000 tokens > 200000 maximum", "Anthropic", "CL916"},
		{"An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The " +
			"following tool_call_ids did not have response messages: call_1", "OpenAI", "CL301,CL304"},
		{"No tool output found for function call call_abc.", "OpenAI", "CL301"},
		{"Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
			"OpenAI", "CL302,CL307"},
		{"Invalid 'input[3].call_id': string too long. Expected a string with maximum length 64", "OpenAI", "CL404"},
		{"Please ensure that the number of function response parts is equal to the number of function call parts of the " +
			"function call turn.", "Google", "CL301,CL302,CL303"},
		{"The number of toolResult blocks at messages.2.content exceeds the number of toolUse blocks of previous turn.",
			"Bedrock", "CL302,CL303"},
		{"ValidationException: A conversation must start with a user message.", "Bedrock", "CL401"},
		{"Not the same number of function calls and responses", "Mistral", "CL301,CL302,CL303"},
		{"invalid_replay_transcript: OpenAI Responses replay contains dangling_tool_call toolCallId=x", "OpenClaw", "CL301"},
		{"something else", "", ""},
		{"4000 things", "", ""},
	}
	for _, test := range tests {
		d, ok := Diagnose(test.text)
		if d.Who != test.who || joinCodes(d.Codes) != test.codes || ok != (test.codes != "") {
			t.Errorf("%s: %+v %v, want %s %s", test.text, d, ok, test.who, test.codes)
		}
	}
}

// An error that does not say why means everything that an API refuses.
func TestDiagnoseRefusal(t *testing.T) {
	for _, text := range []string{"400", "HTTP 400: Bad Request", `{"error":{"type":"invalid_request_error"}}`} {
		d, ok := Diagnose(text)
		if !ok || d.Who != "" || len(d.Codes) < 15 || !slices.Contains(d.Codes, "CL301") {
			t.Errorf("%s: %+v", text, d)
		}
	}
}

// Every row has codes that exist, and finds itself.
func TestAPIErrors(t *testing.T) {
	for _, api := range apiErrors {
		for _, e := range api.errors {
			if plainText(e.says) != e.says {
				t.Errorf("%q is not plain", e.says)
			}
			d, _ := Diagnose(strings.ReplaceAll(e.says, " … ", " something "))
			for code := range strings.FieldsSeq(e.codes) {
				if _, ok := Lookup(Code(code)); !ok || !slices.Contains(d.Codes, Code(code)) {
					t.Errorf("%q: %s", e.says, code)
				}
			}
		}
	}
}
