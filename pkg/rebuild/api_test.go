package rebuild

import (
	"fmt"
	"regexp"
	"slices"
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
		isOdd := test.first == "" || allowedText(test.first) != test.first
		if isOdd != strings.Contains(codes(), "CL404") && test.first != test.second {
			t.Errorf("%q %q for Anthropic: %q", test.api, test.first, codes())
		}
	}
}

// talk returns a transcript of messages, each after the one before it.
func talk(messages ...string) string {
	text := `{"type":"session","version":3,"id":"s","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/"}` + "\n"
	parent := "null"
	for i, m := range messages {
		text += fmt.Sprintf(`{"type":"message","id":"m%d","parentId":%s,"timestamp":"2026-05-01T10:00:00.000Z","message":%s}`,
			i, parent, m) + "\n"
		parent = fmt.Sprintf(`"m%d"`, i)
	}
	return text
}

// The messages of a talk. An answer begins with the fields of the model that gave it.
func says(text string) string { return fmt.Sprintf(`{"role":"user","content":%q}`, text) }

func answers(model, blocks string) string {
	return `{"role":"assistant",` + model + `,"stopReason":"stop","content":[` + blocks + `]}`
}

func calls(id string) string {
	return fmt.Sprintf(`{"type":"toolCall","id":%q,"name":"exec","arguments":{}}`, id)
}

func replies(id string) string {
	const form = `{"role":"toolResult","toolCallId":%q,"toolName":"exec","isError":false,"content":%s}`
	return fmt.Sprintf(form, id, `[{"type":"text","text":"x"}]`)
}

// models are fields of an answer, by the API that it came through.
var models = map[string]string{
	"anthropic-messages":   `"api":"anthropic-messages","provider":"anthropic","model":"claude"`,
	"openai-responses":     `"api":"openai-responses","provider":"openai","model":"gpt-5"`,
	"openai-completions":   `"api":"openai-completions","provider":"moonshot","model":"kimi"`,
	"google-generative-ai": `"api":"google-generative-ai","provider":"google","model":"gemini-3"`,
	"other":                `"api":"mistral-conversations","provider":"mistral","model":"large"`,
}

// fixCodes returns the codes of the fixes that a transcript needs, and the API that they are for.
func fixCodes(t *testing.T, text string) (codes string, judge API) {
	t.Helper()
	ix, err := Inspect(Author{}, jsonl.NewReader(strings.NewReader(text), jsonl.Options{}), nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ix.Context("")
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	c.EachFix(func(f Fix) { list = append(list, string(f.Code)) })
	return strings.Join(list, " "), c.API()
}

// idRules are what the APIs accept as the id of a call.
var idRules = map[string]*regexp.Regexp{
	"anthropic-messages":   regexp.MustCompile(`^[a-zA-Z0-9_-]+$`),
	"openai-responses":     regexp.MustCompile(`^.{1,64}$`),
	"openai-completions":   regexp.MustCompile(`^.+$`),
	"google-generative-ai": regexp.MustCompile(`^$`), // no id is sent
	"other":                regexp.MustCompile(`^.+$`),
}

// An id is judged by what pi-ai 0.73.1 sends for it: as it is to the model that gave it, and in a form that is always
// accepted to another one.
func TestSentIDs(t *testing.T) {
	long := "call_" + strings.Repeat("x", 78)
	item := strings.Repeat("i+/=", 40)
	for _, test := range []struct{ api, by, id, sent string }{
		{"anthropic-messages", "anthropic-messages", "toolu_1", "toolu_1"},
		{"anthropic-messages", "anthropic-messages", "call_1|fc_1", "call_1|fc_1"},
		{"anthropic-messages", "anthropic-messages", "exec:0", "exec:0"},
		{"anthropic-messages", "openai-responses", "call_1|fc_1", "call_1_fc_1"},
		{"anthropic-messages", "openai-completions", "exec:0", "exec_0"},
		{"anthropic-messages", "other", long, long[:64]},
		{"openai-responses", "openai-responses", "call_1|fc_1", "call_1"},
		{"openai-responses", "openai-responses", "call_1|" + item, "call_1"},
		{"openai-responses", "openai-responses", "exec:0", "exec:0"},
		{"openai-responses", "openai-responses", long, long},
		{"openai-responses", "openai-responses", long + "|fc_1", long},
		{"openai-responses", "anthropic-messages", long, long[:64]},
		{"openai-responses", "openai-completions", "exec:0", "exec_0"},
		{"openai-completions", "openai-completions", "exec:0", "exec:0"},
		{"openai-completions", "openai-completions", long, long},
		{"openai-completions", "openai-responses", "call_1|" + item, "call_1"},
		{"google-generative-ai", "google-generative-ai", "exec:0", ""},
		{"google-generative-ai", "openai-responses", "call_1|fc_1", ""},
		{"other", "other", "exec:0", "exec:0"},
		{"other", "openai-responses", "call_1|fc_1", "198dty0p9"},
	} {
		last := answers(models[test.api], `{"type":"text","text":"done"}`)
		text := talk(says("hi"), answers(models[test.by], calls(test.id)), replies(test.id), last, says("go"))
		codes, judge := fixCodes(t, text)
		want := "CL404"
		if idRules[test.api].MatchString(test.sent) {
			want = ""
		}
		if codes != want || judge.String() != test.api {
			t.Errorf("%s of %s is sent as %q to %s: codes %q, want %q", test.id, test.by, test.sent, judge, codes, want)
		}
	}
}

// What pi-ai sends as it is, is judged by the rules of each API.
func TestToleratedByAPI(t *testing.T) {
	const hello = `{"type":"text","text":"hello"}`
	anthropic, google := "anthropic-messages", "google-generative-ai"
	all := []string{anthropic, "openai-responses", "openai-completions", google, "other"}
	for name, test := range map[string]struct {
		talk    func(model string) string
		code    string
		refused []string // the APIs that refuse it
	}{
		"healthy": {func(m string) string { return talk(says("hi"), answers(m, hello), says("go")) }, "", all},
		"unsigned thinking": {func(m string) string {
			return talk(says("hi"), answers(m, `{"type":"thinking","thinking":"hm"},`+hello), says("go"))
		}, "CL403", []string{anthropic}},
		"thinking at the end": {func(m string) string {
			return talk(says("hi"), answers(m, `{"type":"thinking","thinking":"hm"}`), says("go"))
		}, "CL403", []string{anthropic}},
		"white space at the end": {func(m string) string {
			return talk(says("hi"), answers(m, `{"type":"text","text":"hello "}`))
		}, "CL410", []string{anthropic}},
		"answer first": {func(m string) string { return talk(answers(m, hello), says("go")) }, "CL401",
			[]string{anthropic, google}},
		"blank message": {func(m string) string { return talk(says("hi"), answers(m, hello), says(" ")) }, "CL402",
			[]string{anthropic, google}},
		"no result": {func(m string) string { return talk(says("hi"), answers(m, calls("a")), says("go")) }, "CL301", all},
		"no call":   {func(m string) string { return talk(says("hi"), answers(m, hello), replies("a")) }, "CL302", all},
		"two results": {func(m string) string {
			return talk(says("hi"), answers(m, calls("a")), replies("a"), replies("a"))
		}, "CL303", all},
		"result after a message": {func(m string) string {
			return talk(says("hi"), answers(m, calls("a")), says("go"), replies("a"))
		}, "CL304", all},
	} {
		for _, api := range all {
			want := ""
			if slices.Contains(test.refused, api) {
				want = test.code
			}
			if codes, _ := fixCodes(t, test.talk(models[api])); codes != want {
				t.Errorf("%s, %s: %q, want %q", name, api, codes, want)
			}
		}
	}
}

// Only Anthropic's API limits the size of an image to 5 MB.
func TestImageSizeByAPI(t *testing.T) {
	png := "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwC" + strings.Repeat("A", maxImage)
	png = png[:len(png)/4*4]
	image := fmt.Sprintf(`{"role":"user","content":[{"type":"image","mimeType":"image/png","data":%q}]}`, png)
	for api, model := range models {
		want := ""
		if api == "anthropic-messages" {
			want = "CL406"
		}
		if codes, _ := fixCodes(t, talk(image, answers(model, `{"type":"text","text":"hi"}`))); codes != want {
			t.Errorf("%s: %q, want %q", api, codes, want)
		}
	}
}
