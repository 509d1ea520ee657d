package jsonl

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func convertText(t testing.TB, text string) (lines []string) {
	t.Helper()
	for rec, err := range ToOpenClaw(NewReader(strings.NewReader(text), Options{}).All(), "file-name") {
		if err != nil {
			return append(lines, "error: "+err.Error())
		}
		if rec.Damage != nil {
			lines = append(lines, "damage: "+string(rec.Damage.Code))
			continue
		}
		lines = append(lines, string(rec.Text()))
	}
	return lines
}

func TestToOpenClaw(t *testing.T) {
	const message = `"api":"anthropic-messages","provider":"anthropic","model":"unknown",`
	for _, test := range []struct {
		name, in string
		want     []string
	}{
		{"version 3 keeps its bytes", `{"type": "session", "version": 3, "id": "s"}` + "\n" +
			`{"type":"x" , "id":"a","parentId":null}`,
			[]string{`{"type": "session", "version": 3, "id": "s"}`, `{"type":"x" , "id":"a","parentId":null}`}},
		{"version 4 becomes 3", `{"type":"session","version":4,"id":"s"}`,
			[]string{`{"type":"session","version":3,"id":"s"}`}},
		{"version 2 renames hooks", `{"type":"session","version":2,"id":"s"}` + "\n" +
			`{"type":"message","id":"h","parentId":null,"message":{"role":"hookMessage","content":"x"}}`,
			[]string{`{"type":"session","version":3,"id":"s"}`,
				`{"type":"message","id":"h","parentId":null,"message":{"customType":"hook","role":"custom",` +
					`"content":"x"}}`}},
		{"version 1 gets ids, parents and a kept entry",
			`{"type":"session","id":"s"}` + "\n" + `{"type":"message","message":{"role":"user","content":"a"}}` + "\n" +
				`bad` + "\n" +
				`{"type":"compaction","summary":"z","firstKeptEntryIndex":1}`,
			[]string{`{"version":3,"type":"session","id":"s"}`,
				`{"id":"043a718774c572bd-1","parentId":null,"type":"message","message":{"role":"user","content":"a"}}`,
				"damage: CL001",
				`{"id":"043a718774c572bd-2","parentId":"043a718774c572bd-1",` +
					`"firstKeptEntryId":"043a718774c572bd-1","type":"compaction","summary":"z",` +
					`"firstKeptEntryIndex":1}`}},
		{"a missing header is generated", `{"type":"message","id":"u","parentId":null,` +
			`"timestamp":"2026-05-01T10:00:01.000Z","message":{"role":"user","content":"a"}}`,
			[]string{`{"type":"session","version":3,"id":"file-name","timestamp":"2026-05-01T10:00:01.000Z","cwd":""}`,
				`{"type":"message","id":"u","parentId":null,"timestamp":"2026-05-01T10:00:01.000Z",` +
					`"message":{"role":"user","content":"a"}}`}},
		{"claw0's calls are joined, apart from the text before them in the older form",
			`{"type":"session","id":"s","key":"main:cli:u","created":"2026-05-01T10:00:00"}` + "\n" +
				`{"type":"assistant","content":"t","ts":"2026-05-01T10:00:01"}` + "\n" +
				`{"type":"tool_use","tool_use_id":"c1","name":"n","input":{}}` + "\n" +
				`{"type":"tool_use","tool_use_id":"c2","name":"m","input":{"a":1}}` + "\n" +
				`{"type":"tool_result","tool_use_id":"c1","output":"\u00e9"}`,
			[]string{`{"type":"session","version":3,"id":"s","timestamp":"2026-05-01T10:00:00.000Z","cwd":"",` +
				`"key":"main:cli:u"}`,
				`{"type":"message","id":"043a718774c572bd-1","parentId":null,` +
					`"timestamp":"2026-05-01T10:00:01.000Z","message":{"role":"assistant",` +
					`"content":[{"type":"text","text":"t"}],` + message +
					`"stopReason":"stop","timestamp":1777629601000}}`,
				`{"type":"message","id":"043a718774c572bd-2","parentId":"043a718774c572bd-1",` +
					`"timestamp":"2026-05-01T10:00:01.000Z","message":{"role":"assistant",` +
					`"content":[{"type":"toolCall","id":"c1","name":"n","arguments":{}}` +
					`,{"type":"toolCall","id":"c2","name":"m","arguments":{"a":1}}],` + message +
					`"stopReason":"toolUse","timestamp":1777629601000}}`,
				`{"type":"message","id":"043a718774c572bd-4","parentId":"043a718774c572bd-2",` +
					`"timestamp":"2026-05-01T10:00:01.000Z","message":{"role":"toolResult","toolCallId":"c1",` +
					`"toolName":"n","content":[{"type":"text","text":"\u00e9"}],"isError":false,` +
					`"timestamp":1777629601000}}`}},
		{"and with the text in the newer form", `{"type":"assistant","content":[{"type":"text","text":"t"}]}` + "\n" +
			`{"type":"tool_use","tool_use_id":"c1","name":"n","input":{}}`,
			[]string{`{"type":"session","version":3,"id":"file-name","timestamp":"1970-01-01T00:00:00.000Z","cwd":""}`,
				`{"type":"message","id":"113fee6d3650a6f9-0","parentId":null,"message":{"role":"assistant",` +
					`"content":[{"type":"text","text":"t"},{"type":"toolCall","id":"c1","name":"n","arguments":{}}],` +
					message + `"stopReason":"toolUse"}}`}},
		{"a record without a type before the header", `{}` + "\n" + `{"type":"session","version":3,"id":"s"}`,
			[]string{`{"type":"session","version":3,"id":"s"}`, `{}`}},
		{"a late header comes first, and its version counts",
			`{"type":"message","message":{"role":"user","content":"a"}}` + "\n" + `{"type":"session","id":"s"}`,
			[]string{`{"version":3,"type":"session","id":"s"}`,
				`{"id":"043a718774c572bd-0","parentId":null,"type":"message",` +
					`"message":{"role":"user","content":"a"}}`}},
		{"a version as JavaScript reads it", `{"type":"session","version":"3","id":""}` + "\n" +
			`{"type":"message","id":"a","parentId":null}`,
			[]string{`{"type":"session","version":3,"id":"file-name"}`, `{"type":"message","id":"a","parentId":null}`}},
		{"a hook message with an empty type", `{"type":"session","version":2,"id":"s"}` + "\n" +
			`{"type":"message","id":"h","parentId":null,"message":{"role":"hookMessage","customType":null}}`,
			[]string{`{"type":"session","version":3,"id":"s"}`,
				`{"type":"message","id":"h","parentId":null,"message":{"role":"custom","customType":"hook"}}`}},
		{"records that are not entries get no id", `{"type":"session","id":"s"}` + "\n" + `{}` + "\n" +
			`{"type":"compaction","firstKeptEntryIndex":1}`,
			[]string{`{"version":3,"type":"session","id":"s"}`, `{}`,
				`{"id":"043a718774c572bd-2","parentId":null,"type":"compaction","firstKeptEntryIndex":1}`}},
		{"no transcript", `{"level":"info"}`, []string{"error: " + ErrDialect.Error()}},
		{"nothing", "", nil},
	} {
		if got := convertText(t, test.in); !slices.Equal(got, test.want) {
			t.Errorf("%s:\n got %s\nwant %s", test.name, strings.Join(got, "\n     "),
				strings.Join(test.want, "\n     "))
		}
	}
}

// The error that ends the input is passed on, whatever came before it.
func TestToOpenClawPassesErrorsOn(t *testing.T) {
	strict := NewReader(strings.NewReader(`{"a":1}`+"\n"+`{"b":`+"\n"), Options{Strict: true})
	var got error
	for _, err := range ToOpenClaw(strict.All(), "x") {
		got = err
	}
	var damage *Damage
	if !errors.As(got, &damage) {
		t.Error(got)
	}
}

// FuzzToOpenClaw checks that a second conversion changes nothing, that ids are stable and unique, and that every output
// line is a record.
func FuzzToOpenClaw(f *testing.F) {
	for _, line := range seedLines(f) {
		f.Add(string(line))
	}
	f.Add(`{"type":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[{"type":"text",` +
		`"text":"x"}]},{"type":"text","text":"y"}],"ts":1}`)
	f.Fuzz(func(t *testing.T, text string) {
		once := convertText(t, text)
		if !slices.Equal(once, convertText(t, text)) {
			t.Fatal("two conversions differ")
		}
		for rec, err := range ToOpenClaw(NewReader(strings.NewReader(text), Options{}).All(), "file-name") {
			if err == nil && rec.Damage == nil && (&Parser{}).Parse(rec.Text(), 1, 1).Damage != nil {
				t.Fatalf("an intact record became %s", rec.Text())
			}
		}
		kept := slices.DeleteFunc(once, func(s string) bool {
			return s == "" ||
				s[0] != '{' && !strings.HasPrefix(strings.TrimSpace(s), "{")
		})
		if len(kept) == 0 {
			return
		}
		again := convertText(t, strings.Join(kept, "\n"))
		if !slices.Equal(kept, again) {
			t.Fatalf("converted again:\n%s\nfirst:\n%s", strings.Join(again, "\n"), strings.Join(kept, "\n"))
		}
	})
}
