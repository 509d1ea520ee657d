package jsonl

import (
	"slices"
	"strings"
	"testing"

	"clawctl/pkg/jsontext"
)

// What a scan notes of a line is what a search finds in it.
func TestOutlineIsWhatASearchFinds(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		`{"type":"user","message":{"role":"user","content":[{"type":"text","text":"a\"b"}]},"uuid":"u"}`,
		`{ "type" : "user" , "message" : { "content" : [ { "a" : 1 } , 2 ] , "id" : 3 } , "message" : "again" }`,
		`{"message":{"content":[{"a":1}]},"message":{"content":"text"},"type":"user"}`,
		`{"message":{"content":[{"a":1}]},"payload":{"content":[{"b":2}],"\u0061":"c"},"type":"user"}`,
		`{"payload":{},"message":{"content":[[1]]},"type":"user"}`,
		` {"type":"user","message":{"content":[{"a":1}]}}`,
		`{"type":"user","message":{"content":[]},"toolUseResult":{"content":["x"]}}`,
		`{}`,
	} {
		var p Parser
		p.Verbatim = true
		p.Parse([]byte(line), 1, 0)
		p.cutter.translator = &translator{}
		o := p.cutter.outline()
		for _, v := range []Value{o.Text, o.Text.Get("message"), o.Text.Get("payload"), o.Text.Get("toolUseResult")} {
			checkFields(t, o, v)
			for _, list := range []Value{v.Get("content"), v} {
				checkElement(t, o, list)
			}
		}
	}
}

func checkFields(t *testing.T, o *jsontext.Outline, v Value) {
	t.Helper()
	var got, want []string
	for key, member := range o.Fields(v) {
		got = append(got, string(key), string(member))
	}
	for key, member := range v.Fields() {
		want = append(want, string(key), string(member))
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: the members of %s are %q", o.Text, v, got)
	}
}

// checkElement checks the only element of a list, and its members.
func checkElement(t *testing.T, o *jsontext.Outline, list Value) {
	t.Helper()
	elements := slices.Collect(list.Elements())
	only := o.OnlyElement(list)
	if isOnly := len(elements) == 1; isOnly != only.Exists() || isOnly && string(elements[0]) != string(only) {
		t.Errorf("%s: the only element of %s is %s", o.Text, list, only)
	}
	checkFields(t, o, only)
}

// FuzzOutline translates lines with and without what their scan has noted.
func FuzzOutline(f *testing.F) {
	f.Add(`{"type":"user","uuid":"u","sessionId":"s","message":{"content":[{"type":"tool_result","content":"x"}]}}`)
	f.Add(`{"type":"assistant","message":{"id":"m","content":[]},"uuid":"u","sessionId":"s","message":{"id":"n"}}`)
	f.Add(`{"type":"response_item","timestamp":"t","payload":{"type":"message","role":"user","content":[{"text":"x"}]}}`)
	f.Add(` {"type":"event_msg","timestamp":"t","payload":{"type":"x"},"message":{"content":[{"a":{}}]}}`)
	f.Fuzz(func(t *testing.T, line string) {
		if strings.Contains(line, "\n") {
			return
		}
		p := Parser{Verbatim: true}
		rec := p.Parse([]byte(line), 1, 0)
		if !rec.Legible() {
			return
		}
		p.cutter.translator = &translator{}
		for _, program := range translators()[rec.known] {
			noted := program.Translate(nil, rec.Type(), p.cutter.outline())
			searched := program.Translate(nil, rec.Type(), &jsontext.Outline{Text: rec.Value()})
			if string(noted) != string(searched) {
				t.Errorf("%s became\n%s, want\n%s", line, noted, searched)
			}
		}
		if rec = new(Parser).Parse([]byte(line), 1, 0); rec.Translator() != nil {
			checkForm(t, rec)
		}
	})
}
