package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"clawctl/pkg/store/session"
)

// OpenClaw's own migration imports what restore writes to a folder, with every record.
func TestRestoredFolderInOpenClaw(t *testing.T) {
	oracle := os.Getenv("CLAWCTL_ORACLE")
	if oracle == "" {
		t.Skip("needs OpenClaw; run make oracle")
	}
	for _, archive := range []string{
		"65a77cfd-0b15-4e27-af8c-e14f85830664.jsonl.reset.2026-05-04T14-58-56.795Z",
		"073b64ef-7d88-4cb4-a7ca-9d7ef5b53760.jsonl.deleted.2026-06-02T08-15-00.000Z",
		"65a77cfd-0b15-4e27-af8c-e14f85830664.jsonl.bak-1234-1777899690089",
		"e062545a-58d4-4c17-a35c-7cb0f9f71a36.checkpoint.579372de-7836-4f3f-ae5e-612549d55682.jsonl",
	} {
		folder := filepath.Join(t.TempDir(), "state")
		t.Setenv("CLAWCTL_DB", filepath.Join(t.TempDir(), "s.db"))
		path := filepath.Join("..", "..", "testdata", "home", "agents", "main", "sessions", archive)
		status, out, stderr := inProcess("", "restore", path, "--as-new", "agent:main:revived", "-o", folder, "--json")
		var done session.RestoredRow
		if err := json.Unmarshal([]byte(out), &done); err != nil || status != 0 {
			t.Fatal(status, stderr, err)
		}
		cmd := exec.Command(filepath.Join(oracle, "run-openclaw"), folder, "doctor", "--session-sqlite", "import",
			"--session-sqlite-all-agents", "--json")
		text, err := cmd.Output()
		var report struct {
			Totals struct{ ImportedEntries, ImportedTranscriptEvents, Issues int64 }
		}
		if err == nil {
			err = json.Unmarshal(text, &report)
		}
		got := report.Totals
		if err != nil || got.ImportedEntries != 1 || got.ImportedTranscriptEvents != done.Records || got.Issues != 0 {
			t.Errorf("%s: %+v, want %d events: %v", archive, got, done.Records, err)
		}
	}
}
