package rebuild

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"clawctl/internal/testkit"
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
	text := testkit.Read(t, "../../testdata/replacements/c0ffee00-3333-4222-8333-444455556666.jsonl")
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
	if _, got, lines := prove(t, text); lines != nil || got.proved != got.requests {
		t.Errorf("got %v, %v", got, lines)
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

// call adds a call of an answer, and returns the id of its row.
func (w *loggedTalk) call(answer, id string) string {
	return w.row("assistant", map[string]any{"message": map[string]any{"role": "assistant", "id": answer,
		"model": "claude-opus-5-5", "content": []any{map[string]any{"type": "tool_use", "id": id, "name": "Read",
			"input": map[string]any{}}}}})
}

// result adds the result of a call behind the row of the call.
func (w *loggedTalk) result(row, id string, content any) {
	w.row("user", map[string]any{"parentUuid": row, "message": map[string]any{"role": "user",
		"content": []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": content}}}})
}

// hook adds what a hook says.
func (w *loggedTalk) hook(text string) {
	w.row("attachment", map[string]any{"attachment": map[string]any{"type": "hook_additional_context"},
		"renderedRole": "system", "rendered": []any{map[string]any{"content": text}}})
}

// checkOrder checks that words stand in messages in an order, and others in none of them.
func checkOrder(t *testing.T, sent []string, order, absent []string) {
	t.Helper()
	all, at := strings.Join(sent, "\n"), 0
	for _, word := range order {
		next := strings.Index(all[at:], word)
		if next < 0 {
			t.Fatalf("%s does not follow in %s", word, all)
		}
		at += next + len(word)
	}
	for _, word := range absent {
		if strings.Contains(all, word) {
			t.Errorf("%s is in %s", word, all)
		}
	}
}

// What was added to a result is sent although another result is on the path, unless somebody goes on from there.
func TestAddedBesideThePath(t *testing.T) {
	t.Parallel()
	for _, goesOn := range []bool{false, true} {
		w := &loggedTalk{}
		w.say("user", "go")
		first := w.call("m1", "c1")
		second := w.call("m1", "c2")
		w.result(first, "c1", "first result")
		w.hook("first hook")
		w.hook("second hook")
		if goesOn {
			w.say("assistant", textContent("another branch"))
		}
		w.result(second, "c2", "second result")
		w.say("assistant", textContent("done"))
		order, absent := []string{"first result", "first hook", "second hook", "second result", "done"}, []string(nil)
		if goesOn {
			order, absent = []string{"first result", "second result", "done"}, []string{"hook", "another branch"}
		}
		checkOrder(t, nativeMessages(t, w.lines()), order, absent)
	}
}

// What was added to a result is sent too if the next call of the same answer continues it.
func TestAddedBetweenCalls(t *testing.T) {
	t.Parallel()
	w := &loggedTalk{}
	w.say("user", "go")
	first := w.call("m1", "c1")
	second := w.call("m1", "c2")
	w.result(second, "c2", "second result")
	w.hook("a hook")
	third := w.call("m1", "c3")
	w.result(third, "c3", "third result")
	w.result(first, "c1", "first result")
	w.say("assistant", textContent("done"))
	checkOrder(t, nativeMessages(t, w.lines()), []string{"second result", "a hook", "third result", "first result"}, nil)
}

// What a task reports beside a prompt of the user is introduced in other words than behind a result or an answer.
func TestNoticeInTurn(t *testing.T) {
	t.Parallel()
	w := &loggedTalk{}
	notice := func(text string) {
		w.row("attachment", map[string]any{"attachment": map[string]any{"type": "queued_command", "prompt": text,
			"commandMode": "task-notification"}})
	}
	w.say("user", "go")
	w.hook("a hook")
	notice("first notice")
	call := w.call("m1", "c1")
	w.result(call, "c1", "a result")
	notice("second notice")
	w.say("assistant", textContent("done"))
	sent := nativeMessages(t, w.lines())
	const beside, behind = "in the same turn as a genuine message", "since the last genuine user message"
	checkOrder(t, sent, []string{"a hook", beside, "first notice", "a result", behind, "second notice"}, nil)
	if all := strings.Join(sent, "\n"); strings.Count(all, beside) != 1 || strings.Count(all, behind) != 1 {
		t.Error(all)
	}
}

// A session is resumed with the model of the last answer behind a compaction, whose thoughts are sent under each of its
// names.
func TestModelOfResumedSession(t *testing.T) {
	t.Parallel()
	w := &loggedTalk{}
	answer := func(model string) {
		w.row("assistant", map[string]any{"message": map[string]any{"role": "assistant", "id": "of " + w.last, "model": model,
			"content": []any{map[string]any{"type": "thinking", "thinking": "thought of " + model, "signature": "s"},
				map[string]any{"type": "text", "text": "said by " + model}}}})
	}
	w.say("user", "go")
	answer("claude-opus-5-5")
	answer("claude-sonnet-4-5")
	answer("claude-sonnet-4-5-20250929")
	w.hook("a hook")
	w.say("user", "on")
	sent := nativeMessages(t, w.lines())
	checkOrder(t, sent, []string{"said by claude-opus-5-5", "thought of claude-sonnet-4-5",
		"thought of claude-sonnet-4-5-20250929"},
		[]string{"thought of claude-opus-5-5", `"role":"system"`})
	w.row("system", map[string]any{"subtype": "compact_boundary", "parentUuid": nil, "logicalParentUuid": w.last})
	summary := map[string]any{"role": "user", "content": "summary"}
	w.row("user", map[string]any{"isCompactSummary": true, "message": summary})
	w.hook("another hook")
	checkOrder(t, nativeMessages(t, w.lines()), []string{"summary", `"role":"system"`, "another hook"}, nil)
}

// A row that is repeated at the end does no harm.
func TestRepeatedRowAtTheEnd(t *testing.T) {
	t.Parallel()
	w := &loggedTalk{}
	w.say("user", "go")
	first := w.call("m1", "c1")
	second := w.call("m1", "c2")
	w.result(first, "c1", "first result")
	repeated := w.rows[len(w.rows)-1]
	w.result(second, "c2", "second result")
	w.say("assistant", textContent("done"))
	w.rows = append(w.rows, repeated)
	sent := nativeMessages(t, w.lines())
	checkOrder(t, sent, []string{"first result", "second result", "done"}, []string{claudeNoResponse})
	if len(sent) != 4 {
		t.Errorf("%d messages: %q", len(sent), sent)
	}
}

// The text for loaded tools stands behind all results, and before what was added.
func TestToolLoadedBehindResults(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"claude-opus-5-5", "claude-sonnet-4-5"} {
		w := &loggedTalk{}
		w.say("user", "go")
		first := w.call("m1", "c1")
		second := w.call("m1", "c2")
		w.result(first, "c1", []any{map[string]any{"type": "tool_reference", "tool_name": "CronList"}})
		w.result(second, "c2", "second result")
		w.hook("a hook")
		w.row("assistant", map[string]any{"message": map[string]any{"role": "assistant", "id": "m2", "model": model,
			"content": textContent("done")}})
		sent := nativeMessages(t, w.lines())
		checkOrder(t, sent, []string{"tool_reference", "second result", `"` + claudeToolLoaded + `"`, "a hook", "done"}, nil)
		if isUser := !strings.Contains(strings.Join(sent, ""), `"system"`); isUser != (model == "claude-sonnet-4-5") {
			t.Errorf("%s: %q", model, sent)
		}
	}
}

// What a compaction keeps does not include the summary of the one before it.
func TestTwoCompactions(t *testing.T) {
	t.Parallel()
	w := &loggedTalk{}
	compact := func(head, tail, summary string) {
		w.row("system", map[string]any{"subtype": "compact_boundary", "parentUuid": nil, "logicalParentUuid": w.last,
			"compactMetadata": map[string]any{"preservedSegment": map[string]any{"headUuid": head, "tailUuid": tail}}})
		w.hook("date of " + summary)
		w.row("user", map[string]any{"isCompactSummary": true, "message": map[string]any{"role": "user", "content": summary}})
	}
	w.say("user", "old prompt")
	w.say("assistant", textContent("kept answer"))
	head := w.last
	w.say("user", "kept prompt")
	compact(head, w.last, "first summary")
	w.hook("after the first")
	compact(head, w.last, "second summary")
	checkOrder(t, nativeMessages(t, w.lines()),
		[]string{"second summary", "kept answer", "after the first", "kept prompt"},
		[]string{"old prompt", "first summary"})
}

// A fork of a compacted session has written again what its boundary keeps, and a row of another session has its parent
// there.
func TestLinksOfClaudeCode(t *testing.T) {
	t.Parallel()
	boundary := func(head, tail string) string {
		return `{"type":"system","subtype":"compact_boundary","uuid":"b","parentUuid":null,"logicalParentUuid":"gone",` +
			`"sessionId":"s2","compactMetadata":{"preservedSegment":{"headUuid":"` + head + `","tailUuid":"` + tail + `"}}}`
	}
	prompt := func(id, parent, session string) string {
		return `{"type":"user","uuid":"` + id + `","parentUuid":` + parent + `,"sessionId":"` + session +
			`","message":{"role":"user","content":"x"}}`
	}
	for name, test := range map[string]struct {
		rows []string
		want []string
	}{
		"kept rows behind the boundary": {[]string{boundary("k", "k"), prompt("k", `"b"`, "s2")}, nil},
		"kept rows nowhere":             {[]string{boundary("k", "k"), prompt("l", `"b"`, "s2")}, []string{"CL207"}},
		"the plan of another session": {[]string{prompt("a", `"gone"`, "s1"), prompt("b", "null", "s2")},
			[]string{"CL201 copied"}},
		"a lost parent": {[]string{prompt("a", "null", "s1"), prompt("b", `"gone"`, "s2"), prompt("c", `"b"`, "s2")},
			[]string{"CL201"}},
	} {
		var got []string
		text := strings.Join(test.rows, "\n") + "\n"
		ix, err := Scan(jsonl.NewReader(strings.NewReader(text), jsonl.Options{}), nil)
		if err != nil {
			t.Fatal(err)
		}
		ix.Check(func(f Fault) {
			switch {
			case f.Copied:
				got = append(got, string(f.Code)+" copied")
			case f.Code == NoParent, f.Code == NoKept:
				got = append(got, string(f.Code))
			}
		})
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
}
