package main

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/failure"
)

// changeStore imports the example home into a store and changes it with SQL.
func changeStore(t *testing.T, statements string) (db string) {
	t.Helper()
	db = filepath.Join(t.TempDir(), "s.db")
	if code, _, stderr := inProcess("", "import", "-q", "../../testdata/home", "--to", db); code != failure.ExitOK {
		t.Fatal(code, stderr)
	}
	raw, err := sql.Open("sqlite", db)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if _, err := raw.Exec(statements); err != nil {
		t.Fatal(err)
	}
	return db
}

// Whatever happens to a receipt, export and verify say so.
func TestDamagedReceipt(t *testing.T) {
	t.Parallel()
	for _, change := range []string{
		"path = replace(path, 'e062', 'e063')", "root = '/'", "session_key = 'gone'", "kind = 'reset'", "size = 7",
		"bytes = bytes - 1", "replaced = 1 - replaced", "in_database = 1", "packed_sha256 = 'x'", "sha256 = ''", "seal = 0",
	} {
		db := changeStore(t, "UPDATE receipts SET "+change+" WHERE path LIKE '%e062%' AND kind = 'live'")
		out := filepath.Join(t.TempDir(), "out")
		if code, _, stderr := inProcess("", "export", db, "-o", out); code != failure.ExitDatabase {
			t.Error("export after", change, code, stderr)
		}
		for _, arguments := range [][]string{{"verify", db}, {"verify", "../../testdata/home", "--against", db}} {
			if code, _, stderr := inProcess("", arguments...); code != failure.ExitDatabase {
				t.Error(arguments, "after", change, code, stderr)
			}
		}
	}
}

// A store is checked on its own. Rows of other programs are named and do no harm.
func TestVerifyStore(t *testing.T) {
	for _, test := range []struct {
		change string
		code   int
		stdout string
		stderr string
	}{
		{"SELECT 1", failure.ExitOK, "", "10 sessions, nothing damaged."},
		{"INSERT INTO sessions VALUES ('mine', 1, 2, '{}')", failure.ExitOK, "foreign  sessions  mine",
			"11 sessions, 1 written by another program."},
		{"UPDATE sessions SET updated_at = 5 WHERE key = 'agent:main:main'", failure.ExitDatabase,
			"damaged  sessions  agent:main:main", "10 sessions, 1 damaged."},
		{"UPDATE messages SET id = 'x' WHERE rowid = 3", failure.ExitDatabase, "the columns of record", "1 damaged."},
	} {
		code, stdout, stderr := inProcess("", "verify", changeStore(t, test.change))
		if code != test.code || !strings.Contains(stdout, test.stdout) || !strings.Contains(stderr, test.stderr) {
			t.Errorf("%s: exit %d\n%s%s", test.change, code, stdout, stderr)
		}
	}
}

// A session of which only a part was imported is incomplete in every command.
func TestIncompleteSession(t *testing.T) {
	db := changeStore(t, "UPDATE receipts SET size = -1, seal = NULL WHERE path LIKE '%e062%' AND kind = 'live'")
	out := filepath.Join(t.TempDir(), "out")
	for _, test := range []struct {
		code      int
		want      string
		arguments []string
	}{
		{failure.ExitOK, "incomplete", []string{"sessions", db}},
		{failure.ExitDamaged, "CL927 only the beginning of the session is stored", []string{"cat", db + "#agent:main:main"}},
		{failure.ExitDamaged, "#agent:main:main: CL927 only", []string{"export", db, "-o", out}},
		{failure.ExitFindings, "incomplete", []string{"verify", db}},
		{failure.ExitFindings, "only the beginning", []string{"verify", "../../testdata/home", "--against", db}},
		{failure.ExitDamaged, "CL515", []string{"validate", db}},
	} {
		code, stdout, stderr := inProcess("", test.arguments...)
		if code != test.code || !strings.Contains(stdout+stderr, test.want) {
			t.Errorf("%v: exit %d\n%s%s", test.arguments, code, stdout, stderr)
		}
	}
	name := filepath.Join(out, "home", "agents", "main", "sessions", "e062545a-58d4-4c17-a35c-7cb0f9f71a36.jsonl")
	if _, err := os.Stat(name); err == nil {
		t.Error("a part of a file has the name of the file")
	}
	if _, err := os.Stat(name + ".incomplete"); err != nil {
		t.Error(err)
	}
}
