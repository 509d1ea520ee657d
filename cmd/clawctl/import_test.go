package main

import (
	"bytes"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A database of OpenClaw's is a source, but nothing is imported into it.
func TestImportLeavesOpenClawAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "openclaw-agent.sqlite")
	theirs, err := sql.Open("sqlite", path)
	if err == nil {
		_, err = theirs.Exec("CREATE TABLE transcript_events(session_id TEXT, seq INTEGER, event_json TEXT); PRAGMA user_version = 1")
		theirs.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(path)
	for _, more := range [][]string{nil, {"--dry-run"}, {"--inherit", "agent:main:main", "--into", "goclaw:main:main"}} {
		code, _, said := inProcess("", append([]string{"import", "../../testdata/home", "--to", path}, more...)...)
		if code != exitDatabase || !strings.Contains(said, "CL911 not a store of clawctl's") {
			t.Error(more, code, said)
		}
	}
	if after, _ := os.ReadFile(path); len(before) == 0 || !bytes.Equal(before, after) {
		t.Error("it was written to")
	}
}

func TestWithoutFlag(t *testing.T) {
	for given, want := range map[string]string{
		"import a --to b c":     "import a c",
		"import --to=b a":       "import a",
		"import --to b -- --to": "import -- --to",
		"import a --to":         "import a",
		"import --top 3 a":      "import --top 3 a",
	} {
		if got := strings.Join(withoutFlag(strings.Fields(given), "--to"), " "); got != want {
			t.Errorf("%s: %s", given, got)
		}
	}
}
