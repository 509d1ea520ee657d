package main

import (
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/testkit"
)

// No error, finding, fix or summary repeats the text of a transcript.
func TestNoReportRepeatsTheText(t *testing.T) {
	const secret = "hunter2-correct-horse-battery"
	rows := []string{
		`{"type":"session","version":3,"id":"s","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/SECRET"}`,
		`{"type":"message","id":"u1","parentId":null,"timestamp":"2026-05-01T10:00:01.000Z",` +
			`"message":{"role":"user","content":"SECRET"}}`,
		`{"type":"message","id":"u2","parentId":"u1","timestamp":"SECRET",` +
			`"message":{"role":"SECRET","content":{"SECRET":"SECRET"}}}`,
		`{"type":"SECRET","id":"u3","parentId":"u2","timestamp":"2026-05-01T10:00:01.000Z","SECRET":1}`,
		`{"type":"message","id":"a1","parentId":"u2","timestamp":"2026-05-01T10:00:02.000Z",` +
			`"message":{"role":"assistant","content":[` +
			`{"type":"toolCall","id":"t1","name":"SECRET.x","arguments":{"a":"SECRET"}},` +
			`{"type":"thinking","thinking":"SECRET","thinkingSignature":"SECRET"}],"stopReason":"SECRET"}}`,
		`{"type":"compaction","id":"c1","parentId":"a1","timestamp":"SECRET",` +
			`"summary":"SECRET","firstKeptEntryId":"gone","tokensBefore":"SECRET"}`,
		`{"type":"message","id":"u4","SECRET SECRET`,
	}
	folder := t.TempDir()
	file, db := filepath.Join(folder, "s.jsonl"), filepath.Join(folder, "s.db")
	text := strings.ReplaceAll(strings.Join(rows, "\n"), "SECRET", secret)
	testkit.Write(t, file, text)
	for _, args := range [][]string{
		{"import", "--json", file, "--to", db},
		{"import", "-v", file, "--to", filepath.Join(folder, "v.db")},
		{"import", "--strict", file, "--to", filepath.Join(folder, "t.db")},
		{"verify", "--json", file, "--against", db}, {"verify", file, "--against", db},
		{"export", "-v", "--from", db, "-o", filepath.Join(folder, "out")},
		{"compact", "--plan", file}, {"compact", "--plan", "--json", file}, {"context", "--window", "1000", file},
		{"flush", "--window", "1000", file}, {"flush", "--report", "--json", file},
		{"validate", "-v", file}, {"validate", "--summary", file}, {"validate", "--format", "ndjson", file},
		{"validate", "--format", "sarif", file}, {"validate", "--format", "github", file},
		{"rebuild", "--fixes", "-", file}, {"rebuild", "--strict", file},
		{"rebuild", "--as", "native", "--leaf", "no", file},
	} {
		_, stdout, stderr := inProcess("", args...)
		if strings.Contains(stdout+stderr, secret) {
			t.Errorf("%v repeats the text:\n%s%s", args, stdout, stderr)
		}
	}
}
