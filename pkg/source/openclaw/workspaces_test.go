package openclaw

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestMemories(t *testing.T) {
	home := t.TempDir()
	state := filepath.Join(home, ".openclaw")
	var want []string
	for _, path := range []string{
		".openclaw/workspace/MEMORY.md", ".openclaw/workspace/memory/2026-05-01.md", ".openclaw/workspace-b/MEMORY.md",
		"elsewhere/MEMORY.md", "shared/c/MEMORY.md",
	} {
		file := filepath.Join(home, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		want = append(want, file)
	}
	config := `{agents: {defaults: {workspace: "~/shared"}, entries: {main: {workspace: "~/elsewhere"}}}}`
	if err := os.WriteFile(filepath.Join(state, "openclaw.json"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	got := Memories(state, home)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
