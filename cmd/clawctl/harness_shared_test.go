package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// A resumeRequest is what a harness sends when a session is resumed.
type resumeRequest struct {
	Program, SessionID string
	Messages, Input    []map[string]any
}

// What is rebuilt from the files of Claude Code and Codex is what the real programs send when they resume a session.
func TestNativeIsWhatHarnessesSend(t *testing.T) {
	t.Parallel()
	requests, _ := filepath.Glob(filepath.Join(sharedTranscripts, "harness", "*", "*", "*.resume.json"))
	if len(requests) == 0 {
		t.Skip("no sessions of harnesses here")
	}
	blocks := 0
	for _, path := range requests {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var r resumeRequest
		if err := json.Unmarshal(text, &r); err != nil {
			t.Fatal(err)
		}
		if filepath.Base(filepath.Dir(path)) == "background" {
			continue // its notification is wrapped in a longer text when it is sent
		}
		want, got := r.sent(), r.rebuilt(t, path)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %d blocks, want %d\n%v\n%v", path, len(got), len(want), got, want)
		}
		blocks += len(want)
	}
	t.Logf("%d blocks of %d sessions", blocks, len(requests))
}

// sent returns what was sent, without the new prompt at the end.
func (r *resumeRequest) sent() []map[string]any {
	if r.Program == "codex" {
		delete(r.Input[0], "id") // of the instructions, made when they are sent
		return plainItems(r.Input[:len(r.Input)-1])
	}
	return flatBlocks(r.Messages[:len(r.Messages)-1])
}

// rebuilt returns what clawctl rebuilds.
func (r *resumeRequest) rebuilt(t *testing.T, path string) []map[string]any {
	t.Helper()
	name := strings.TrimSuffix(filepath.Base(path), ".resume.json") + ".jsonl"
	exit, out, errs := inProcess("", "rebuild", "--as", "native", findBelow(t, filepath.Dir(path), name))
	var messages []map[string]any
	if err := json.Unmarshal([]byte(out), &messages); err != nil || exit != 0 {
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
	for _, item := range items {
		delete(item, "internal_chat_message_metadata_passthrough")
		delete(item, "metadata")
		if item["output"] == "aborted" {
			delete(item, "id")
		}
	}
	return items
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
