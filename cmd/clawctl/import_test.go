package main

import (
	"bytes"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
)

// import reads an OpenClaw database but refuses to write to one.
func TestImportLeavesOpenClawAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "openclaw-agent.sqlite")
	theirs, err := sql.Open("sqlite", path)
	if err == nil {
		_, err = theirs.Exec("CREATE TABLE transcript_events(session_id TEXT, seq INTEGER, event_json TEXT);" +
			"PRAGMA user_version = 1")
		theirs.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(path)
	for _, more := range [][]string{nil, {"--dry-run"}, {"--inherit", "agent:main:main", "--into", "goclaw:main:main"}} {
		code, _, stderr := inProcess("", append([]string{"import", "../../testdata/home", "--to", path}, more...)...)
		if code != failure.ExitDatabase || !strings.Contains(stderr, "CL911 not a clawctl store") {
			t.Error(more, code, stderr)
		}
	}
	if after, _ := os.ReadFile(path); len(before) == 0 || !bytes.Equal(before, after) {
		t.Error("the database was changed")
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
		if got := strings.Join(cli.WithoutFlag(strings.Fields(given), "--to"), " "); got != want {
			t.Errorf("%s: %s", given, got)
		}
	}
}
