package stats

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"clawctl/pkg/source"
)

func TestChannel(t *testing.T) {
	for key, want := range map[string]string{
		"agent:main:main": "main", "agent:main:telegram:direct:1": "telegram", "agent:x:cron:daily:run:1": "cron", "agent:x:tui-7483354b": "tui",
		"agent:x:recovered:abc": "recovered", "main:cli:user": "cli", "goclaw:main:user1": "user1", "global": "global", "": "unknown",
	} {
		if got := Channel(key); got != want {
			t.Errorf("Channel(%s) = %s, want %s", key, got, want)
		}
	}
}

// A fork repeats the records of the session it came from; they count once.
func TestForksCountOnce(t *testing.T) {
	const (
		user   = `{"type":"message","id":"u1","parentId":null,"timestamp":"2026-05-01T10:00:01.000Z","message":{"role":"user","content":"hi"}}` + "\n"
		answer = `{"type":"message","id":"a1","parentId":"u1","timestamp":"2026-05-01T10:00:02.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"t","name":"x","arguments":{}}],"usage":{"input":5,"output":2,"totalTokens":7}}}` + "\n"
		failed = `{"type":"message","id":"r1","parentId":"a1","timestamp":"2026-05-01T10:00:03.000Z","message":{"role":"toolResult","toolCallId":"t","toolName":"x","content":[],"isError":true}}` + "\n"
		first  = `{"type":"session","version":3,"id":"aaaaaaaa-0000-4000-8000-000000000001","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w"}` + "\n"
		second = `{"type":"session","version":3,"id":"aaaaaaaa-0000-4000-8000-000000000002","timestamp":"2026-05-01T11:00:00.000Z","cwd":"/w","parentSession":"/old/aaaaaaaa-0000-4000-8000-000000000001.jsonl"}` + "\n"
	)
	folder := t.TempDir()
	var sessions []*source.Session
	for name, text := range map[string]string{
		"aaaaaaaa-0000-4000-8000-000000000001.jsonl": first + user + answer + answer,
		"aaaaaaaa-0000-4000-8000-000000000002.jsonl": second + user + answer + failed,
	} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		sessions = append(sessions, source.File(path))
	}
	r, err := Collect(context.Background(), sessions, Options{By: []string{"tool", "session"}, Jobs: 2}, func(*source.Session) {})
	if err != nil {
		t.Fatal(err)
	}
	if r.Total.Messages != 3 || r.Total.Recorded.Input != 5 || r.Total.ToolCalls != 1 || r.Total.ToolErrors != 1 || r.Total.Sessions != 2 || r.Coverage.Copies != 3 {
		t.Errorf("%+v, %d copies", r.Total, r.Coverage.Copies)
	}
	if tool := r.By["tool"]["x"]; tool == nil || tool.ToolCalls != 1 || tool.ToolErrors != 1 {
		t.Errorf("tool: %+v", tool)
	}
}
