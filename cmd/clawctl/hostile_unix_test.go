//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/testkit"
)

const linkedSession = `{"type":"session","version":3,"id":"a","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/"}` + "\n"

// writeFiles writes files with one session each.
func writeFiles(t *testing.T, paths ...string) {
	t.Helper()
	for _, path := range paths {
		text := strings.Replace(linkedSession, `"a"`, `"`+filepath.Base(path)+`"`, 1)
		testkit.Write(t, path, text)
	}
}

// A store that lies in the folder it is filled from, even under the name of a transcript, is not read as one.
func TestImportSkipsItsStore(t *testing.T) {
	folder := t.TempDir()
	store := filepath.Join(folder, "store.db")
	writeFiles(t, filepath.Join(folder, "a.jsonl"))
	if exit, _, stderr := inProcess("", "import", folder, "--to", store); exit != 0 {
		t.Fatal(stderr)
	}
	if err := os.Symlink("store.db", filepath.Join(folder, "linked.jsonl")); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(store, filepath.Join(folder, "hard.jsonl")); err != nil {
		t.Fatal(err)
	}
	writeFiles(t, filepath.Join(folder, "b.jsonl"))
	exit, _, stderr := inProcess("", "import", folder, "--to", store)
	if exit != 0 || !strings.Contains(stderr, "3 files are not transcripts: hard.jsonl, linked.jsonl, 1 SQLite database") {
		t.Errorf("exit %d: %s", exit, stderr)
	}
	_, stdout, _ := inProcess("", "sessions", store, "--format", "ndjson")
	if n := strings.Count(stdout, "\n"); n != 2 {
		t.Errorf("the store has %d sessions: %s", n, stdout)
	}
}

// An output never replaces what is being read, by whatever name.
func TestOutputIsNoInput(t *testing.T) {
	folder := t.TempDir()
	store, file := filepath.Join(folder, "store.db"), filepath.Join(folder, "a.jsonl")
	link := filepath.Join(folder, "link.db")
	writeFiles(t, file)
	if exit, _, stderr := inProcess("", "import", file, "--to", store); exit != 0 {
		t.Fatal(stderr)
	}
	if err := os.Link(store, link); err != nil {
		t.Fatal(err)
	}
	before := testkit.Read(t, store)
	for _, args := range [][]string{
		{"cat", store, "-o", store}, {"sessions", store, "-o", link}, {"stats", store, "-o", store},
		{"validate", store, "--format", "sarif", "-o", store}, {"verify", file, "--against", store, "-o", store},
		{"export", store, "--session", "a", "-o", store}, {"rebuild", file, "-o", file}, {"cat", file, "-o", file},
		{"tokens", store, "-o", link}, {"context", file, "--window", "1000", "-o", file},
	} {
		exit, _, stderr := inProcess("", append(args, "--force")...)
		if exit != 2 || !strings.Contains(stderr, "CL900") {
			t.Errorf("%q: exit %d, %s", args, exit, stderr)
		}
	}
	if after, err := os.ReadFile(store); err != nil || string(after) != string(before) {
		t.Errorf("the store was changed: %v", err)
	}
}
