package main

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/testkit"
	"clawctl/pkg/store/dbfile"
)

// olderStore makes a store of the second version of the schema with one session.
func olderStore(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.db")
	for _, args := range [][]string{{"append", "me", "--role", "user", "hello"}, {"new", "me"}} {
		if status, _, stderr := inProcess("", append(args, "--store", path)...); status != 0 {
			t.Fatal(stderr)
		}
	}
	db, err := dbfile.OpenOwn(path, "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("DROP TABLE archived; DROP TABLE archives; DROP TABLE heads; DROP TABLE trash_parts; " +
		"DROP TABLE trash; PRAGMA user_version = 2; PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		t.Fatal(err)
	}
	return path
}

// contentOf describes all files of a folder.
func contentOf(t *testing.T, folder string) (text string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		data := testkit.Read(t, path)
		text += fmt.Sprintf("%s %x\n", filepath.Base(path), sha256.Sum256(data))
	}
	return text
}

// A command that must not write does not upgrade the store of an older version.
func TestDryRunOfOlderStore(t *testing.T) {
	path := olderStore(t)
	_, listed, _ := inProcess("", "sessions", path, "--kind", "all", "--json")
	generation := ""
	for _, word := range strings.FieldsFunc(listed, func(r rune) bool { return strings.ContainsRune(`",: `, r) }) {
		if strings.HasPrefix(word, "reset.") {
			generation = word
		}
	}
	before := contentOf(t, filepath.Dir(path))
	for _, args := range [][]string{
		{"new", "me", "--dry-run"}, {"new", "--rename", "me", "you", "--dry-run"},
		{"append", "me", "--role", "user", "more", "--dry-run"}, {"delete", "me", "--dry-run"},
		{"delete", "me", "--purge", "--dry-run"}, {"restore", "me@" + generation, "--as-new", "garden", "--dry-run"},
		{"restore", "me@" + generation, "-o", filepath.Join(t.TempDir(), "out")},
	} {
		if status, _, stderr := inProcess("", append(args, "--store", path)...); status != 0 {
			t.Errorf("%q: exit %d: %s", args, status, stderr)
		}
		if after := contentOf(t, filepath.Dir(path)); after != before {
			t.Fatalf("%q changed the store:\n%s\nwas\n%s", args, after, before)
		}
	}
	if status, _, stderr := inProcess("", "prune", "--store", path, "--older", "1d"); status != 0 {
		t.Error(stderr)
	}
	if after := contentOf(t, filepath.Dir(path)); after != before {
		t.Error("a plan changed the store")
	}
	if status, _, stderr := inProcess("", "append", "me", "--role", "user", "more", "--store", path); status != 0 {
		t.Error(stderr)
	}
	if contentOf(t, filepath.Dir(path)) == before {
		t.Error("nothing was appended")
	}
}
