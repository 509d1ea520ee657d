package main

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// One session that is not what was imported does not keep the others from being exported, and the exit code tells.
func TestExportGoesOn(t *testing.T) {
	folder := t.TempDir()
	db, out := filepath.Join(folder, "s.db"), filepath.Join(folder, "out")
	if code, _, said := inProcess("", "import", "-q", "../../testdata/home", "--to", db); code != exitOK {
		t.Fatal(code, said)
	}
	behind, err := sql.Open("sqlite", db)
	if err == nil {
		_, err = behind.Exec("UPDATE messages SET data = replace(data, 'valve', 'value') WHERE session_key = 'agent:main:main'")
		behind.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	code, _, said := inProcess("", "export", "--from", db, "-o", out)
	if code != exitDatabase || !strings.Contains(said, "agent:main:main: CL925") {
		t.Error(code, said)
	}
	original, _ := filepath.Abs("../../testdata/home/agents/main/sessions/e062545a-58d4-4c17-a35c-7cb0f9f71a36.jsonl")
	if !strings.Contains(said, "hint: clawctl verify "+shellQuote(original)+" --against "+shellQuote(db)+"\n") {
		t.Error(said)
	}
	if code, found, said := inProcess("", "verify", original, "--against", db); code != exitFindings || !strings.Contains(found, "conflict at line") {
		t.Error("the hint tells nothing", code, found, said)
	}
	sessions := filepath.Join(out, "home", "agents", "main", "sessions")
	if _, err := os.Stat(filepath.Join(sessions, "a1cf946c-bf7e-4069-aca1-06dac676888a.jsonl")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(sessions, "e062545a-58d4-4c17-a35c-7cb0f9f71a36.jsonl")); err == nil {
		t.Error("the changed session was written as if it were whole")
	}
}
