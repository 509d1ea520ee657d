package openclaw

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"clawctl/internal/testkit"
)

// The memories in the workspaces of a state folder are listed. What its configuration and its links name outside is
// not.
func TestMemories(t *testing.T) {
	home := t.TempDir()
	state := filepath.Join(home, ".openclaw")
	var want []string
	for _, path := range []string{
		".openclaw/workspace/MEMORY.md", ".openclaw/workspace/memory/2026-05-01.md", ".openclaw/workspace-b/MEMORY.md",
		".openclaw/elsewhere/MEMORY.md", ".openclaw/shared/c/MEMORY.md", "outside/MEMORY.md",
	} {
		file := filepath.Join(home, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		testkit.Write(t, file, "x")
		if path != "outside/MEMORY.md" {
			want = append(want, file)
		}
	}
	config := `{agents: {defaults: {workspace: "~/.openclaw/shared"}, entries: {main: {workspace: "~/outside"},
		b: {workspace: "~/.openclaw/elsewhere"}}}}`
	testkit.Write(t, filepath.Join(state, "openclaw.json"), config)
	if err := os.Symlink(filepath.Join(home, "outside"), filepath.Join(state, "workspace-link")); err != nil {
		t.Log(err)
	}
	files, outside := Memories(state, home)
	var got []string
	for _, file := range files {
		got = append(got, file.Shown)
	}
	if !slices.Equal(outside, []string{filepath.Join(home, "outside")}) {
		t.Errorf("outside of the folder: %q", outside)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
