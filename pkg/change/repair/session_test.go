package repair

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/testkit"
	"clawctl/pkg/change"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
)

// damagedSession writes a transcript with a damaged line, and plans its repair.
func damagedSession(t *testing.T) *SessionPlan {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.jsonl")
	text := `{"type":"session","version":3,"id":"a","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}` + "\n{torn\n" +
		`{"type":"message","id":"00000001","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z",` +
		`"message":{"role":"user","content":"hello"}}` + "\n"
	testkit.Write(t, path, text)
	p, err := NewSession(context.Background(), Options{Session: source.File(path)})
	if err != nil || len(p.Plan.Mends) == 0 {
		t.Fatal(p, err)
	}
	return p
}

// readAll reads a text to its end and closes it.
func readAll(t *testing.T, in io.ReadCloser) string {
	t.Helper()
	defer in.Close()
	text, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestCopies(t *testing.T) {
	p := damagedSession(t)
	in, err := p.OpenCopy(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	repaired := readAll(t, in)
	if strings.Contains(repaired, "torn") || !strings.Contains(repaired, "hello") {
		t.Errorf("got %s", repaired)
	}
	if beside := p.Beside("b.jsonl"); len(beside) != 1 || string(beside[0].Data) != "{torn\n" {
		t.Errorf("quarantine: %q", beside)
	}
	fresh, id, err := p.openNew(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := readAll(t, fresh), strings.Replace(repaired, `"a"`, jsonl.Quote(id), 1); got != want {
		t.Errorf("a new session: got %s, want %s", got, want)
	}
	fresh, again, err := p.openNew(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	fresh.Close()
	if again != id || len(id) != 36 {
		t.Errorf("ids %s and %s", id, again)
	}
}

// A file that changed after it was read is neither copied nor written.
func TestChangedFile(t *testing.T) {
	p := damagedSession(t)
	testkit.Write(t, p.Session.Path, "{}\n")
	if _, err := p.OpenCopy(context.Background()); !errors.Is(err, change.ErrChanged) {
		t.Errorf("copy: %v", err)
	}
	file, err := change.Open(p.Session.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := p.Write(context.Background(), &change.Journal{}, file); !errors.Is(err, change.ErrChanged) {
		t.Errorf("write: %v", err)
	}
}

func TestCopyName(t *testing.T) {
	for _, test := range []struct {
		session source.Session
		want    string
	}{
		{source.Session{ID: "x", Path: "s/a.jsonl"}, "a.jsonl"},
		{source.Session{ID: "x", Path: "s/a.jsonl.zst"}, "a.jsonl"},
		{source.Session{ID: "x", Path: "s/a.jsonl.bak.gz"}, "a.jsonl.bak"},
		{source.Session{ID: "x", Path: "s/a.sqlite", InDatabase: true}, "x.jsonl"},
	} {
		if got := (&SessionPlan{Session: &test.session}).CopyName(); got != test.want {
			t.Errorf("%s: got %s", test.session.Path, got)
		}
	}
}
