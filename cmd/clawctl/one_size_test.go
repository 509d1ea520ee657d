package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/failure"
	"clawctl/internal/longtest"
	"clawctl/internal/testkit"
)

// A sizeAnswer has what commands say about the size of a context.
type sizeAnswer struct {
	Tokens         int64 `json:"tokens"`
	Estimated      int64 `json:"estimated"`
	RecordedBefore bool  `json:"recorded_before_compaction"`
	ContextTokens  int64 `json:"context_tokens"`
	Checkpoint     struct {
		Tokens int64 `json:"tokensAtCheckpoint"`
	} `json:"checkpoint"`
}

// askSize asks a command about a session. It reports whether the command has an answer.
func askSize(t *testing.T, args ...string) (a sizeAnswer, ok bool) {
	t.Helper()
	exit, stdout, _ := inProcess("", append(args, "--window", "1M")...)
	if exit != failure.ExitOK || strings.TrimSpace(stdout) == "" {
		return a, false
	}
	if err := json.Unmarshal([]byte(stdout), &a); err != nil {
		t.Fatalf("%v: %v: %s", args, err, stdout)
	}
	return a, true
}

// Every command that decides by the size of a context takes the same one.
func TestOneSize(t *testing.T) {
	sent, err := filepath.Glob("../../testdata/sent/*.jsonl")
	if err != nil || len(sent) < 4 {
		t.Fatal(sent, err)
	}
	files := append(sent, withoutLaterAnswers(t, sent)...)
	if longtest.IsLong() {
		files = append(files, sharedFiles(t)...)
	}
	compared := 0
	for _, file := range files {
		context, ok := askSize(t, "context", "--json", file)
		if !ok {
			continue
		}
		want := context.Tokens
		if context.RecordedBefore {
			want = context.Estimated
		}
		if a, ok := askSize(t, "flush", "--json", file); ok && a.Tokens != want {
			t.Errorf("%s: context says %d, flush %d", file, want, a.Tokens)
		}
		if a, ok := askSize(t, "compact", "--plan", "--json", file); ok && a.ContextTokens != want {
			t.Errorf("%s: context says %d, compact %d", file, want, a.ContextTokens)
		}
		if a, ok := askSize(t, "checkpoint", "--offline", file); ok {
			if compared++; a.Checkpoint.Tokens != want {
				t.Errorf("%s: context says %d, checkpoint %d", file, want, a.Checkpoint.Tokens)
			}
		}
	}
	if compared < len(sent) {
		t.Errorf("compared only %d of %d transcripts", compared, len(files))
	}
}

// withoutLaterAnswers writes copies of transcripts that end with the first checkpoint of a provider, after which
// nothing was recorded.
func withoutLaterAnswers(t *testing.T, files []string) (copies []string) {
	t.Helper()
	for _, file := range files {
		text := testkit.Read(t, file)
		at := strings.Index(string(text), `"providerReplay"`)
		if at < 0 {
			continue
		}
		end := at + strings.IndexByte(string(text[at:]), '\n') + 1
		path := filepath.Join(t.TempDir(), filepath.Base(file))
		testkit.Write(t, path, text[:end])
		copies = append(copies, path)
	}
	return copies
}
