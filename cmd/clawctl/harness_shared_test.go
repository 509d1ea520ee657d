package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"clawctl/internal/failure"
	"clawctl/internal/testkit"
	"clawctl/pkg/rebuild/apicheck"
)

// A resumeRequest is what a harness sends when a session is resumed.
type resumeRequest struct {
	Program, SessionID string
	Messages, Input    []map[string]any
}

// harnessRequests returns the files with what harnesses sent when sessions were resumed: those that everybody has, and
// those of the sessions that scripts/harness has made in the folder CLAWCTL_HARNESS.
func harnessRequests(t *testing.T) []string {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(sharedTranscripts, "harness", "*", "*", "*.resume.json"))
	if folder := os.Getenv("CLAWCTL_HARNESS"); folder != "" {
		random, _ := filepath.Glob(filepath.Join(folder, "*", "*", "*.resume.json"))
		files = append(files, random...)
	}
	if len(files) == 0 {
		t.Skip("no sessions of harnesses here; make harness makes some")
	}
	return files
}

// What is rebuilt from the files of Claude Code and Codex is what the real programs send when they resume a session.
func TestNativeIsWhatHarnessesSend(t *testing.T) {
	t.Parallel()
	requests, blocks := harnessRequests(t), 0
	sessions, different := map[string]int{}, map[string]int{}
	for _, path := range requests {
		text := testkit.Read(t, path)
		var r resumeRequest
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatal(err)
		}
		want, got := r.sent(), r.rebuilt(t, path)
		sessions[r.Program]++
		if at := firstOtherBlock(got, want); at >= 0 {
			different[r.Program]++
			t.Errorf("%s: got %d blocks, want %d, and block %d differs:\n%v\n%v", path, len(got), len(want), at,
				got[at:min(at+1, len(got))], want[at:min(at+1, len(want))])
		}
		blocks += len(want)
	}
	for _, program := range slices.Sorted(maps.Keys(sessions)) {
		t.Logf("%s: %d sessions, %d differences", program, sessions[program], different[program])
	}
	t.Logf("%d blocks", blocks)
}

// What is rebuilt is what Claude Code sends when it resumes a session, without its own reminders.
func TestNativeIsWhatClaudeCodeSends(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob(filepath.Join(sharedTranscripts, "defects*", "*", "*.sent.json"))
	if len(files) == 0 {
		t.Skip("no sessions of Claude Code with what it sent for them")
	}
	for _, path := range files {
		text := testkit.Read(t, path)
		r := resumeRequest{Program: "claude-code"}
		if err := json.Unmarshal(text, &r.Messages); err != nil {
			t.Fatal(err)
		}
		want, got := r.sent(), r.rebuilt(t, strings.TrimSuffix(path, ".sent.json")+".resume.json")
		if at := firstOtherBlock(got, want); at >= 0 {
			t.Errorf("%s: got %d blocks, want %d, and block %d differs:\n%v\n%v", path, len(got), len(want), at,
				got[at:min(at+1, len(got))], want[at:min(at+1, len(want))])
		}
	}
}

// firstOtherBlock returns the number of the first block that differs, or -1.
func firstOtherBlock(got, want []map[string]any) int {
	for at := range min(len(got), len(want)) {
		if !reflect.DeepEqual(got[at], want[at]) {
			return at
		}
	}
	if len(got) == len(want) {
		return -1
	}
	return min(len(got), len(want))
}

// sent returns what was sent, without the new prompt. If that became a part of the last message, it has ended the line
// before it.
func (r *resumeRequest) sent() []map[string]any {
	if r.Program == "codex" {
		return plainItems(r.Input[:len(r.Input)-1])
	}
	last := len(r.Messages) - 1
	for r.Messages[last]["role"] != "user" {
		last-- // what was added to the prompt
	}
	before, prompt := flatBlocks(r.Messages[:last]), flatBlocks(r.Messages[last:last+1])
	if said := prompt[:len(prompt)-1]; len(said) > 0 {
		block := said[len(said)-1]["block"].(map[string]any)
		if text, ok := block["text"].(string); ok {
			block["text"] = strings.TrimSuffix(text, "\n")
		}
		before = append(before, said...)
	}
	return before
}

// rebuilt returns what clawctl rebuilds.
func (r *resumeRequest) rebuilt(t *testing.T, path string) []map[string]any {
	t.Helper()
	name := strings.TrimSuffix(filepath.Base(path), ".resume.json") + ".jsonl"
	exit, out, errs := inProcess("", "rebuild", "--as", "native", findBelow(t, filepath.Dir(path), name))
	var messages []map[string]any
	if err := json.Unmarshal([]byte(out), &messages); err != nil || exit != 0 && exit != failure.ExitDamaged {
		t.Fatalf("%s: exit %d, %v: %s", path, exit, err, errs)
	}
	if r.Program == "codex" {
		return plainItems(messages)
	}
	return flatBlocks(messages)
}

// findBelow returns the file with a name below a folder.
func findBelow(t *testing.T, folder, name string) (found string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
		if filepath.Base(path) == name {
			found = path
		}
		return err
	})
	if err != nil || found == "" {
		t.Fatal(name, "was not found", err)
	}
	return found
}

// plainItems returns items without what Codex makes anew for every request.
func plainItems(items []map[string]any) []map[string]any {
	for i, item := range items {
		delete(item, "internal_chat_message_metadata_passthrough")
		delete(item, "metadata")
		tools, found := item["tools"].([]any)
		if item["output"] == "aborted" || found && len(tools) == 0 || i == 0 && item["role"] == "developer" {
			delete(item, "id")
		}
	}
	if len(items) > 0 && items[0]["role"] == "developer" {
		items[0]["content"] = beginningOf(items[0]["content"])
	}
	return items
}

// beginningOf returns the first letters of the instructions of the vendor. Codex leaves out sentences about tools that
// it does not offer.
func beginningOf(content any) string {
	blocks, _ := content.([]any)
	if len(blocks) == 0 {
		return ""
	}
	block, _ := blocks[0].(map[string]any)
	text, _ := block["text"].(string)
	return text[:min(len(text), 40)]
}

// flatBlocks returns the blocks of messages, each with its role. How Claude Code divides them into messages of one role
// means nothing.
func flatBlocks(messages []map[string]any) (blocks []map[string]any) {
	for _, m := range messages {
		content, _ := m["content"].([]any)
		if text, ok := m["content"].(string); ok {
			content = []any{map[string]any{"type": "text", "text": text}}
		}
		for _, block := range content {
			blocks = append(blocks, map[string]any{"role": m["role"], "block": block})
		}
	}
	return blocks
}

// The forms for the APIs of what harnesses wrote are requests that the APIs accept.
func TestHarnessSessionsAreValidRequests(t *testing.T) {
	t.Parallel()
	for _, path := range harnessRequests(t) {
		name := strings.TrimSuffix(filepath.Base(path), ".resume.json") + ".jsonl"
		file := findBelow(t, filepath.Dir(path), name)
		checks := map[string]func([]byte) error{"anthropic": apicheck.Anthropic, "openai": apicheck.OpenAI}
		for form, check := range checks {
			exit, out, errs := inProcess("", "rebuild", "--as", form, file)
			if exit != 0 && exit != failure.ExitDamaged {
				t.Fatalf("%s as %s: exit %d: %s", path, form, exit, errs)
			}
			if err := check([]byte(out)); err != nil {
				t.Errorf("%s as %s: %v", path, form, err)
			}
		}
	}
}

// A talliedAnswer is an answer of the scripted model, in the words of either API.
type talliedAnswer struct {
	Name, Kind string
	Hang, Cut  bool
	Usage      struct {
		Input, Cached, Output int64
		InputTokens           int64 `json:"input_tokens"`
		OutputTokens          int64 `json:"output_tokens"`
		CacheRead             int64 `json:"cache_read_input_tokens"`
		CacheWrite            int64 `json:"cache_creation_input_tokens"`
	}
}

// A usageSum is what stats calls recorded.
type usageSum struct {
	Input, Output int64
	CacheRead     int64 `json:"cache_read"`
	CacheWrite    int64 `json:"cache_write"`
}

// add adds what a program records of an answer. Of one that the user stops, Claude Code knows the beginning.
func (s *usageSum) add(a talliedAnswer) {
	u := a.Usage
	isCodex := strings.HasPrefix(a.Name, "codex")
	switch {
	case a.Cut, isCodex && a.Hang, !isCodex && a.Kind == "summary": // no row has it
		return
	case a.Hang:
		u.OutputTokens = 1
	}
	s.Input += u.InputTokens + u.Input - u.Cached
	s.Output += u.OutputTokens + u.Output
	s.CacheRead += u.CacheRead + u.Cached
	s.CacheWrite += u.CacheWrite
}

// The usage of random conversations is what the scripted model has counted. Whether an answer before a kill was written
// is for the moment of the kill to say, and answers beyond the script are 10 tokens in and 5 out.
func TestHarnessUsageIsWhatTheServerCounted(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("CLAWCTL_HARNESS")
	if folder == "" {
		t.Skip("CLAWCTL_HARNESS is not set; make harness sets it")
	}
	tallied, _ := filepath.Glob(filepath.Join(folder, "written", "*", "tally.jsonl"))
	for _, path := range tallied {
		written, lost := tally(t, path)
		name := filepath.Dir(path)
		exit, out, errs := inProcess("", "stats", "-q", "--json", name)
		var got struct{ Recorded usageSum }
		if err := json.Unmarshal([]byte(out), &got); err != nil || exit != 0 {
			t.Fatalf("%s: exit %d, %v: %s", name, exit, err, errs)
		}
		beyond := answersBeyondScript(t, name)
		got.Recorded.Input -= 10 * beyond
		got.Recorded.Output -= 5 * beyond
		if got.Recorded != written && got.Recorded != lost {
			t.Errorf("%s: got %+v, want %+v, or %+v without what was killed", name, got.Recorded, written, lost)
		}
	}
	t.Logf("%d conversations", len(tallied))
}

// tally sums up the answers that the server gave in a conversation: all of them, and those that were surely written.
func tally(t *testing.T, path string) (all, sure usageSum) {
	t.Helper()
	text := testkit.Read(t, path)
	for line := range strings.Lines(string(text)) {
		var a talliedAnswer
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatal(err)
		}
		if all.add(a); a.Kind != "killed" {
			sure.add(a)
		}
	}
	return all, sure
}

// answersBeyondScript counts the answers that the server gave because the script had no more.
func answersBeyondScript(t *testing.T, folder string) (count int64) {
	t.Helper()
	seen := map[string]bool{}
	_ = filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
		text, _ := os.ReadFile(path)
		for line := range strings.Lines(string(text)) {
			var row struct{ Message, Payload struct{ ID, Role string } }
			if strings.HasSuffix(path, ".jsonl") && strings.Contains(line, `"Nothing more to say."`) {
				_ = json.Unmarshal([]byte(line), &row)
			}
			if id := row.Message.ID + row.Payload.ID; id != "" && !seen[id] {
				seen[id] = true
				count++
			}
		}
		return err
	})
	return count
}
