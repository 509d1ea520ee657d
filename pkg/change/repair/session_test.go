package repair

import (
	"context"
	"errors"
	"io"
	"os"
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
	folder, ids := t.TempDir(), map[string]bool{}
	journal := &change.Journal{Folder: filepath.Join(folder, "receipts")}
	for range 2 { // the second one is there already
		text := io.NewSectionReader(strings.NewReader(repaired), 0, int64(len(repaired)))
		id := NewSessionID(p.Session.ID, strings.NewReader(repaired))
		_, path, err := WriteSession(t.Context(), journal, "repair", folder, id, text)
		if err != nil || len(id) != 36 {
			t.Fatal(id, err)
		}
		fresh, err := os.ReadFile(path)
		if want := strings.Replace(repaired, `"a"`, jsonl.Quote(id), 1); err != nil || string(fresh) != want {
			t.Errorf("a new session: got %s, want %s", fresh, want)
		}
		ids[id] = true
	}
	if len(ids) != 1 {
		t.Errorf("ids %v", ids)
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
