//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"clawctl/internal/longtest"
	"clawctl/internal/rooted/rootedtest"
	"clawctl/internal/testkit"
)

// patience is how long a command may take on a small folder with something planted in it.
const patience = time.Minute

// runPlanted runs a command and returns what it says. A command that waits for a pipe, or reads without an end, fails
// the test.
func runPlanted(t *testing.T, about string, env, args []string, stdin string) (said string) {
	t.Helper()
	var out, errs bytes.Buffer
	done := make(chan error, 1)
	go func() {
		_, err := runInside("", env, args, strings.NewReader(stdin), &out, &errs)
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(patience):
		t.Fatalf("%s: clawctl %s hangs", about, strings.Join(args, " "))
	}
	return out.String() + errs.String()
}

// plantedEnvironment is that of a user without anything.
func plantedEnvironment(home string) []string {
	return []string{"HOME=" + home, "USERPROFILE=" + home, "TMPDIR=" + home}
}

// Nothing outside of a folder is read, and no command waits, whatever is planted where a row, an index, a manifest or a
// configuration in it names a file.
func TestPlantedFolders(t *testing.T) {
	layouts := rootedtest.Layouts()
	read := 0
	for i, layout := range layouts {
		if i%longtest.Step(4) != 0 && layout.Kind != rootedtest.Hole {
			continue
		}
		base := t.TempDir()
		folder, err := layout.Make(base)
		if err != nil {
			t.Skip(err)
		}
		home, out := filepath.Join(base, "user"), filepath.Join(base, "out")
		if err := os.MkdirAll(home, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(out, 0o700); err != nil {
			t.Fatal(err)
		}
		more := []rootedtest.Command{
			{Args: []string{"sessions", folder}}, {Args: []string{"validate", folder}}, {Args: []string{"stats", folder}},
			{Args: []string{"repair", "--index", filepath.Join(folder, "home")}},
			{Args: []string{"doctor", filepath.Join(folder, "home")}},
			{Args: []string{"slim", "--restore", filepath.Join(folder, "slim"), "-o", filepath.Join(out, "restored")}},
		}
		if layout.Place != "slim/small.jsonl" { // otherwise the pipe is what the user names
			more = append(more, rootedtest.Command{Args: []string{"slim", "--restore", filepath.Join(folder, "slim/small.jsonl"),
				"-o", filepath.Join(out, "one.jsonl")}})
		}
		for _, command := range append(rootedtest.Commands(folder, out), more...) {
			said := runPlanted(t, layout.String(), plantedEnvironment(home), command.Args, command.Stdin)
			if strings.Contains(said, rootedtest.Secret) {
				t.Errorf("%s: clawctl %s says what is outside:\n%s", layout, strings.Join(command.Args, " "), said)
			}
			read++
		}
		_ = filepath.WalkDir(out, func(path string, entry fs.DirEntry, err error) error {
			if text, err := os.ReadFile(path); err == nil && bytes.Contains(text, []byte(rootedtest.Secret)) {
				t.Errorf("%s: %s has what is outside", layout, entry.Name())
			}
			return err
		})
	}
	t.Logf("%d commands", read)
}

// No command waits for a pipe, or reads a device without an end, that stands in the place of one of clawctl's own
// files: the store, receipts, what they name, and the configuration with the file that it names.
func TestPlantedOwnFiles(t *testing.T) {
	home := t.TempDir()
	env := plantedEnvironment(home)
	state := filepath.Join(home, ".openclaw")
	sessions := filepath.Join(state, "agents/main/sessions")
	if err := os.MkdirAll(sessions, 0o700); err != nil {
		t.Fatal(err)
	}
	text := linkedSession + `{"type":"message","id":"m","parentId":null,"timestamp":"2026-05-01T10:00:00.000Z",` +
		`"message":{"role":"user","content":"leaked-1234567890"}}` + "\n"
	old := time.Now().AddDate(-1, 0, 0)
	for _, name := range []string{"a.jsonl", "b.jsonl", "c.jsonl.reset.2026-05-02T00-00-00.000Z"} {
		path := filepath.Join(sessions, name)
		own := strings.Replace(text, `"id":"a"`, `"id":"`+name[:1]+`"`, 1)
		if err := errors.Join(os.WriteFile(path, []byte(own), 0o600), os.Chtimes(path, old, old)); err != nil {
			t.Fatal(err)
		}
	}
	config, values := filepath.Join(home, ".config/clawctl/config.json"), filepath.Join(home, "values.txt")
	for path, text := range map[string]string{
		filepath.Join(sessions, "sessions.json"): `{"agent:main:main":{"sessionId":"a"}}`, values: "leaked-1234567890\n",
		config: `{"models":{"file":"` + filepath.Join(home, "models.json") + `"}}`, filepath.Join(home, "models.json"): "[]",
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	said := ""
	for _, args := range [][]string{{"import", "-q"}, {"prune", "--older", "30d", "--write", "-y"},
		{"repair", "--index", state, "--write", "-y"}, {"redact", "--in-place", state, "--values", values, "--write", "-y"}} {
		said += runPlanted(t, "nothing", env, args, "")
	}
	places := []string{config, filepath.Join(home, "models.json"), filepath.Join(sessions, "sessions.json")}
	for _, folder := range []string{filepath.Join(home, ".local/share/clawctl"), filepath.Join(state, ".clawctl-trash")} {
		_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.Type().IsRegular() {
				places = append(places, path)
			}
			return nil
		})
	}
	if len(places) < 7 {
		t.Fatalf("only %q were made:\n%s", places, said)
	}
	for _, path := range places {
		for _, isPipe := range []bool{true, false} {
			aside := filepath.Join(home, "aside")
			if err := os.Rename(path, aside); errors.Is(err, fs.ErrNotExist) {
				continue // a command has undone what made it
			} else if err != nil {
				t.Fatal(err)
			}
			err := os.Symlink("/dev/zero", path)
			if isPipe {
				err = errors.Join(os.Remove(path), unix.Mkfifo(path, 0o600))
			}
			if err != nil {
				t.Fatal(err)
			}
			about := fmt.Sprintf("%s (a pipe: %v)", path, isPipe)
			for _, args := range [][]string{{"env"}, {"doctor"}, {"sessions"}, {"sessions", "trash:1"}, {"stats"},
				{"undo", "--list"}, {"undo", "--dry-run"}, {"prune"}, {"prune", "--empty-trash"}, {"verify"}, {"models"},
				{"repair", "--index", state}, {"redact", "--in-place", state, "--values", values}, {"import"},
				{"undo", "-y"}, {"prune", "--empty-trash", "--older", "1d", "--write", "-y"}} {
				runPlanted(t, about, env, args, "")
			}
			if err := errors.Join(os.RemoveAll(path), os.Rename(aside, path)); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Logf("%d places", len(places))
}

// A pipe that the user names is read.
func TestNamedPipe(t *testing.T) {
	for _, flag := range []bool{false, true} {
		folder := t.TempDir()
		pipe, file := filepath.Join(folder, "pipe"), filepath.Join(folder, "a.jsonl")
		said := linkedSession + `{"type":"message","id":"m","parentId":null,"timestamp":"2026-05-01T10:00:00.000Z",` +
			`"message":{"role":"user","content":"hello"}}` + "\n"
		testkit.Write(t, file, said)
		if err := unix.Mkfifo(pipe, 0o600); err != nil {
			t.Fatal(err)
		}
		text, args, want := linkedSession, []string{"cat", pipe}, `"type":"session"`
		if flag {
			text, args, want = "You are a gardener.", []string{"rebuild", file, "--request", "--model", "claude-opus-4-6",
				"--system", pipe}, "You are a gardener."
		}
		go func() { _ = os.WriteFile(pipe, []byte(text), 0) }()
		said = runPlanted(t, "a named pipe", plantedEnvironment(folder), args, "")
		if !strings.Contains(said, want) {
			t.Errorf("clawctl %s: %s", strings.Join(args, " "), said)
		}
	}
}
