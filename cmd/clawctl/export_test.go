package main

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/failure"
)

// If one session differs from what was imported, export writes the others and reports it with its exit code.
func TestExportContinuesAfterDamage(t *testing.T) {
	folder := t.TempDir()
	db, out := filepath.Join(folder, "s.db"), filepath.Join(folder, "out")
	if code, _, stderr := inProcess("", "import", "-q", "../../testdata/home", "--to", db); code != failure.ExitOK {
		t.Fatal(code, stderr)
	}
	raw, err := sql.Open("sqlite", db)
	if err == nil {
		_, err = raw.Exec("UPDATE messages SET data = replace(data, 'valve', 'value') " +
			"WHERE session_key = 'agent:main:main'")
		raw.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	code, _, stderr := inProcess("", "export", "--from", db, "-o", out)
	if code != failure.ExitDatabase || !strings.Contains(stderr, "agent:main:main: CL925") {
		t.Error(code, stderr)
	}
	original, _ := filepath.Abs("../../testdata/home/agents/main/sessions/e062545a-58d4-4c17-a35c-7cb0f9f71a36.jsonl")
	if !strings.Contains(stderr, "hint: clawctl verify "+failure.Quote(original)+" --against "+failure.Quote(db)+"\n") {
		t.Error(stderr)
	}
	code, stdout, stderr := inProcess("", "verify", original, "--against", db)
	if code != failure.ExitDatabase || !strings.Contains(stdout, "conflict at line") {
		t.Error("the command of the hint does not report the conflict:", code, stdout, stderr)
	}
	sessions := filepath.Join(out, "home", "agents", "main", "sessions")
	if _, err := os.Stat(filepath.Join(sessions, "a1cf946c-bf7e-4069-aca1-06dac676888a.jsonl")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(sessions, "e062545a-58d4-4c17-a35c-7cb0f9f71a36.jsonl")); err == nil {
		t.Error("the changed session was exported")
	}
}
