package trajectory

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"clawctl/pkg/rebuild"
)

// exampleOf returns the example of a transcript, or "" if it has no answer.
func exampleOf(t *testing.T, text []byte, raw bool) (string, *ExampleSummary) {
	t.Helper()
	c := contextOf(t, text)
	prompt, err := c.Prompt(recordsOf(text)())
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	x := &Example{prompt, c.Conversation(rebuild.LimitsOf(ExampleForm)), recordsOf(text)}
	result, err := writeExample(&out, x, Options{Raw: raw})
	if errors.Is(err, ErrNoAnswer) && out.Len() == 0 {
		return "", nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), result
}

// checkExample checks the example of a transcript against the rules of OpenAI's files for fine-tuning.
func checkExample(t *testing.T, name string, text []byte) {
	t.Helper()
	got, _ := exampleOf(t, text, false)
	if got == "" {
		return
	}
	var example struct {
		Messages []struct {
			Role      string
			Content   any
			ToolCalls []struct {
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
			ToolCallID string `json:"tool_call_id"`
		}
		Tools []struct{ Function struct{ Name string } }
	}
	decoder := json.NewDecoder(strings.NewReader(got))
	if err := decoder.Decode(&example); err != nil || strings.Contains(got, "\n") {
		t.Errorf("%s: not a line of JSON: %v", name, err)
		return
	}
	declared := map[string]bool{}
	for _, tool := range example.Tools {
		declared[tool.Function.Name] = true
	}
	open := map[string]bool{}
	for i, m := range example.Messages {
		if m.Role != "tool" && len(open) > 0 {
			t.Errorf("%s: message %d comes before the results of %v", name, i, open)
		}
		switch _, isText := m.Content.(string); m.Role {
		case "system", "user":
		case "assistant":
			if m.Content == nil && len(m.ToolCalls) == 0 {
				t.Errorf("%s: message %d is empty", name, i)
			}
			for _, c := range m.ToolCalls {
				open[c.ID] = true
				if !declared[c.Function.Name] || !json.Valid([]byte(c.Function.Arguments)) {
					t.Errorf("%s: message %d: %+v", name, i, c)
				}
			}
		case "tool":
			if !open[m.ToolCallID] || !isText {
				t.Errorf("%s: message %d answers %s", name, i, m.ToolCallID)
			}
			delete(open, m.ToolCallID)
		default:
			t.Errorf("%s: message %d has the role %q", name, i, m.Role)
		}
	}
	if last := example.Messages[len(example.Messages)-1]; last.Role != "assistant" {
		t.Errorf("%s: the last message is of role %s", name, last.Role)
	}
}

func TestExample(t *testing.T) {
	answer := message(`"role":"assistant","content":"Done."`)
	for _, test := range []struct {
		name   string
		bodies []string
		want   string
	}{
		{"answer", []string{ask, answer},
			`{"messages":[{"role":"user","content":"Look."},{"role":"assistant","content":"Done."}]}`},
		{"no answer", []string{ask}, ""},
		{"question at the end", []string{ask, answer, ask},
			`{"messages":[{"role":"user","content":"Look."},{"role":"assistant","content":"Done."}]}`},
		{"call", []string{ask, look, seen, answer}, `{"messages":[{"role":"user","content":"Look."},` +
			`{"role":"assistant","content":"I look.","tool_calls":[{"id":"c1","type":"function",` +
			`"function":{"name":"read","arguments":"{\"path\":\"a\"}"}}]},` +
			`{"role":"tool","tool_call_id":"c1","content":"nothing"},{"role":"assistant","content":"Done."}],` +
			`"tools":[{"type":"function","function":{"name":"read","parameters":{"type":"object"}}}],` +
			`"parallel_tool_calls":false}`},
		{"system prompt with tools", []string{message(`"role":"system","content":"Be brief.",` +
			`"toolsAdded":[{"name":"read","description":"Reads.","parameters":{"type":"object"}}]`), ask, answer},
			`{"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Look."},` +
				`{"role":"assistant","content":"Done."}],"tools":[{"type":"function","function":{"name":"read",` +
				`"description":"Reads.","parameters":{"type":"object"}}}],"parallel_tool_calls":false}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := transcript(test.bodies...)
			if got, _ := exampleOf(t, text, false); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
			checkExample(t, test.name, text)
		})
	}
}

// Keys are masked without breaking the JSON of arguments.
func TestExampleMasks(t *testing.T) {
	text := transcript(ask, message(`"role":"assistant","content":[{"type":"toolCall","id":"a","name":"x",`+
		`"arguments":{"password":"hunter2secretXk39","q":"a\"b"}}]`))
	got, result := exampleOf(t, text, false)
	if strings.Contains(got, "hunter2") || result.Masked != 1 {
		t.Error(got, result)
	}
	checkExample(t, "masked", text)
	if got, _ := exampleOf(t, text, true); !strings.Contains(got, "hunter2") {
		t.Error(got)
	}
}
