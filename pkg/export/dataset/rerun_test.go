package dataset

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"clawctl/internal/testkit"
	"clawctl/pkg/source"
)

// The files depend on the sessions alone, not on the number of workers, the order of sessions or the place of the home.
func TestSameSessionsMakeTheSameFiles(t *testing.T) {
	var want []string
	for i, jobs := range []int{1, 2, 7} {
		home := copyHome(t, exampleHome)
		sessions := sessionsOf(t, home)
		if i == 2 {
			slices.Reverse(sessions)
		}
		opts := testOptions()
		opts.Jobs = jobs
		folder := t.TempDir()
		export(t, folder, sessions, opts)
		got := filesIn(t, folder)
		if i == 0 {
			want = got
		} else if !slices.Equal(got, want) {
			t.Errorf("%d jobs: %v, want %v", jobs, got, want)
		}
	}
}

// A second run reads nothing if nothing changed, and otherwise writes what a new export would.
func TestSecondRun(t *testing.T) {
	home, folder := copyHome(t, exampleHome), t.TempDir()
	first := export(t, folder, sessionsOf(t, home), testOptions())
	before := filesIn(t, folder)
	read := int64(0)
	sessions := sessionsOf(t, home)
	source.Watch(sessions, func(n int64) { read += n })
	second := export(t, folder, sessions, testOptions())
	if second.Written != 0 || second.Removed != 0 || read != 0 || second.Counts != first.Counts {
		t.Errorf("nothing changed: %d written, %d removed, %d bytes read, %v", second.Written, second.Removed, read,
			second.Counts)
	}
	appendLine(t, filepath.Join(home, "agents/main/sessions/7957dc21-60ea-4983-a521-44992d560e2f.jsonl"),
		`{"type":"message","id":"zzzzzzzz","parentId":null,"timestamp":"2026-07-01T00:00:00.000Z",`+
			`"message":{"role":"user","content":"one more"}}`)
	third := export(t, folder, sessionsOf(t, home), testOptions())
	after := filesIn(t, folder)
	kept := 0
	for _, name := range after {
		if slices.Contains(before, name) {
			kept++
		}
	}
	if third.Written == 0 || third.Written+kept != len(after) || kept < len(before)/2 {
		t.Errorf("one session changed: %d of %d files written, %d kept", third.Written, len(after), kept)
	}
	fresh := t.TempDir()
	export(t, fresh, sessionsOf(t, home), testOptions())
	if want := filesIn(t, fresh); !slices.Equal(after, want) {
		t.Errorf("an updated dataset has %v, a new one %v", after, want)
	}
}

func appendLine(t *testing.T, path, line string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(line + "\n"); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

// Another version reads everything again, and writes only what it makes otherwise.
func TestAnotherVersion(t *testing.T) {
	folder, read := t.TempDir(), int64(0)
	export(t, folder, sessionsOf(t, exampleHome), testOptions())
	sessions := sessionsOf(t, exampleHome)
	source.Watch(sessions, func(n int64) { read += n })
	opts := testOptions()
	opts.Program, opts.Jobs = "99", 1
	if result := export(t, folder, sessions, opts); read == 0 || result.Written != 0 || result.Removed != 0 {
		t.Errorf("%d bytes read, %d files written, %d removed", read, result.Written, result.Removed)
	}
}

// What a killed run leaves, or somebody removes, is put right by the next run.
func TestRecovery(t *testing.T) {
	folder := t.TempDir()
	export(t, folder, sessionsOf(t, exampleHome), testOptions())
	want := filesIn(t, folder)
	lost := filepath.Join(folder, filepath.FromSlash(want[0]))
	if err := os.Remove(lost); err != nil {
		t.Fatal(err)
	}
	orphan := filepath.Join(folder, "usage", "agent=main", "month=2026-05", strings.Repeat("ab", 16)+".parquet")
	foreign := filepath.Join(filepath.Dir(orphan), "notes.txt")
	stage := filepath.Join(folder, ".clawctl-stage", "0")
	if err := os.Mkdir(filepath.Dir(stage), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{orphan, foreign, stage} {
		testkit.Write(t, name, "half of a f")
	}
	export(t, folder, sessionsOf(t, exampleHome), testOptions())
	got := slices.DeleteFunc(filesIn(t, folder), func(name string) bool { return strings.HasSuffix(name, "notes.txt") })
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Error("a file that is not ours was removed")
	}
	if _, err := os.Stat(filepath.Dir(stage)); !errors.Is(err, os.ErrNotExist) {
		t.Error("the private folder of a killed run is still there")
	}
}

// Until the end of a run, readers see the old dataset, and a failed run leaves it as it was.
func TestInterruptedRunChangesNothing(t *testing.T) {
	home, folder := copyHome(t, exampleHome), t.TempDir()
	export(t, folder, sessionsOf(t, home), testOptions())
	want := filesIn(t, folder)
	manifest := testkit.Read(t, filepath.Join(folder, "manifest.json"))
	opts := testOptions()
	opts.NoContent = true // everything is written again
	opts.Jobs = 1
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	sessions := sessionsOf(t, home)
	read := int64(0)
	source.Watch(sessions, func(n int64) {
		if read += n; read > 40_000 {
			cancel()
		}
		if got := filesIn(t, folder); !slices.Equal(got, want) {
			t.Error("the files changed during the run")
		}
	})
	if _, err := Run(ctx, folder, sessions, opts); !errors.Is(err, context.Canceled) {
		t.Fatalf("the run was not interrupted: %v", err)
	}
	now, err := os.ReadFile(filepath.Join(folder, "manifest.json"))
	if got := filesIn(t, folder); err != nil || !slices.Equal(got, want) || !bytes.Equal(now, manifest) {
		t.Errorf("an interrupted run changed the dataset: %v", err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") || strings.HasSuffix(entry.Name(), ".lock") {
			t.Errorf("%s is left", entry.Name())
		}
	}
}
