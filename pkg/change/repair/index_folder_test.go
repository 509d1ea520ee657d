package repair

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"clawctl/pkg/source"
	"clawctl/pkg/validate"
)

// emptyTranscript is the text of a transcript without messages.
const emptyTranscript = `{"type":"session","version":3,"id":"11111111-0000-4000-8000-000000000001",` +
	`"timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}` + "\n"

// makeFile writes a transcript or an index below a folder, and returns its path.
func makeFile(t *testing.T, folder, name string) string {
	t.Helper()
	path, text := filepath.Join(folder, filepath.FromSlash(name)), emptyTranscript
	if filepath.Base(path) == indexName {
		text = "{}"
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
	return path
}

// Only folders in which OpenClaw reads a sessions.json have one that can be repaired.
func TestIndexFolder(t *testing.T) {
	const name = "11111111-0000-4000-8000-000000000001.jsonl"
	for _, test := range []struct {
		name  string
		files []string
		plans bool
		err   error
	}{
		{"an agent without an index", []string{"agents/main/sessions/" + name}, true, nil},
		{"another folder with one", []string{"x/" + name, "x/sessions.json"}, true, nil},
		{"another folder without one", []string{"x/" + name}, false, nil},
		{"claw0", []string{"x/" + name, "x/sessions.json", "sessions.json"}, false, nil},
		{"a database", []string{"agents/main/sessions/" + name, "agents/main/agent/openclaw-agent.sqlite"}, false,
			ErrUnusedIndex},
	} {
		home := t.TempDir()
		for _, file := range test.files {
			makeFile(t, home, file)
		}
		transcript := source.File(filepath.Join(home, filepath.FromSlash(test.files[0])))
		place := &source.Listing{Sessions: []*source.Session{transcript}}
		folders := IndexFolders(place)
		if len(folders) != 1 || len(folders[0].Sessions) != 1 {
			t.Fatalf("%s: %v", test.name, folders)
		}
		plan, err := folders[0].Plan(validate.Selection{})
		if (plan != nil && len(plan.Mends) > 0) != test.plans || !errors.Is(err, test.err) {
			t.Errorf("%s: %+v, %v", test.name, plan, err)
		}
	}
}

// A folder is listed once, in order, also if only its index is there and damaged.
func TestIndexFolders(t *testing.T) {
	home := t.TempDir()
	place := &source.Listing{Problems: []source.Problem{
		{Path: filepath.Join(home, "c", indexName)}, {Path: filepath.Join(home, "d", "x.jsonl")},
	}}
	for _, name := range []string{"b/1.jsonl", "a/2.jsonl", "b/3.jsonl"} {
		place.Sessions = append(place.Sessions, source.File(makeFile(t, home, name)))
	}
	var got string
	for _, f := range IndexFolders(place) {
		got += filepath.Base(f.Path) + string(rune('0'+len(f.Sessions))) + " "
	}
	if got != "a1 b2 c0 " {
		t.Errorf("got %q", got)
	}
}

func TestStateFolder(t *testing.T) {
	for index, want := range map[string]string{
		"/h/agents/main/sessions/sessions.json": "/h", "/h/x/sessions.json": "/h/x",
	} {
		p := &IndexPlan{Path: filepath.FromSlash(index)}
		if got := filepath.ToSlash(p.StateFolder()); got != want {
			t.Errorf("%s: got %s", index, got)
		}
	}
	p := &IndexPlan{Path: filepath.Join(t.TempDir(), "sessions.json")}
	if lock, err := p.RunningOpenClaw(context.Background()); lock != nil || err != nil {
		t.Errorf("got %v, %v", lock, err)
	}
}
