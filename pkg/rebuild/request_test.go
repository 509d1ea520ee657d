package rebuild

import "testing"

func TestRequestText(t *testing.T) {
	for name, c := range map[string]struct {
		request Request
		called  []string
		want    string
	}{
		"messages alone": {
			Request{Form: FormAnthropic, Model: "m", MaxTokens: 9}, nil,
			`{"model":"m","max_tokens":9,"messages":[` + "\n",
		},
		"system": {
			Request{Form: FormAnthropic, Model: "m", MaxTokens: 9, System: "Be \"kind\"."}, []string{"read"},
			`{"model":"m","max_tokens":9,"system":"Be \"kind\".","tools":[{"name":"read","input_schema":{"type":"object"}}],` +
				`"messages":[` + "\n",
		},
		"a system message": {
			Request{Form: FormOpenAI, Model: "m", MaxTokens: 9, System: "s"}, nil,
			`{"model":"m","max_tokens":9,"messages":[` + "\n" + `{"role":"system","content":"s"},` + "\n",
		},
		"own tools": {
			Request{Form: FormOpenAI, Model: "m", MaxTokens: 9, Tools: []byte(`[{}]`)}, []string{"read"},
			`{"model":"m","max_tokens":9,"tools":[{}],"messages":[` + "\n",
		},
	} {
		c.request.DeclareCalled(&Conversation{tools: c.called})
		if before, after := c.request.Text(); before != c.want || after != "\n]}\n" {
			t.Errorf("%s: got %s and %q, want %s", name, before, after, c.want)
		}
	}
}

func TestParseTools(t *testing.T) {
	for text, want := range map[string]string{
		` [{"name":"a"}] `: `[{"name":"a"}]`, `[]`: "", `null`: "", `{}`: "error", `[1]`: "error", `[`: "error",
	} {
		tools, err := ParseTools(text)
		got := string(tools)
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func TestFitWords(t *testing.T) {
	for want, f := range map[string]FitResult{
		"Restored: 2 previous turns, about 90 tokens; nothing had to be dropped": {Turns: 2, Tokens: 90},
		"Restored: 1 previous turn, about 40 tokens; dropped the oldest turn (3 messages, about 50 tokens) to fit 1,000": {
			Turns: 2, DroppedTurns: 1, DroppedItems: 3, Tokens: 90, DroppedTokens: 50,
		},
		"Restored: 1 previous turn, about 1 token; dropped the oldest 2 turns (4 messages, about 9 tokens) to fit 1,000": {
			Turns: 3, DroppedTurns: 2, DroppedItems: 4, Tokens: 10, DroppedTokens: 9,
		},
	} {
		if got := f.Words(1000); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A leaf that leads nowhere is nothing that was found, whatever the reason.
func TestLeafError(t *testing.T) {
	for want, e := range map[string]*LeafError{
		"f: CL909 no entry x":                       {ID: "x"},
		"f: CL909 the entries above x form a cycle": {ID: "x", InCycle: true},
	} {
		if got := e.FailureAt("f").Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
