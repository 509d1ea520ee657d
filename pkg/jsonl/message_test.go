package jsonl

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"clawctl/pkg/dialect"
)

func TestMessageViews(t *testing.T) {
	rec := parseLine(t, []byte(strings.ReplaceAll(richMessage, "\n", "")))
	m, ok := rec.Message()
	if !ok {
		t.Fatal("no message")
	}
	if got := []string{m.Role(), m.Provider(), m.Model()}; !reflect.DeepEqual(got,
		[]string{"assistant", "anthropic", "claude"}) {
		t.Error(got)
	}
	if at, _ := rec.Time(); at.UnixMilli() != 1777629602500 {
		t.Error(at)
	}
	var types []string
	for b := range m.Blocks() {
		types = append(types, b.Type()+"="+b.Text().String())
	}
	if want := []string{"thinking=hm", "text=a\nb", "toolCall=", "image=", "text=bare"}; !reflect.DeepEqual(types,
		want) {
		t.Errorf("%q", types)
	}
	if u, ok := m.Usage(); !ok || u != (Usage{1, 2, 30, 4, 37, 0.75, true, "", false, 0, ""}) {
		t.Error(u, ok)
	}
}

const richMessage = `{"type":"message","id":"a1","parentId":null,"timestamp":"2026-05-01T10:00:02.500Z",
"message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm","thinkingSignature":"sig"},
{"type":"text","text":"a\nb"},{"type":"toolCall","id":"c1","name":"read","arguments":{"path":"x"}},
{"type":"image","data":"AAAA","mimeType":"image/png"},"bare"],"provider":"anthropic","model":"claude",
"stopReason":"toolUse","usage":{"input":1,"output":2,"cacheRead":30,"cacheWrite":4,"totalTokens":37,
"cost":{"input":0.5,"total":0.75}},"timestamp":1777629602000}}`

func TestUsageShapes(t *testing.T) {
	for _, test := range []struct {
		json string
		want Usage
	}{
		{`{"input":1,"output":2,"cacheRead":3,"cacheWrite":4}`, Usage{1, 2, 3, 4, 10, 0, false, "", false, 0, ""}},
		{`{"input":10,"output":5,"total":40,"prompt_tokens":35,"completion_tokens":5,"total_tokens":40,` +
			`"cache":{"read":20,"write":5}}`, Usage{10, 5, 20, 5, 40, 0, false, "", false, 0, ""}},
		{`{"input":1,"output":1,"totalTokens":2,"cost":{"total":0}}`, Usage{1, 1, 0, 0, 2, 0, true, "", false, 0, ""}},
		{`{"input":"7","output":null,"cacheRead":[],"cost":"free"}`, Usage{}},
	} {
		if got, _ := usageOf(Value(test.json)); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.json, got, test.want)
		}
	}
	if _, ok := usageOf(Value(`[]`)); ok {
		t.Error("an array is accepted as usage")
	}
}

func TestToolCallNames(t *testing.T) {
	for _, block := range []string{
		`{"type":"toolCall","id":"c","name":"n","arguments":{"a":1}}`,
		`{"type":"toolUse","id":"c","name":"n","input":{"a":1}}`,
		`{"type":"functionCall","id":"c","name":"n","arguments":{"a":1}}`,
		`{"type":"tool_call","id":"c","name":"n","arguments":{"a":1}}`,
		`{"type":"tool_use","tool_use_id":"c","name":"n","input":{"a":1}}`,
		`{"type":"function_call","id":"c","name":"n","arguments":{"a":1}}`,
	} {
		b := ReadBlock(Value(block))
		if call, ok := b.ToolCall(); !ok || call != (ToolCall{"c", "n", `{"a":1}`}) {
			t.Errorf("%s: %+v %v", block, call, ok)
		}
	}
	for _, name := range []string{"toolCallId", "toolUseId", "tool_call_id", "tool_use_id", "callId", "call_id"} {
		rec := parseLine(t, []byte(`{"type":"message","message":{"role":"toolResult","`+name+`":"c9"}}`))
		if m, _ := rec.Message(); m.ToolCallID() != "c9" {
			t.Errorf("%s: %q", name, m.ToolCallID())
		}
	}
}

func TestEntryViews(t *testing.T) {
	for _, test := range []struct {
		line string
		view func(*Record) (any, bool)
		want any
	}{
		{`{"type":"session","version":3,"id":"s","timestamp":"t","cwd":"/w","parentSession":"/p"}`,
			func(r *Record) (any, bool) { return r.Header() },
			Header{ID: "s", Cwd: "/w", ParentSession: "/p"}},
		{`{"type":"session","sessionId":"old"}`, func(r *Record) (any, bool) { return r.Header() },
			Header{ID: "old"}},
		{`{"type":"session","id":"c","key":"main:cli:u","created":"t"}`,
			func(r *Record) (any, bool) { return r.Header() },
			Header{ID: "c", Key: "main:cli:u"}},
		{`{"type":"compaction","summary":"s","firstKeptEntryId":"e","tokensBefore":9,"fromCheckpoint":true,` +
			`"details":{"readFiles":[]}}`, func(r *Record) (any, bool) { return r.Compaction() },
			Compaction{Summary: "s", FirstKeptEntryID: "e", FromCheckpoint: true, Details: `{"readFiles":[]}`}},
		{`{"type":"checkpoint","checkpoint":{"summary":"s","tokensAtCheckpoint":5,"messageCountAtCheckpoint":2,` +
			`"topics":["a"],"openQuestions":["b"],"keyDecisions":["c"]}}`,
			func(r *Record) (any, bool) { return r.Checkpoint() },
			Checkpoint{"s", 5}},
		{`{"type":"branch_summary","fromId":"root","summary":"s"}`,
			func(r *Record) (any, bool) { return r.BranchSummary() }, "s"},
		{`{"type":"custom","customType":"x","data":[1]}`, func(r *Record) (any, bool) { return r.Custom() },
			Custom{CustomType: "x", Data: "[1]"}},
		{`{"type":"custom_message","customType":"x","content":"c","display":true}`,
			func(r *Record) (any, bool) { return r.Custom() },
			Custom{CustomType: "x", Content: Value(`"c"`)}},
		{`{"type":"session_info","name":"n"}`, func(r *Record) (any, bool) { return r.SessionName() }, "n"},
	} {
		rec := parseLine(t, []byte(test.line))
		got, ok := test.view(rec)
		if !ok || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %+v %v, want %+v", test.line, got, ok, test.want)
		}
		if _, ok := test.view(parseLine(t, []byte(`{"type":"other"}`))); ok {
			t.Errorf("%T accepts a record of the wrong type", test.want)
		}
	}
}

func TestTimes(t *testing.T) {
	for _, test := range []struct {
		line string
		want int64 // milliseconds, 0 for none
	}{
		{`{"timestamp":"2026-05-01T10:00:01.000Z"}`, 1777629601000},
		{`{"timestamp":"2026-05-01T12:00:01+02:00"}`, 1777629601000},
		{`{"timestamp":"2026-05-31T10:00:01.000Z"}`, 1780221601000},
		{`{"timestamp":"2026-02-31T10:00:01.000Z"}`, 0}, {`{"timestamp":"2026-13-01T10:00:01.000Z"}`, 0},
		{`{"timestamp":"2026-01-01T24:00:01.000Z"}`, 0},
		{`{"timestamp":1777629601000}`, 1777629601000},
		{`{"ts":1777629601.25}`, 1777629601250},
		{`{"ts":"2026-05-01T10:00:01.895434+00:00"}`, 1777629601895},
		{`{"created":"2026-05-01T10:00:01"}`, 1777629601000},
		{`{"timestamp":"soon","message":{"timestamp":1777629601000}}`, 1777629601000},
		{`{"timestamp":null}`, 0}, {`{"timestamp":""}`, 0}, {`{"timestamp":-5}`, 0}, {`{"timestamp":1e300}`, 0},
		{`{"timestamp":{}}`, 0}, {`{}`, 0},
	} {
		got, ok := parseLine(t, []byte(test.line)).Time()
		if ok != (test.want != 0) || ok && got.UnixMilli() != test.want {
			t.Errorf("%s: %v %v, want %d", test.line, got, ok, test.want)
		}
	}
}

func TestDialects(t *testing.T) {
	for _, test := range []struct {
		lines string
		want  Dialect
	}{
		{`{"type":"session","id":"a","key":"main:cli:u","created":"2026-01-01T00:00:00"}`, dialect.Claw0Flat},
		{`{"type":"user","content":"x","ts":1777629601.5}`, dialect.Claw0Guard},
		{`{"type":"user","content":"x","ts":"2026-01-01T00:00:00"}`, dialect.Claw0Flat},
		{`{"type":"session","id":"a","timestamp":"t","cwd":"/"}`, dialect.OpenClawV1},
		{`{"type":"session","id":"a"}`, dialect.OpenClawV1},
		{`{"type":"session","sessionId":"a","version":3,"more":1}`, dialect.OpenClawV3},
		{`{"type":"session","version":2,"id":"a","timestamp":"t"}`, dialect.OpenClawV2},
		{`{"type":"session","version":3,"id":"a","timestamp":"t"}`, dialect.OpenClawV3},
		{`{"type":"session","version":4,"id":"a","timestamp":"t"}`, dialect.OpenClawV4},
		{`{"type":"message","id":"a","parentId":null,"message":{}}`, dialect.OpenClawV3},
		{`{"type":"message","message":{"role":"user"}}`, dialect.OpenClawV1},
		{`{"type":"model_change","timestamp":"2026-01-01T00:00:00Z","provider":"p","modelId":"m"}`, dialect.OpenClawV1},
		{`{"type":"thinking_level_change","timestamp":"2026-01-01T00:00:00Z","thinkingLevel":"off"}`, dialect.OpenClawV1},
		{`{"type":"checkpoint","id":"a","parentId":null,"checkpoint":{}}`, dialect.GoClaw},
		{`{"type":"usage","id":"a","parentId":null,"usage":{}}`, dialect.OpenClawV3},
		{`{"type":"tool_result","tool_use_id":"a","output":"x"}`, dialect.Claw0Flat},
		{`{"type":"session","version":3,"id":"a"}` + "\n" + `{"type":"checkpoint","id":"b"}`, dialect.GoClaw},
		{`{"type":"session","version":3,"id":"a"}` + "\n" +
			`{"type":"message","id":"1706803200000_a1b2","parentId":null}`, dialect.GoClaw},
		{`{"type":"future","id":"a","parentId":"b"}`, dialect.Unknown},
		{`{"type":"message","message":{}}`, dialect.Unknown},
		{`{"type":"message","user":"U1","text":"x","ts":"1777629601.5"}`, dialect.Unknown},
		{`{"type":"message","id":"msg_1","role":"assistant","content":[]}`, dialect.Unknown},
		{`{"type":"user","content":"x"}`, dialect.Unknown},
		{`{"type":"user","uuid":"a","parentUuid":null,"message":{"role":"user","content":"x"}}`, dialect.Unknown},
		{`{"type":"tool_use","id":"toolu_1","name":"exec","input":{}}`, dialect.Unknown},
		{`{"type":"session","id":"a","timestamp":"2026-01-01T00:00:00Z","user":"u"}`, dialect.Unknown},
		{`{"type":"session","id":"a","version":"2.1.0","os":"linux"}`, dialect.Unknown},
		{`{"type":"session","start":"2026-01-01T00:00:00Z"}`, dialect.Unknown},
		{`{"type":"checkpoint","step":100}`, dialect.Unknown},
		{`{"type":"reset","reason":"idle","timestamp":"2026-01-01T00:00:00Z"}`, dialect.Unknown},
		{`{"type":"compaction","timestamp":"2026-01-01T00:00:00Z","summary":"level 2"}`, dialect.Unknown},
		{"not json\n" + `{"type":"session","version":3,"id":"a"}`, dialect.OpenClawV3},
		{`{"traceSchema":1,"type":"run.started"}`, dialect.Unknown},
		{`{"level":"info"}`, dialect.Unknown},
	} {
		r := NewReader(strings.NewReader(test.lines), Options{})
		for _, err := range r.All() {
			if err != nil {
				t.Fatal(err)
			}
		}
		if r.Dialect() != test.want {
			t.Errorf("%s: %s, want %s", test.lines, r.Dialect(), test.want)
		}
	}
}

// FuzzViews checks that the views agree with encoding/json about the blocks of a message, and that no view panics.
func FuzzViews(f *testing.F) {
	for _, line := range seedLines(f) {
		f.Add(line)
	}
	f.Add([]byte(strings.ReplaceAll(richMessage, "\n", "")))
	f.Fuzz(func(t *testing.T, line []byte) {
		rec := (&Parser{}).Parse(line, 1, 100) // not at offset 0, where a byte order mark is allowed
		if rec.Damage != nil || rec.Blank {
			return
		}
		rec.Time()
		rec.Header()
		rec.Compaction()
		rec.Checkpoint()
		rec.Custom()
		m, ok := rec.Message()
		if !ok {
			return
		}
		m.Usage()
		checkBlocks(t, m)
	})
}

func checkBlocks(t *testing.T, m Message) {
	var blocks []any
	var content any
	raw := m.Content()
	if raw.Exists() {
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber() // a float64 does not hold every number
		if err := dec.Decode(&content); err != nil {
			t.Fatalf("content %s: %v", []byte(raw), err)
		}
	}
	switch c := content.(type) {
	case string:
		blocks = []any{c}
	case []any:
		blocks = c
	}
	i := 0
	for b := range m.Blocks() {
		if i == len(blocks) {
			t.Fatalf("%s: more than %d blocks", []byte(raw), i)
		}
		want, _ := blocks[i].(string)
		if object, ok := blocks[i].(map[string]any); ok {
			want = textOf(object)
		}
		if got := b.Text().String(); got != want {
			t.Fatalf("%s: block %d is %q, want %q", []byte(raw), i, got, want)
		}
		b.Type()
		b.ToolCall()
		b.Image()
		b.Signature()
		i++
	}
	if i != len(blocks) {
		t.Fatalf("%s: %d blocks, want %d", []byte(raw), i, len(blocks))
	}
}

// textOf returns the text of a block that the standard library has decoded.
func textOf(block map[string]any) string {
	keys := []string{"text", "thinking"}
	switch block["type"] {
	case "text":
		keys = keys[:1]
	case "thinking":
		slices.Reverse(keys)
	}
	for _, key := range keys {
		if v, ok := block[key]; ok {
			text, _ := v.(string)
			return text
		}
	}
	return ""
}
