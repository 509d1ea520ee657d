package parts

import (
	"fmt"
	"strings"
	"testing"

	"clawctl/pkg/jsonl"
)

func TestEntry(t *testing.T) {
	for _, test := range []struct{ name, line, want string }{
		{"user", `{"type":"message","id":"a","message":{"role":"user","content":"hi"}}`, `user:hi`},
		{"answer", `{"type":"message","id":"a","message":{"role":"assistant","content":[` +
			`{"type":"thinking","thinking":"hm"},{"type":"text","text":"yes"},` +
			`{"type":"toolCall","id":"c1","name":"read","arguments":{"path":"x"}}]}}`,
			`thinking:hm assistant:yes call/read:{"path":"x"}`},
		{"result", `{"type":"message","id":"a","message":{"role":"toolResult","toolCallId":"c1","toolName":"read",` +
			`"content":[{"type":"text","text":"out"},{"type":"image","data":"AA==","mimeType":"image/png"}],"isError":true}}`,
			`result/read:out! image/image/png:AA==!`},
		{"empty result", `{"type":"message","message":{"role":"toolResult","toolName":"x","content":[]}}`, `result/x:`},
		{"odd result", `{"type":"message","message":{"role":"toolResult","toolName":"x","content":{"a":1}}}`,
			`result/x:{"a":1}`},
		{"shell", `{"type":"message","message":{"role":"bashExecution","command":"ls","output":"a","exitCode":1}}`,
			`call/bash:ls result/bash:a![exit_code=1]`},
		{"failure", `{"type":"message","message":{"role":"assistant","content":[],"errorMessage":"busy"}}`, `failure:busy!`},
		{"system", `{"type":"message","message":{"role":"system","content":"","sections":{"cwd":"here"},"toolsAdded":[]}}`,
			`system/cwd:here system/tools:[tools_added=[]]`},
		{"compaction", `{"type":"compaction","summary":"s","tokensBefore":5}`, `compaction:s[tokens_before=5]`},
		{"model", `{"type":"model_change","provider":"p","modelId":"m"}`, `model_change:`},
		{"label", `{"type":"label","label":"x","targetId":"t"}`, `label:x[target="t"]`},
		{"flush", `{"type":"custom","customType":"clawctl.flush","data":{"percent":50}}`,
			`flush/clawctl.flush:{"percent":50}`},
		{"custom message", `{"type":"custom_message","customType":"x","content":"t"}`, `custom/x:t`},
		{"edit that removes", `{"type":"context_edit","targetId":"t","replacement":null}`, `context_edit:[target="t"]`},
		{"unknown record", `{"type":"news","a":1}`, `other:{"type":"news","a":1}`},
		{"unknown block", `{"type":"message","message":{"role":"assistant","content":[{"type":"audio"}]}}`,
			`other:{"type":"audio"}`},
		{"claw0 call", `{"type":"tool_use","tool_use_id":"1","name":"ls","input":{"a":1}}`, `call/ls:{"a":1}`},
		{"claw0 result", `{"type":"tool_result","tool_use_id":"1","output":"out"}`, `result:out`},
		{"damage", `{"type":"mess`, `damage:{"type":"mess![code="CL002" message="CL002 incomplete last line at ` +
			`column 14 (byte 13): the line ends inside a value" column=14]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var m Maker
			for rec, err := range jsonl.Records(strings.NewReader(test.line), jsonl.Options{}) {
				if err != nil {
					t.Fatal(err)
				}
				if got := describe(m.Entry(rec)); got != test.want {
					t.Errorf("got  %s\nwant %s", got, test.want)
				}
			}
		})
	}
}

// A text that equals the one before is not decoded, unless it is written with escapes.
func TestLikelyText(t *testing.T) {
	for _, test := range []struct{ value, likely, want string }{
		{`"a1"`, "a1", "a1"}, {`"a2"`, "a1", "a2"}, {`"a\n"`, `a\n`, "a\n"}, {`"a\\n"`, `a\\n`, `a\n`}, {`null`, "ul", ""},
		{`""`, "", ""}, {``, "", ""}, {`"é"`, "é", "é"},
	} {
		if got := likelyText(jsonl.Value(test.value), test.likely); got != test.want {
			t.Errorf("%s after %q: %q, want %q", test.value, test.likely, got, test.want)
		}
	}
	value := jsonl.Value(`"the same text as in the entry before"`)
	text := value.String()
	if n := testing.AllocsPerRun(10, func() { text = likelyText(value, text) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// describe returns the parts of an entry on one line.
func describe(e *Entry) string {
	var list []string
	for _, p := range e.Parts {
		text := string(p.Kind)
		if p.Name != nil {
			text += "/" + p.ToolName()
		}
		text += ":" + p.Text()
		if p.Failed {
			text += "!"
		}
		var fields []string
		for _, f := range p.Fields {
			fields = append(fields, fmt.Sprintf("%s=%s", f.Name, string(f.Value)))
		}
		if fields != nil {
			text += "[" + strings.Join(fields, " ") + "]"
		}
		list = append(list, text)
	}
	return strings.Join(list, " ")
}

// The body of a damaged line is as much of it as is reasonable, and ends with a whole character.
func TestLongDamage(t *testing.T) {
	for _, test := range []struct {
		line string
		want int // bytes of text
	}{
		{strings.Repeat("x", maxDamaged), maxDamaged},
		{strings.Repeat("x", maxDamaged+1), maxDamaged},
		{"x" + strings.Repeat("ä", maxDamaged), maxDamaged - 1},
		{strings.Repeat("\x00", 3*maxDamaged), maxDamaged},
	} {
		var m Maker
		var parser jsonl.Parser
		e := m.Entry(parser.Parse([]byte(test.line), 1, 0))
		if len(e.Parts) != 1 || e.Parts[0].Kind != Damage || len(e.Parts[0].Text()) != test.want ||
			!strings.HasPrefix(test.line, e.Parts[0].Text()) {
			t.Errorf("%.8q: %d parts, %d bytes, want %d", test.line, len(e.Parts), len(e.Parts[0].Text()), test.want)
		}
	}
}
