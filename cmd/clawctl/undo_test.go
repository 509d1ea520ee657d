package main

import (
	"crypto/sha256"
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"clawctl/internal/cli"
	"clawctl/internal/testkit"
)

// homeChanges are the command lines that change files in a home. HOME is the home.
var homeChanges = []string{
	"repair HOME --write -y",
	"repair HOME --agent vault --write -y",
	"repair HOME --index --write -y",
	"prune HOME --older 1d --write -y",
	"export --from HOME/../more.tar.zst -o HOME --force",
}

// A homeFile is what a test compares of a file.
type homeFile struct {
	mode fs.FileMode
	sum  [sha256.Size]byte
}

// filesOf returns every file and folder below a folder.
func filesOf(t *testing.T, folder string) map[string]homeFile {
	t.Helper()
	files := map[string]homeFile{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == folder {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		file := homeFile{mode: info.Mode()}
		if info.Mode().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			file.sum = sha256.Sum256(text)
		}
		files[path] = file
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// otherFiles names what is not the same in two lists of files.
func otherFiles(before, after map[string]homeFile) (names []string) {
	for path := range before {
		if after[path] != before[path] {
			names = append(names, path)
		}
	}
	for path := range after {
		if _, known := before[path]; !known {
			names = append(names, path)
		}
	}
	return slices.Sorted(slices.Values(names))
}

// homeToChange writes a home in which every change has something to do: damaged files, an index that does not list
// them, archives that are safe to delete, and a damaged session in OpenClaw's database. It becomes the state folder.
func homeToChange(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	home := filepath.Join(root, "home")
	for name, value := range map[string]string{
		"XDG_DATA_HOME": filepath.Join(root, "data"), "OPENCLAW_STATE_DIR": home, "CLAWCTL_DB": "", "CLAWCTL_CONFIG": "",
	} {
		t.Setenv(name, value)
	}
	if err := os.CopyFS(home, os.DirFS("../../testdata/home")); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(home, "agents", "main", "sessions")
	old := time.Now().Add(-1000 * time.Hour)
	for path := range filesOf(t, home) {
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	torn := plantedHeader("torn") + plantedUser("t1", "null", `"torn"`) + "{\"type\":\"mess\n"
	testkit.Write(t, filepath.Join(folder, "torn.jsonl"), torn)
	database := filepath.Join(home, "agents", "vault", "agent", "openclaw-agent.sqlite")
	plantDatabase(t, database)
	db, err := sql.Open("sqlite", database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	call := plantedRecord("d9", `"d2"`, `"role":"toolResult","toolCallId":"none","toolName":"x","content":[]`)
	if _, err := db.Exec("INSERT INTO transcript_events(session_id, created_at, seq, event_json) VALUES('rows', 1, 9, ?)",
		strings.TrimSpace(call)); err != nil {
		t.Fatal(err)
	}
	if status, _, stderr := inProcess("", "import", "-q", home); status != 0 && status != 3 {
		t.Fatal(status, stderr)
	}
	packMore(t, root)
	return home
}

// packMore writes a bundle with a session that a home does not have, and an index that differs from that of the home.
func packMore(t *testing.T, root string) {
	t.Helper()
	other := filepath.Join(root, "other")
	folder := filepath.Join(other, "agents", "main", "sessions")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		judgedID + ".jsonl": plantedHeader(judgedID) + plantedUser("m1", "null", `"more"`),
		"sessions.json":     `{"agent:main:more":{"sessionId":"` + judgedID + `","updatedAt":1794700000000}}`,
	} {
		testkit.Write(t, filepath.Join(folder, name), text)
	}
	status, _, stderr := inProcess("", "export", "--as", "bundle", other, "-o", filepath.Join(root, "more.tar.zst"))
	if status != 0 {
		t.Fatal(status, stderr)
	}
}

// changeWords puts a home into a command line.
func changeWords(line, home string) []string {
	return strings.Fields(strings.ReplaceAll(line, "HOME", home))
}

// After a change to a home and its undo, every file is there byte for byte, and no other.
func TestUndoRestoresHomes(t *testing.T) {
	home := homeToChange(t)
	before := filesOf(t, home)
	database := filepath.Join("vault", "agent", "openclaw-agent.sqlite")
	for _, line := range homeChanges {
		_, _, stderr := inProcess("", changeWords(line, home)...)
		changed := otherFiles(before, filesOf(t, home))
		isDatabase := func(path string) bool { return strings.HasSuffix(path, database) }
		if len(changed) == 0 || slices.ContainsFunc(changed, isDatabase) {
			t.Fatalf("%s changed %q: %s", line, changed, stderr)
		}
		if !strings.Contains(stderr, "hint: clawctl undo ") {
			t.Errorf("%s does not say how to undo it: %s", line, stderr)
		}
		if _, report, _ := inProcess("", "doctor"); strings.Contains(report, "an older OpenClaw may be running") {
			t.Errorf("after %s, doctor takes a file of clawctl for one of OpenClaw: %s", line, report)
		}
		if status, _, stderr := inProcess("", "undo", "-y"); status != 0 {
			t.Errorf("undo of %s: exit %d, %s", line, status, stderr)
		}
		if left := otherFiles(before, filesOf(t, home)); len(left) > 0 {
			t.Errorf("%s and its undo changed %q", line, left)
		}
	}
}

// Every command that can change files is in the list above. What has no undo says so.
func TestChangesAreListed(t *testing.T) {
	listed := map[string]bool{}
	for _, line := range homeChanges {
		listed[strings.Fields(line)[0]] = true
	}
	for _, c := range wholeCommands() {
		writes := slices.ContainsFunc(c.OwnFlags(), func(f cli.Flag) bool { return f.Name == "write" })
		hasUndo := !slices.ContainsFunc(c.OwnFlags(), func(f cli.Flag) bool { return f.Name == "in-place" })
		if (writes || c.Name == "export") && hasUndo != listed[c.Name] {
			t.Errorf("%s changes files: undo %v, listed %v", c.Name, hasUndo, listed[c.Name])
		}
	}
}
