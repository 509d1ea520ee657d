package apicheck

import (
	"strings"
	"testing"
)

const (
	ask    = `{"role":"user","content":[{"type":"text","text":"hi"}]}`
	reply  = `{"role":"assistant","content":[{"type":"text","text":"yo"}]}`
	call   = `{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"read","input":{}}]}`
	answer = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"A"}]}]}`
)

func array(messages ...string) []byte { return []byte("[" + strings.Join(messages, ",") + "]") }

// Every rule refuses a request that breaks it, and no rule refuses a valid conversation.
func TestAnthropic(t *testing.T) {
	for _, good := range [][]byte{array(ask), array(ask, reply), array(ask, call, answer, reply)} {
		if err := Anthropic(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	with := func(message, old, new string) string { return strings.Replace(message, old, new, 1) }
	for name, bad := range map[string][]byte{
		"nothing":                   array(),
		"assistant first":           array(reply),
		"two users":                 array(ask, ask),
		"two assistants":            array(ask, reply, reply),
		"an unknown role":           array(with(ask, "user", "system")),
		"no content":                array(`{"role":"user","content":[]}`),
		"blank text":                array(with(ask, "hi", ` \n`)),
		"no text":                   array(with(ask, `"hi"`, `null`)),
		"a call without result":     array(ask, call),
		"a result without call":     array(ask, reply, answer),
		"a result for another call": array(ask, call, with(answer, "t1", "t2")),
		"a result twice":            array(ask, call, with(answer, `]}]}`, `]},{"type":"tool_result","tool_use_id":"t1"}]}`)),
		"text before results": array(ask, call, with(answer, `[{"type":"tool_result"`,
			`[{"type":"text","text":"x"},{"type":"tool_result"`)),
		"an id with a space":   array(ask, with(call, "t1", "t 1"), with(answer, "t1", "t 1")),
		"an id twice":          array(ask, call, answer, call, answer),
		"a name with a dot":    array(ask, with(call, "read", "fs.read"), answer),
		"input that is a list": array(ask, with(call, "{}", "[]"), answer),
		"an error without text": array(ask, call,
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true}]}`),
		"thinking unsigned": array(ask,
			`{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":""},{"type":"text","text":"y"}]}`),
		"thinking last": array(ask,
			`{"role":"assistant","content":[{"type":"text","text":"y"},{"type":"thinking","thinking":"x","signature":"AAAA"}]}`),
		"an image without a type": array(`{"role":"user","content":[{"type":"image","source":{"type":"base64",` +
			`"media_type":"image/bmp","data":"AAAA"}}]}`),
		"an image without data": array(`{"role":"user","content":[{"type":"image","source":{"type":"base64",` +
			`"media_type":"image/png","data":""}}]}`),
		"an image in an answer": array(ask,
			`{"role":"assistant","content":[{"type":"image","source":{"type":"base64","media_type":"image/png",`+
				`"data":"AAAA"}}]}`),
		"space at the end": array(ask, with(reply, "yo", "yo ")),
		"lone surrogate":   array(with(ask, "hi", `\ud83d`)),
		"invalid UTF-8":    array(with(ask, "hi", "\xff")),
		"an unknown field": array(with(ask, `"role"`, `"timestamp":1,"role"`)),
	} {
		if Anthropic(bad) == nil {
			t.Errorf("%s is accepted: %s", name, bad)
		}
	}
}

func TestOpenAI(t *testing.T) {
	const (
		asked  = `{"role":"user","content":"hi"}`
		called = `{"role":"assistant","content":null,"tool_calls":[{"id":"t1","type":"function",` +
			`"function":{"name":"read","arguments":"{}"}}]}`
		answered = `{"role":"tool","tool_call_id":"t1","content":"A"}`
	)
	if err := OpenAI(array(asked, called, answered)); err != nil {
		t.Error(err)
	}
	for name, bad := range map[string][]byte{
		"nothing":               array(),
		"a call without result": array(asked, called),
		"a result without call": array(asked, answered),
		"something between":     array(asked, called, asked, answered),
		"no content":            array(`{"role":"user"}`),
		"a long id": array(asked, strings.ReplaceAll(called, "t1", strings.Repeat("x", 41)),
			strings.ReplaceAll(answered, "t1", strings.Repeat("x", 41))),
		"a long name":    array(asked, strings.Replace(called, "read", strings.Repeat("x", 65), 1), answered),
		"arguments torn": array(asked, strings.Replace(called, `"{}"`, `"{"`, 1), answered),
	} {
		if OpenAI(bad) == nil {
			t.Errorf("%s is accepted: %s", name, bad)
		}
	}
}
