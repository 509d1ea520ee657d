package jsonl

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// checkForm compares what is noted of the form of a record with what a scan of it notes, and with what a search finds.
func checkForm(t *testing.T, rec *Record) {
	t.Helper()
	p := Parser{Verbatim: true}
	scanned := p.Parse(rec.view, 1, 0)
	if !scanned.Legible() {
		t.Fatalf("the form of %s is %s: %v", rec.Text(), rec.view, scanned.Damage)
	}
	if rec.fields != scanned.fields || rec.known != scanned.known || !slices.Equal(rec.parts, scanned.parts) {
		t.Errorf("%s: fields %v, %v, want %v, %v", rec.view, rec.fields, rec.parts, scanned.fields, scanned.parts)
	}
	for key, value := range Value(rec.view).Fields() {
		if got := rec.Get(string(key)); string(got) != string(value) {
			t.Errorf("%s: %s is %s, want %s", rec.view, key, got, value)
		}
	}
	if got := rec.Get("none of its keys"); got.Exists() {
		t.Errorf("%s has %s", rec.view, got)
	}
}

// What is noted of a form is what a scan of it notes.
func TestFormsAreLikeScannedLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 20)
	lines := []string{
		`{"type":"user","uuid":"u","sessionId":"s","message":{"content":[ { "type" : "text" , ` +
			`"te\u0078t" : "` + long + `"} ] }}`,
		`{"type":"user","uuid":"u","sessionId":"s","message":{"content":[{"type":"tool_result","content":[{"type":"text",` +
			`"text":"` + long + `"},"` + long + `",[1, 2 ],{}]}]},"toolUseResult":{"stdout":"` + long + `"}}`,
		`{"type":"assistant","uuid":"u","sessionId":"s","message":{"id":"m","content":[{"type":"thinking","thinking":"` +
			long + `"},{"type":"tool_use","id":"c","input":{"a":["` + long + `"]}}],"usage":{"input_tokens":1}}}`,
		`{"type":"response_item","timestamp":"t","payload":{"type":"message","role":"user","content":[{"type":"input_text",` +
			`"text":"` + long + `"},{"type":"other","` + long + `":"` + long + `"}]}}`,
		`{"type":"response_item","timestamp":"t","payload":{"type":"function_call_output","call_id":"c",` +
			`"output":"` + long + `"}}`,
		`{"type":"compacted","timestamp":"t","payload":{"message":"` + long + `","replacement_history":[{"type":"message",` +
			`"role":"user","content":[{"type":"input_text","text":"` + long + `"}]}]}}`,
		`{"type":"tool_use","tool_use_id":"c","name":"n","input":{"a":"` + long + `"},"ts":1}`,
		`{"type":"clawctl.joined","program":"Codex","id":"i","parentId":null,"row":{"type":"response_item","timestamp":"t",` +
			`"payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"` + long + `"}]}}}`,
	}
	lines = append(lines, linesBelow(t, "../../testdata/harness")...)
	var p Parser
	forms := 0
	for _, line := range lines {
		if rec := p.Parse([]byte(line), 1, 0); rec.Translator() != nil {
			checkForm(t, rec)
			checkForm(t, rec.Clone())
			forms++
		}
	}
	if forms < 20 {
		t.Errorf("%d of %d lines have a form", forms, len(lines))
	}
}

// linesBelow returns the lines of all transcripts in a folder.
func linesBelow(t *testing.T, folder string) (lines []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".jsonl" {
			return err
		}
		text, err := os.ReadFile(path)
		lines = append(lines, strings.Split(string(text), "\n")...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// A form that is nested more deeply than a line may be is none.
func TestFormsHaveTheDepthOfLines(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		depth int
		want  bool
	}{{maxDepth - 20, true}, {maxDepth - 2, true}, {maxDepth - 1, false}} {
		line := `{"type":"user","uuid":"u","sessionId":"s","message":{"content":[{"type":"tool_result","content":"x"}]},` +
			`"toolUseResult":` + strings.Repeat("[", tt.depth) + strings.Repeat("]", tt.depth) + `}`
		var p Parser
		rec := p.Parse([]byte(line), 1, 0)
		if !rec.Legible() || (rec.Translator() != nil) != tt.want {
			t.Errorf("%d levels: legible %t, translated %t", tt.depth, rec.Legible(), rec.Translator() != nil)
		}
	}
}
