//go:build unix

package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clawctl/internal/failure"
	"clawctl/internal/testkit"
)

// A brokenFolder makes a folder of clawctl's own unusable in some way.
type brokenFolder struct {
	name   string
	reason string
	code   failure.Code
	make   func(t *testing.T, folder string)
}

var brokenFolders = []brokenFolder{
	{"a file in its place", "not a directory", failure.IO, func(t *testing.T, folder string) {
		testkit.Write(t, folder, "")
	}},
	{"no permission", "permission denied", failure.Denied, func(t *testing.T, folder string) {
		if err := os.Mkdir(folder, 0o500); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(filepath.Join(folder, "probe"), 0o700); err == nil {
			t.Skip("this user may write everywhere")
		}
	}},
}

// Whichever command needs a folder of clawctl's own that cannot be written, the error says which folder that is, what
// it is for, and what changes it. The hint shows what is in its way.
func TestUnwritableFolders(t *testing.T) {
	const (
		store    = "the data folder of the store"
		receipts = "the data folder for receipts"
		temp     = "the folder for temporary data"
	)
	for _, c := range []struct{ variable, what, command string }{
		{"CLAWCTL_DB", store, "import home"},
		{"CLAWCTL_DB", store, "import home --inherit agent:main:main --into new"},
		{"CLAWCTL_DB", store, "append me --role user hello"},
		{"CLAWCTL_DB", store, "new me"},
		{"XDG_DATA_HOME", store, "import home"},
		{"XDG_DATA_HOME", store, "append me --role user hello"},
		{"XDG_DATA_HOME", receipts, "repair home --write -y"},
		{"XDG_DATA_HOME", receipts, "repair unlisted --index --write -y"},
		{"XDG_DATA_HOME", receipts, "prune home --against ready.db --write -y"},
		{"TMPDIR", temp, "repair -"},
		{"TMPDIR", temp, "import - --to new.db"},
		{"TMPDIR", temp, "redact - -o copy.jsonl"},
		{"TMPDIR", temp, "slim - -o copy.jsonl"},
		{"TMPDIR", temp, "search tea - -C 1"},
		{"TMPDIR", temp, "append me --role user hello --dry-run --store new.db"},
	} {
		for _, broken := range brokenFolders {
			t.Run(c.command+"/"+c.variable+"/"+broken.name, func(t *testing.T) {
				folder := newDamagedHome(t)
				own := filepath.Join(folder, "own")
				broken.make(t, own)
				named := map[string]string{store: own, receipts: filepath.Join(own, "clawctl", "receipts"), temp: own}[c.what]
				if c.what == store && c.variable == "XDG_DATA_HOME" {
					named = filepath.Join(own, "clawctl")
				}
				t.Setenv(c.variable, own)
				if c.variable == "CLAWCTL_DB" {
					t.Setenv(c.variable, filepath.Join(own, "s.db"))
				}
				exit, out, stderr := inProcess(linkedSession, strings.Fields(c.command)...)
				want := "clawctl: " + named + ": " + string(broken.code) + " " + c.what + " is not writable: " +
					broken.reason + "; "
				if exit != failure.ExitUsage || !strings.Contains(stderr, want) ||
					!strings.Contains(stderr, c.variable) || !strings.Contains(stderr, "\nhint: ls -ld "+own+"\n") {
					t.Errorf("exit %d: %s%s\nwant %s", exit, out, stderr, want)
				}
			})
		}
	}
}

// Commands that only read such a folder say so too if a file is in its place.
func TestMisplacedFiles(t *testing.T) {
	for command, variable := range map[string]string{
		"undo": "XDG_DATA_HOME", "undo --list": "XDG_DATA_HOME", "prune --empty-trash -y": "XDG_DATA_HOME",
		"delete agent:main:main --store ready.db --purge -y": "XDG_DATA_HOME",
		"delete me": "CLAWCTL_DB", "restore me": "CLAWCTL_DB", "restore --list": "CLAWCTL_DB", "show me": "CLAWCTL_DB",
	} {
		t.Run(command, func(t *testing.T) {
			own := filepath.Join(newDamagedHome(t), "own")
			brokenFolders[0].make(t, own)
			t.Setenv(variable, own)
			if variable == "CLAWCTL_DB" {
				t.Setenv(variable, filepath.Join(own, "s.db"))
			}
			exit, _, stderr := inProcess("", strings.Fields(command)...)
			if exit != failure.ExitUsage || !strings.Contains(stderr, " is not writable: not a directory; "+variable) ||
				!strings.Contains(stderr, "\nhint: ls -ld "+own+"\n") {
				t.Errorf("exit %d: %s", exit, stderr)
			}
		})
	}
}

// A store beside which SQLite cannot create its log is the folder's fault. One that is itself read-only is not.
func TestReadOnlyStore(t *testing.T) {
	newDamagedHome(t)
	if err := errors.Join(os.Mkdir("own", 0o700), os.Rename("ready.db", "own/ready.db")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		folder, file os.FileMode
		want         string
	}{
		{0o500, 0o600, "clawctl: own: CL906 the data folder of the store is not writable: nothing can be created beside " +
			"the database; the command line names it\nhint: ls -ld own\n"},
		{0o700, 0o400, "clawctl: own/ready.db: CL906 the store is read-only; the command line names it\n" +
			"hint: ls -l own/ready.db\n"},
	} {
		if err := errors.Join(os.Chmod("own/ready.db", c.file), os.Chmod("own", c.folder)); err != nil {
			t.Fatal(err)
		}
		exit, _, stderr := inProcess("", "append", "me", "--role", "user", "hello", "--store", "own/ready.db")
		_ = os.Chmod("own", 0o700)
		if exit == failure.ExitOK && os.Geteuid() == 0 {
			t.Skip("root may write everywhere")
		}
		if exit != failure.ExitUsage || stderr != c.want {
			t.Errorf("exit %d: %s\nwant %s", exit, stderr, c.want)
		}
	}
}

// newDamagedHome makes state folders that repair and prune can change, and a store that has what the first one says. It
// makes their folder that of a user who has nothing else.
func newDamagedHome(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	t.Chdir(folder)
	for _, name := range []string{"CLAWCTL_DB", "CLAWCTL_CONFIG", "OPENCLAW_STATE_DIR", "XDG_CONFIG_HOME"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", folder)
	t.Setenv("XDG_DATA_HOME", filepath.Join(folder, "data"))
	id := "11111111-0000-4000-8000-000000000001"
	text := strings.Replace(linkedSession, `"a"`, `"`+id+`"`, 1) + `{"type":"message","id":"u1","parentId":null,` +
		`"timestamp":"2026-05-01T10:00:01.000Z","message":{"role":"user","content":"tea"}}` + "\n"
	files := map[string]string{
		"home/agents/main/sessions/" + id + ".jsonl":     text + "{\"torn\n",
		"home/agents/main/sessions/" + id + ".jsonl.bak": text,
		"home/agents/main/sessions/sessions.json":        `{"agent:main:main":{"sessionId":"` + id + `","updatedAt":1}}`,
		"unlisted/agents/main/sessions/" + id + ".jsonl": text,
		"unlisted/agents/main/sessions/sessions.json":    "{",
	}
	long := time.Now().AddDate(-1, 0, 0)
	for name, text := range files {
		err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600),
			os.Chtimes(name, long, long))
		if err != nil {
			t.Fatal(err)
		}
	}
	if exit, _, stderr := inProcess("", "import", "home", "--to", "ready.db"); exit != failure.ExitDamaged {
		t.Fatal(stderr)
	}
	return folder
}
