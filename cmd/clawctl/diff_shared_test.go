package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/failure"
	"clawctl/internal/testkit"
)

// OpenClaw's migration has changed no record of the real sessions, and has archived one without a header. A comparison
// that knows nothing about diff agrees.
func TestDiffOfMigration(t *testing.T) {
	t.Parallel()
	before, after := sharedTranscripts+"/openclaw-jsonl", sharedTranscripts+"/openclaw-sqlite"
	if _, err := os.Stat(after); err != nil {
		t.Skip("no real transcripts here")
	}
	exit, out, errs := inProcess("", "diff", before, after)
	const headerless = "7be6f0ca-c0fd-548f-bfa5-acd51df3c51a"
	if exit != failure.ExitFindings || !strings.HasPrefix(out, "11 sessions: 10 the same, 1 of another kind.\n") ||
		!strings.Contains(out, headerless+"  of another kind (live in A, archive in B)") {
		t.Errorf("exit %d: %s%s", exit, out, errs)
	}
	files, err := filepath.Glob(before + "/agents/*/sessions/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal(len(files), "files", err)
	}
	for _, file := range files {
		id := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		if strings.Contains(id, ".") || id == headerless {
			continue // a checkpoint or a trajectory
		}
		agent := filepath.Base(filepath.Dir(filepath.Dir(file)))
		_, got, _ := inProcess("", "cat", after+"/agents/"+agent+"/agent/openclaw-agent.sqlite#"+id)
		want := testkit.Read(t, file)
		if same := strings.TrimSpace(got) == strings.TrimSpace(string(want)); !same {
			t.Errorf("%s: the bytes differ, but diff says that nothing does", file)
		}
	}
}

// A backup from before a turn has what the live session has, but for what was written since.
func TestDiffOfBackup(t *testing.T) {
	folder := sharedTranscripts + "/openclaw-jsonl/agents/course/sessions/"
	backup := folder + "bd3422d3-4ccb-597c-978d-ace1581c7c9b.jsonl.bak-4232-1777903094139"
	if _, err := os.Stat(backup); err != nil {
		t.Skip("no real transcripts here")
	}
	exit, out, _ := inProcess("", "diff", "--only", "removed", backup, folder+"bd3422d3-4ccb-597c-978d-ace1581c7c9b.jsonl")
	if exit != failure.ExitOK || out != "A: 8 records, B: 135. Nothing only in A.\n" {
		t.Errorf("exit %d: %s", exit, out)
	}
}
