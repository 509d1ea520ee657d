package rebuild

import (
	"fmt"
	"strings"
	"testing"

	"clawctl/pkg/jsonl"
)

// callsOf returns a transcript with two answers that call a tool, each with its result.
func callsOf(api, provider, first, second, tool string) string {
	text := `{"type":"session","version":3,"id":"s","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/"}` + "\n" +
		`{"type":"message","id":"a0","parentId":null,"timestamp":"2026-05-01T10:00:00.000Z",` +
		`"message":{"role":"user","content":"hi"}}` + "\n"
	fields := ""
	if api != "" {
		fields += fmt.Sprintf(`"api":%q,`, api)
	}
	if provider != "" {
		fields += fmt.Sprintf(`"provider":%q,"model":"m",`, provider)
	}
	for i, id := range []string{first, second} {
		text += fmt.Sprintf(`{"type":"message","id":"c%d","parentId":%q,"timestamp":"2026-05-01T10:00:01.000Z",`+
			`"message":{"role":"assistant",%s"content":[{"type":"toolCall","id":%q,"name":%q,"arguments":{}}],`+
			`"stopReason":"toolUse"}}`+"\n", i, []string{"a0", "r0"}[i], fields, id, tool)
		text += fmt.Sprintf(`{"type":"message","id":"r%d","parentId":"c%d","timestamp":"2026-05-01T10:00:02.000Z",`+
			`"message":{"role":"toolResult","toolCallId":%q,"toolName":%q,"content":[{"type":"text","text":"x"}]}}`+"\n",
			i, i, id, tool)
	}
	return text
}

// What an API accepts is judged by the API that the session uses.
func TestJudgedByAPI(t *testing.T) {
	const responses, moonshot = "call_RoI0GvHH5Pus2mNQsXKrRG5i|fc_0d8a2de0a608a0e80169f853c7", "exec:0"
	for _, test := range []struct {
		api, provider, first, second, tool string
		want                               API
		wantCodes                          string
	}{
		{"anthropic-messages", "anthropic", "toolu_1", "toolu_2", "exec", AnthropicMessages, ""},
		{"anthropic-messages", "anthropic", "toolu_1", "toolu_1", "exec", AnthropicMessages, "CL404"},
		{"anthropic-messages", "anthropic", responses, "b", "exec", AnthropicMessages, "CL404"},
		{"anthropic-messages", "kimi-coding", moonshot, "b", "exec", AnthropicMessages, "CL404"},
		{"openai-responses", "openai", responses, "call_2|fc_2", "exec", OpenAIResponses, ""},
		{"openai-codex-responses", "openai-codex", responses, "call_2|fc_2", "exec", OpenAIResponses, ""},
		{"azure-openai-responses", "azure", responses, "call_2|fc_2", "exec", OpenAIResponses, ""},
		{"openai-completions", "moonshot", moonshot, moonshot, "exec", OpenAICompletions, ""},
		{"openai-completions", "moonshot", moonshot, "exec:1", "bad name", OpenAICompletions, "CL405 CL405"},
		{"google-generative-ai", "google", "a.b", "a.b", "ns.exec:run", GoogleGenerative, ""},
		{"mistral-conversations", "mistral", "x y", "x y", "exec it", AnyAPI, ""},
		{"", "moonshot", moonshot, moonshot, "exec", AnyAPI, ""},
		{"", "anthropic", moonshot, "b", "exec", AnthropicMessages, "CL404"},
		{"", "", moonshot, "b", "exec", AnthropicMessages, "CL404"},
	} {
		text := callsOf(test.api, test.provider, test.first, test.second, test.tool)
		ix, err := Inspect(Author{}, jsonl.NewReader(strings.NewReader(text), jsonl.Options{}), nil)
		if err != nil {
			t.Fatal(err)
		}
		c, err := ix.Context("")
		if err != nil {
			t.Fatal(err)
		}
		codes := func() string {
			var list []string
			c.EachFix(func(f Fix) {
				if f.Code == BadID || f.Code == BadName {
					list = append(list, string(f.Code))
				}
			})
			return strings.Join(list, " ")
		}
		if c.API() != test.want || codes() != test.wantCodes {
			t.Errorf("%q %q %q: judged by %v, codes %q, want %q", test.api, test.provider, test.first, c.API(), codes(),
				test.wantCodes)
		}
		c.JudgeBy(AnthropicMessages)
		if isOdd := !isAllowed(test.first); isOdd != strings.Contains(codes(), "CL404") && test.first != test.second {
			t.Errorf("%q %q for Anthropic: %q", test.api, test.first, codes())
		}
	}
}
