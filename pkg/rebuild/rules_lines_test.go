package rebuild

import (
	"strings"
	"testing"

	"clawctl/pkg/jsonl"
)

// lineTexts returns what a program without a tree sends of a transcript in the form of records.
func lineTexts(t *testing.T, lines ...string) string {
	t.Helper()
	text := []byte(strings.Join(lines, "\n") + "\n")
	ix, _ := read(t, text, "")
	ix.rules = codexRules
	c, err := ix.Context("")
	if err != nil {
		t.Fatal(err)
	}
	c.Outline()
	c.Check(func(Fault) {})
	return string(gather(t, text, func(r *jsonl.Reader, emit func([]byte) error) error {
		return c.Conversation(Limits{}).Anthropic(r.All(), emit)
	}))
}

const (
	question = `{"type":"message","message":{"role":"user","content":"first"}}`
	reply    = `{"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"yes"}]}}`
	second   = `{"type":"message","message":{"role":"user","content":"second"}}`
)

// The messages inside a compaction replace everything before it, with their calls and results.
func TestMessagesInsideCompaction(t *testing.T) {
	compaction := `{"type":"compaction","summary":"s","messages":[{"role":"user","content":"kept"},` +
		`{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"n","arguments":{"a":1}}]},` +
		`{"role":"toolResult","toolCallId":"c","toolName":"n","content":[{"type":"text","text":"r"}],"isError":false}]}`
	got := lineTexts(t, question, reply, compaction, second)
	want := `[{"role":"user","content":[{"type":"text","text":"kept"}]},` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"n","input":{"a":1}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[{"type":"text","text":"r"}]},` +
		`{"type":"text","text":"second"}]}]`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	// Without messages in it, what the user said stays.
	summary := lineTexts(t, question, `{"type":"compaction","timestamp":"2026-01-01T00:00:00Z","summary":"told"}`, second)
	if !strings.Contains(summary, "first") || !strings.Contains(summary, "told") || !strings.Contains(summary, "second") {
		t.Errorf("after a summary: %s", summary)
	}
	if other := lineTexts(t, compaction, question, compaction); strings.Count(other, `"kept"`) != 1 {
		t.Errorf("after the second compaction: %s", other)
	}
}

// A rollback takes back the last turns with their answers, and no more than there are.
func TestRollback(t *testing.T) {
	for _, test := range []struct{ turns, want string }{
		{"1", `[{"role":"user","content":[{"type":"text","text":"first"}]},` +
			`{"role":"assistant","content":[{"type":"text","text":"yes"}]}]`},
		{"2", `[]`}, {"9", `[]`}, {"-1", ""}, {`"x"`, ""},
	} {
		got := lineTexts(t, question, reply, second, reply, `{"type":"rollback","turns":`+test.turns+`}`)
		if test.want == "" {
			test.want = lineTexts(t, question, reply, second, reply)
		}
		if got != test.want {
			t.Errorf("%s turns: got %s", test.turns, got)
		}
	}
}

// compactionOf returns a compaction with one message of the user in it.
func compactionOf(text string) string {
	return `{"type":"compaction","summary":"s","messages":[{"role":"user","content":"` + text + `"}]}`
}

// The prompt in a header is part of the context, even after a compaction, but not a message of a request.
func TestPromptInHeader(t *testing.T) {
	header := `{"type":"session","version":3,"id":"s","cwd":"/","systemMessage":{"role":"system","content":"Be brief."}}`
	text := []byte(strings.Join([]string{header, question, compactionOf("kept"), second},
		"\n") + "\n")
	ix, _ := read(t, text, "")
	ix.rules = codexRules
	c, err := ix.Context("")
	if err != nil || len(c.items) != 3 || !c.items[0].prompt || len(c.PathPlaces()) != 2 {
		t.Fatalf("%v, items %+v", err, c.items)
	}
	if got := lineTexts(t, header, question); strings.Contains(got, "brief") {
		t.Errorf("got %s", got)
	}
}

// OpenClaw and pi know neither messages inside a compaction nor rollbacks.
func TestAdditionsAreForTranslations(t *testing.T) {
	lines := []string{said("a", "", "user", `"content":"x"`), `{"type":"rollback","id":"b","parentId":"a","turns":1}`,
		said("c", "a", "user", `"content":"y"`)}
	for _, author := range []Author{{}, {Forced: Pi}} {
		ix, _ := scanBy(t, author, lines...)
		unknown := 0
		ix.Check(func(f Fault) {
			if f.Code == UnknownType {
				unknown++
			}
		})
		if unknown != 1 {
			t.Errorf("%s: %d unknown types", ix.Program.Name, unknown)
		}
	}
}
