package jsonl

import "testing"

// prompt returns a message of the user with a content and a value of OpenClaw's own.
func prompt(content, private string) Message {
	line := `{"type":"message","id":"1","message":{"role":"user","content":` + content + `,"__openclaw":` + private + `}}`
	m, _ := new(Parser).Parse([]byte(line), 1, 0).Message()
	return m
}

func TestSentContent(t *testing.T) {
	const sent = `{"modelPromptProjection":{"version":1,"text":"more \"text\""}}`
	for _, c := range []struct{ content, private, want string }{
		{`"text"`, sent, `"more \"text\""`},
		{`null`, sent, `"more \"text\""`},
		{`"text"`, `{}`, `"text"`},
		{`"text"`, `null`, `"text"`},
		{`"text"`, `"modelPromptProjection"`, `"text"`},
		{`"text"`, `{"modelPromptProjection":{"version":2,"text":"more"}}`, `"text"`},
		{`[{"type":"text","text":"a"}]`, sent, `[{"type":"text","text":"more \"text\""}]`},
		{`[]`, sent, `[{"type":"text","text":"more \"text\""}]`},
		{`[{"type":"image","data":"x"},{"type":"text","text":"a"},{"type":"text","text":"b"}]`, sent,
			`[{"type":"image","data":"x"},{"type":"text","text":"more \"text\""}]`},
		{`[{"type":"image","data":"x"}]`, sent,
			`[{"type":"text","text":"more \"text\""},{"type":"image","data":"x"}]`},
	} {
		if got := prompt(c.content, c.private).SentContent(); string(got) != c.want {
			t.Errorf("%s, %s: %s, want %s", c.content, c.private, got, c.want)
		}
	}
}

func TestProjectionStates(t *testing.T) {
	for value, want := range map[string]ProjectionState{
		`{"version":1,"text":""}`: Projected, `{"text":"a","version":1,"more":true}`: Projected,
		`{"version":2,"text":"a"}`: UnknownProjection, `{"version":0}`: UnknownProjection,
		`{"version":1e999,"text":"a"}`: UnknownProjection,
		`{"version":"1","text":"a"}`:   OddProjection, `{"text":"a"}`: OddProjection, `{"version":1}`: OddProjection,
		`{"version":1,"text":null}`: OddProjection, `null`: OddProjection, `[]`: OddProjection, `"a"`: OddProjection,
	} {
		m := prompt(`"text"`, `{"modelPromptProjection":`+value+`}`)
		if got := m.Projection().State; got != want {
			t.Errorf("%s: %v, want %v", value, got, want)
		}
	}
	line := `{"type":"message","message":{"role":"assistant","content":"a","__openclaw":{"modelPromptProjection":1}}}`
	if m, _ := new(Parser).Parse([]byte(line), 1, 0).Message(); m.Projection().State != NoProjection {
		t.Error("only messages of the user have a projection")
	}
}
