package repair

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"clawctl/pkg/rebuild"
	"clawctl/pkg/validate"
)

// The lines of transcripts in which only the conversation is wrong.
const (
	header   = `{"type":"session","version":3,"id":"s1","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w"}`
	header1  = `{"type":"session","id":"s1","timestamp":"2025-11-01T10:00:00.000Z","cwd":"/w"}`
	header0  = `{"type":"session","id":"s1","key":"main:cli:user","created":"2026-02-01T10:00:00"}`
	counting = `{"type":"compaction","timestamp":"2025-11-01T10:00:09.000Z","summary":"s",` +
		`"firstKeptEntryIndex":1,"tokensBefore":9}`
)

// entry returns a message of version 3.
func entry(id, parent, message string) string {
	link := "null"
	if parent != "" {
		link = `"` + parent + `"`
	}
	return `{"type":"message","id":"` + id + `","parentId":` + link + `,"timestamp":"2026-05-01T10:00:01.000Z",` +
		`"message":` + message + `}`
}

// entry1 returns a message of version 1.
func entry1(message string) string {
	return `{"type":"message","timestamp":"2025-11-01T10:00:01.000Z","message":` + message + `}`
}

func userSays(blocks string) string {
	return `{"role":"user","content":[` + blocks + `],"timestamp":1}`
}

func modelSays(blocks string) string {
	return `{"role":"assistant","content":[` + blocks + `],"api":"anthropic-messages","provider":"anthropic",` +
		`"model":"claude-opus-4-5","stopReason":"stop","timestamp":2}`
}

func toolSays(id string) string {
	return `{"role":"toolResult","toolCallId":"` + id + `","toolName":"bash","content":[{"type":"text","text":"a"}],` +
		`"isError":false,"timestamp":3}`
}

const (
	someText = `{"type":"text","text":"x"}`
	oddBlock = `{"type":"hologram","data":"7"}`
	call1    = `{"type":"toolCall","id":"toolu_01","name":"bash","arguments":{}}`
	call2    = `{"type":"toolCall","id":"toolu_02","name":"bash","arguments":{}}`
)

func TestConversations(t *testing.T) {
	tests := []struct {
		name  string
		lines []string
		want  []string // parts of the plan: "LINE CODE: change"
		left  string   // the reason of what is left alone
	}{
		{"an answer comes first", []string{header, entry("a", "", modelSays(someText))},
			[]string{"2 CL401: add a message of the user"}, ""},
		{"an answer comes first after a reset",
			[]string{header, entry("u", "", userSays(someText)), entry("a", "u", modelSays(someText)),
				`{"type":"reset","id":"r","parentId":"a","timestamp":"2026-05-01T10:00:02.000Z","reason":"new",` +
					`"firstKeptEntryId":"a"}`},
			nil, "the reset keeps this answer"},
		{"an answer comes first and follows a reset",
			[]string{header, entry("u", "", userSays(someText)),
				`{"type":"reset","id":"r","parentId":"u","timestamp":"2026-05-01T10:00:02.000Z","reason":"new"}`,
				entry("a", "r", modelSays(someText))},
			[]string{"4 CL401: add a message"}, ""},
		{"an unknown block", []string{header, entry("u", "", userSays(someText+","+oddBlock))},
			[]string{`2 CL409: remove the block of type "hologram"`}, ""},
		{"only an unknown block",
			[]string{header, entry("u", "", userSays(someText)), entry("v", "u", userSays(oddBlock))},
			[]string{"3 CL409: leave the message out of the context"}, ""},
		{"an unknown block in a result",
			[]string{header, entry("u", "", userSays(someText)), entry("a", "u", modelSays(call1)),
				entry("r", "a", strings.Replace(toolSays("toolu_01"), someTextOf("a"), oddBlock, 1))},
			[]string{`4 CL409: remove the block of type "hologram"`}, ""},
		{"version 1",
			[]string{header1, entry1(userSays(someText)), entry1(modelSays(call1 + "," + call2)), entry1(userSays(someText)),
				entry1(toolSays("toolu_01")), entry1(toolSays("toolu_09")), entry1(modelSays(someText))},
			[]string{"3 CL301: add an error", "5 CL304: move the result", "6 CL302: leave the message out"}, ""},
		{"version 1 begins with an answer", []string{header1, entry1(modelSays(someText)), entry1(userSays(someText))},
			[]string{"2 CL401: add a message"}, ""},
		{"version 1 with a compaction that counts records",
			[]string{header1, entry1(userSays(someText)), entry1(modelSays(call1)), entry1(userSays(someText)), counting},
			nil, "compactions of version 1 count records"},
		{"claw0",
			[]string{header0, `{"type":"user","content":"x","ts":"2026-02-01T10:00:01"}`,
				`{"type":"tool_result","tool_use_id":"t0","output":"x","ts":"2026-02-01T10:00:02"}`,
				`{"type":"tool_use","tool_use_id":"t1","name":"bash","input":{},"ts":"2026-02-01T10:00:03"}`,
				`{"type":"tool_use","tool_use_id":"t2","name":"bash","input":{},"ts":"2026-02-01T10:00:03"}`,
				`{"type":"assistant","content":"x","ts":"2026-02-01T10:00:05"}`,
				`{"type":"user","content":"x","ts":"2026-02-01T10:00:06"}`,
				`{"type":"tool_result","tool_use_id":"t2","output":"x","ts":"2026-02-01T10:00:07"}`},
			[]string{"3 CL302: move the record to the quarantine", "4 CL301: add an error", "8 CL304: move the result"}, ""},
		{"newer claw0",
			[]string{`{"type":"assistant","content":[{"type":"text","text":"x"}],"ts":1770000000.5}`,
				`{"type":"tool_use","tool_use_id":"t1","name":"bash","input":{},"ts":1770000001.5}`},
			[]string{"1 CL401: add a message", "2 CL301: add an error"}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text := []byte(strings.Join(test.lines, "\n") + "\n")
			checkRepair(t, text)
			plan, new := repaired(t, text)
			var got []string
			for _, m := range plan.Mends {
				got = append(got, fmt.Sprintf("%d %s: %s", m.Line, m.Code, m.Change))
			}
			if len(got) != len(test.want) {
				t.Fatalf("plan %q, want %q", got, test.want)
			}
			for i, want := range test.want {
				if !strings.HasPrefix(got[i], want) {
					t.Errorf("change %q, want %q", got[i], want)
				}
			}
			if test.left == "" != (len(plan.Left) == 0) || test.left != "" && !strings.Contains(plan.Left[0].Change, test.left) {
				t.Errorf("left %+v, want %q", plan.Left, test.left)
			}
			if v := findings(t, new).Verdict; test.left == "" && v.State != validate.Continues {
				t.Errorf("the API says %+v about\n%s", v, new)
			}
		})
	}
}

// someTextOf returns a block of text.
func someTextOf(text string) string { return string(textBlock(text)) }

// What refers to a record that is taken out refers to its neighbours afterwards: a compaction keeps what it kept, and
// other branches stay where they were.
func TestLinksToWhatIsTakenOut(t *testing.T) {
	lines := []string{header, entry("u", "", userSays(someText)), entry("b", "u", userSays(`{"type":"text","text":" "}`)),
		entry("side", "b", userSays(someText)), entry("v", "b", userSays(someText)),
		`{"type":"compaction","id":"c","parentId":"v","timestamp":"2026-05-01T10:00:02.000Z","summary":"s",` +
			`"firstKeptEntryId":"b","tokensBefore":1}`}
	o := testOptions
	o.Selection.Program = rebuild.Pi // which has no way to leave a message out of the context
	text := strings.Join(lines, "\n") + "\n"
	plan, err := New(context.Background(), strings.NewReader(text), int64(len(text)), o)
	if err != nil {
		t.Fatal(err)
	}
	new, err := io.ReadAll(plan.Edits.Reader(strings.NewReader(text), int64(len(text))))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join(append(lines[:2:2], entry("side", "u", userSays(someText)), entry("v", "u", userSays(someText)),
		strings.Replace(lines[5], `"firstKeptEntryId":"b"`, `"firstKeptEntryId":"v"`, 1)), "\n") + "\n"
	if string(new) != want {
		t.Errorf("%s\n%s\nwant\n%s", words(plan), new, want)
	}
	if len(plan.Mends) != 1 || !slices.Equal(plan.Mends[0].AlsoLines, []int64{4, 5, 6}) {
		t.Errorf("the plan does not name the lines that change:\n%s", words(plan))
	}
}
