package rebuild

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"clawctl/pkg/jsonl"
)

// nativeMessages returns the messages that are rebuilt from a text.
func nativeMessages(t *testing.T, text []byte) (messages []string) {
	t.Helper()
	read := func() *jsonl.Reader { return jsonl.NewReader(bytes.NewReader(text), jsonl.Options{}) }
	ix, err := Scan(read(), nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ix.Context("")
	if err != nil {
		t.Fatal(err)
	}
	err = c.Native(read().All(), func(m []byte) error {
		messages = append(messages, string(m))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return messages
}

// lines returns what a talk has written.
func (w *loggedTalk) lines() []byte { return []byte(strings.Join(w.rows, "\n") + "\n") }

// Results are sent with what replaces them, unless they were short before or the rows are another agent's. The real
// program sends the same for this file (make harness).
func TestReplacedResults(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../testdata/replacements/c0ffee00-3333-4222-8333-444455556666.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	sent := strings.Join(nativeMessages(t, text), "\n")
	for _, want := range []string{
		`"call_h1","type":"tool_result","content":"<persisted-output>\nThe first list is in a file.\n</persisted-output>"`,
		`"call_h2","type":"tool_result","content":"The second list has another kind of replacement."`,
		`"call_h3","type":"tool_result","content":"<persisted-output>\nThe third list is stored already.`,
		`"call_h4","type":"tool_result","content":"[Old tool result content cleared]"`,
		`"call_h5","type":"tool_result","content":[{"type":"text","text":"The fifth list is in a file."}]`,
		`"call_h6","type":"tool_result","content":""`,
		`"call_h7","type":"tool_result","content":[{"type":"text","text":"The seventh has an image."},{"type":"image"`,
		`"call_h8","type":"tool_result","content":"The eighth list is only named by the boundary."`,
	} {
		if !strings.Contains(sent, want) {
			t.Errorf("no %s in\n%s", want, sent)
		}
	}
}

// In the transcript of a subagent, the rows with its id count, and the logged hashes are those of what was sent.
func TestReplacedResultsOfSubagent(t *testing.T) {
	t.Parallel()
	beside := map[string]any{"isSidechain": true}
	w := &loggedTalk{}
	w.row("user", map[string]any{"isSidechain": true, "message": map[string]any{"role": "user", "content": "go"}})
	w.row("assistant", map[string]any{"isSidechain": true, "message": map[string]any{"role": "assistant", "id": "m1",
		"model": "claude-opus-4-6", "content": []any{map[string]any{"type": "tool_use", "id": "c1", "name": "Read",
			"input": beside}}}})
	result := func(content string) any {
		return []any{map[string]any{"type": "tool_result", "tool_use_id": "c1", "content": content}}
	}
	w.row("user", map[string]any{"isSidechain": true,
		"message": map[string]any{"role": "user", "content": result("long")}})
	for agent, text := range map[string]string{"": "not sent", "a1": "short"} {
		row := map[string]any{"type": "content-replacement", "sessionId": "s", "replacements": []any{map[string]any{
			"kind": "tool-result", "toolUseId": "c1", "replacement": text}}}
		if agent != "" {
			row["agentId"] = agent
		}
		w.add(row)
	}
	sent := nativeMessages(t, w.lines())
	if !strings.Contains(sent[2], `"content":"short"`) {
		t.Errorf("got %q", sent)
	}
}

// What was replaced has the hash that is logged for it.
func TestProveReplacedResult(t *testing.T) {
	t.Parallel()
	text := conversation(2)
	short := []byte("found it, and ten pages more")
	text = bytes.Replace(text, []byte(`"content":"found it"`), []byte(`"content":"`+string(short)+`"`), 1)
	if _, _, lines := prove(t, text); !slices.Equal(lines, []int64{4}) {
		t.Fatalf("got lines %v", lines)
	}
	row := `{"type":"content-replacement","sessionId":"s","replacements":[` +
		`{"kind":"tool-result","toolUseId":"toolu_0","replacement":"found it"}]}` + "\n"
	at := bytes.Index(text, short)
	at += bytes.IndexByte(text[at:], '\n') + 1
	text = slices.Insert(text, at, []byte(row)...)
	if _, proof, lines := prove(t, text); lines != nil || proof.Proved != proof.Requests {
		t.Errorf("got %v, %v", proof, lines)
	}
}

// What is added to a prompt does not go before what was said before a failed answer, which is not sent.
func TestAddedAfterFailedAnswer(t *testing.T) {
	t.Parallel()
	w := &loggedTalk{}
	prompt := func(text string) {
		w.row("user", map[string]any{"message": map[string]any{"role": "user", "content": text}})
	}
	added := func(text string) {
		w.row("attachment", map[string]any{"attachment": map[string]any{"type": "file"}, "renderedRole": "user",
			"rendered": []any{map[string]any{"content": text}}})
	}
	prompt("one")
	added("first")
	w.row("assistant", map[string]any{"isApiErrorMessage": true, "message": map[string]any{"role": "assistant",
		"id": "e", "model": "<synthetic>", "content": textContent("API Error")}})
	prompt("two")
	added("second")
	sent := nativeMessages(t, w.lines())
	order := []string{"first", "one", "second", "two"}
	at := -1
	for _, word := range order {
		next := strings.Index(sent[0], word)
		if next < at {
			t.Errorf("got %s, want the order %v", sent[0], order)
		}
		at = next
	}
}

// Of two calls, only one has a result when the program ends.
func TestOneOfTwoCallsInterrupted(t *testing.T) {
	t.Parallel()
	w := &loggedTalk{}
	w.say("user", "go")
	call := func(id string) string {
		return w.row("assistant", map[string]any{"message": map[string]any{"role": "assistant", "id": "m1",
			"model": "claude-opus-4-6", "content": []any{map[string]any{"type": "tool_use", "id": id, "name": "Read",
				"input": map[string]any{}}}}})
	}
	first := call("c1")
	call("c2")
	w.row("user", map[string]any{"parentUuid": first, "message": map[string]any{"role": "user",
		"content": []any{map[string]any{"type": "tool_result", "tool_use_id": "c1", "content": "done"}}}})
	sent := nativeMessages(t, w.lines())
	if len(sent) != 4 || strings.Count(sent[1], `"tool_use"`) != 2 || !strings.Contains(sent[3], claudeNoResponse) {
		t.Fatalf("got %q", sent)
	}
	want := fmt.Sprintf(`"content":%q,"is_error":true,"tool_use_id":"c2"`, claudeInterruption)
	if !strings.Contains(sent[2], `"content":"done"`) || !strings.Contains(sent[2], want) {
		t.Errorf("got %s", sent[2])
	}
}
