//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"clawctl/internal/testkit"
)

// The end of a transcript of every shape, and what differs in it from the next one, as golden screens.
func TestShapeScreens(t *testing.T) {
	inUTC(t)
	folder := aHome(t)
	files, err := filepath.Glob(filepath.Join(folder, "transcripts", "*.jsonl"))
	if err != nil || len(files) < 20 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		name := filepath.Base(path)
		writeChanged(t, path, filepath.Join(folder, "changed", name))
		for _, args := range [][]string{
			{"tail", "-n", "6", "transcripts/" + name}, {"diff", "transcripts/" + name, "changed/" + name},
		} {
			for _, cols := range screenWidths {
				label := fmt.Sprintf("%s/%s-%d", args[0], strings.TrimSuffix(name, ".jsonl"), cols)
				compareScreen(t, folder, label, cols, false, args)
			}
		}
	}
}

// writeChanged writes a copy of a transcript that lacks its third line, has an end moved to the front, and says "new"
// instead of "the".
func writeChanged(t *testing.T, path, changed string) {
	t.Helper()
	data := testkit.Read(t, path)
	lines := slices.Collect(strings.Lines(string(data)))
	if len(lines) > 2 {
		lines = slices.Delete(lines, 2, 3)
	}
	if n := len(lines); n > 4 {
		lines = slices.Insert(lines[:n-1], 1, lines[n-1])
	}
	text := strings.ReplaceAll(strings.Join(lines, ""), " the ", " new ")
	if err := os.MkdirAll(filepath.Dir(changed), 0o755); err != nil {
		t.Fatal(err)
	}
	testkit.Write(t, changed, text)
}

// Following on a terminal: what is new appears below, a cut line waits, and Ctrl-C ends it without a message.
func TestTailFollowsOnScreen(t *testing.T) {
	folder := t.TempDir()
	const first = `{"type":"message","id":"u1","parentId":null,"timestamp":"2026-05-01T10:00:01.000Z","message":` +
		`{"role":"user","content":"Tea, **please**."}}` + "\n"
	const second = `{"type":"message","id":"a1","parentId":"u1","timestamp":"2026-05-01T10:00:02.000Z","message":` +
		`{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"kettle","arguments":{"on":true}}]}}` + "\n"
	const third = `{"type":"message","id":"r1","parentId":"a1","timestamp":"2026-05-01T10:00:03.000Z","message":` +
		`{"role":"toolResult","toolCallId":"c1","toolName":"kettle","content":[{"type":"text","text":"boils"}]}}` + "\n"
	path := filepath.Join(folder, "s.jsonl")
	testkit.Write(t, path, first)
	cmd := inHome(folder, "tail", "-f", "s.jsonl")
	cmd.Env = append(cmd.Env, testPoll+"=5ms")
	s := startScreen(t, 80, true, cmd)
	s.waitFor(t, "please")
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, step := range []struct{ text, shows string }{
		{second, "kettle"}, {third[:40], "kettle"}, {third[40:], "boils"},
	} {
		if _, err := file.WriteString(step.text); err != nil {
			t.Fatal(err)
		}
		s.waitFor(t, step.shows)
	}
	press(t, s, "\x03")
	exit := s.wait(t)
	checkSafe(t, s)
	checkScreen(t, "tail-follow-80-color", fmt.Sprintf("$ clawctl tail -f s.jsonl\n%s[exit %d]\n", s, exit))
}
