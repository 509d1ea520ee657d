package main

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/failure"
	"clawctl/internal/testkit"
	"clawctl/pkg/jsonl"
)

// verify reports a store without read permission as such, not as a missing or unrecognized file.
func TestVerifyAgainstUnreadable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	if code, _, stderr := inProcess("", "import", "-q", "../../testdata/home", "--to", path); code != failure.ExitOK {
		t.Fatal(code, stderr)
	}
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	if file, err := os.Open(path); err == nil {
		file.Close()
		t.Skip("file permissions do not apply: root, or a system without them")
	}
	code, _, stderr := inProcess("", "verify", "../../testdata/home", "--against", path)
	if code != failure.ExitUsage || !strings.Contains(stderr, "s.db: CL902 permission denied") ||
		!strings.Contains(stderr, "hint: ls -l ") {
		t.Error(code, stderr)
	}
}

// If there is a store and an OpenClaw database, verify compares with the store, and stderr says how to compare with the
// other.
func TestVerifyNamesOtherDatabase(t *testing.T) {
	state, own := stateWithDatabase(t), filepath.Join(t.TempDir(), "own.db")
	t.Setenv("OPENCLAW_STATE_DIR", state)
	t.Setenv("CLAWCTL_DB", own)
	if code, _, stderr := inProcess("", "verify"); code != failure.ExitOK || strings.Contains(stderr, "--against") ||
		!strings.Contains(stderr, "with the OpenClaw databases below "+state) {
		t.Error("without a store:", code, stderr)
	}
	if code, _, stderr := inProcess("", "import", "-q"); code != failure.ExitOK {
		t.Fatal(code, stderr)
	}
	code, table, stderr := inProcess("", "verify")
	remark := "clawctl: compared with the clawctl store " + own + "; to compare with OpenClaw's databases: " +
		failure.Command("clawctl", "verify", "--against", state) + "\n"
	if code != failure.ExitOK || !strings.HasSuffix(stderr, remark) || !strings.Contains(table, "  "+own+"\n") {
		t.Error(code, table, stderr)
	}
	if _, rows, _ := inProcess("", "verify", "--json"); strings.Count(rows, `"against":`+jsonl.Quote(own)+`}`) != 3 {
		t.Error(rows)
	}
	if _, _, stderr := inProcess("", "verify", "--against", state); strings.Contains(stderr, "to compare") {
		t.Error("a hint without a choice of databases:", stderr)
	}
}

// stateWithDatabase makes a state folder with one session, in a file and in an OpenClaw database.
func stateWithDatabase(t *testing.T) string {
	t.Helper()
	const record = `{"type":"session","version":3,"id":"one","timestamp":"2026-05-01T10:00:00.000Z"}`
	state := t.TempDir()
	agent := filepath.Join(state, "agents", "main")
	for _, folder := range []string{"sessions", "agent"} {
		if err := os.MkdirAll(filepath.Join(agent, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	testkit.Write(t, filepath.Join(agent, "sessions", "one.jsonl"), record+"\n")
	db, err := sql.Open("sqlite", filepath.Join(agent, "agent", "openclaw-agent.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	_, err = db.Exec("CREATE TABLE transcript_events(session_id TEXT, seq INTEGER, event_json TEXT);"+
		"INSERT INTO transcript_events VALUES ('one', 0, ?)", record)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// The homes in which files used to be listed that must stay. Each is imported, so that only its own state matters.
func TestDefectsAreNotListed(t *testing.T) {
	defects := filepath.Join(sharedTranscripts, "defects")
	if _, err := os.Stat(defects); err != nil {
		t.Skip("no examples of defects here")
	}
	for name, unlisted := range map[string][]string{
		"01-cold":                 {"cccccccc"},
		"05-numbers":              {},
		"09-lock-held":            {"11111111"},
		"10-claw0-registered":     {"0a1b2c3d4e5f"},
		"11-registered-elsewhere": {"weird"},
		"12-cold-in-use":          {"dd30d917"},
	} {
		home, own := filepath.Join(defects, name), filepath.Join(t.TempDir(), "own.db")
		if code, _, stderr := inProcess("", "import", "-q", home, "--to", own); code != failure.ExitOK {
			t.Error(name, code, stderr)
		}
		_, listed, _ := inProcess("", "verify", home, "--against", own, "--list-safe")
		for _, file := range unlisted {
			if strings.Contains(listed, file) {
				t.Errorf("%s lists %s", name, listed)
			}
		}
		if _, err := os.Stat(filepath.Join(home, "agents/main/agent")); err == nil {
			if _, listed, _ := inProcess("", "verify", home, "--against", home, "--list-safe"); listed != "" {
				t.Errorf("%s lists against its own database: %s", name, listed)
			}
		}
	}
	unwrapped, own := filepath.Join(defects, "01-cold"), filepath.Join(t.TempDir(), "own.db")
	if code, _, stderr := inProcess("", "import", unwrapped, "--to", own); !strings.Contains(stderr, "8 records") {
		t.Error("records of cold storage are lost:", code, stderr)
	}
}
