package source

import (
	"os"
	"path/filepath"
	"testing"

	"clawctl/internal/testkit"
)

func TestPiSession(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "--home-ada-notes--")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	text := `{"type":"session","version":3,"id":"s1","timestamp":"2026-11-01T10:00:00.000Z","cwd":"/home/ada/notes",` +
		`"parentSession":"/x/2026-11-01T09-00-00-000Z_s0.jsonl"}
{"type":"session_info","id":"1","parentId":null,"name":"Bread"}
{"type":"session_info","id":"2","parentId":"1","name":" "}
{"type":"message","id":"3","parentId":"2","message":{"role":"user","content":"Hi"}}
`
	path := filepath.Join(folder, "2026-11-01T10-00-00-000Z_s1.jsonl")
	testkit.Write(t, path, text)
	s := File(path)
	f := Inspect(t.Context(), []*Session{s}, 1)[0]
	if s.ID != "s1" || s.Agent != "pi" || s.FolderOwner() == nil {
		t.Errorf("%+v", s)
	}
	if f.Name != "" || f.FirstText != "Hi" || f.Project != "/home/ada/notes" || f.Parent == "" {
		t.Errorf("%+v", f)
	}
}
