package source

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A database on a read-only mount is read like any other. Only root can mount a file system.
func TestDatabaseOnReadOnlyMount(t *testing.T) {
	folder := t.TempDir()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=4m"); err != nil {
		t.Skip("cannot mount a file system here:", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(folder, 0); err != nil {
			t.Error(err)
		}
	})
	path := filepath.Join(folder, "agents/main/agent/openclaw-agent.sqlite")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	newDatabase(t, path, schemaNodes).Close()
	write(t, folder, "agents/main/sessions/"+id1+".jsonl", text)
	if err := syscall.Mount("", folder, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, filepath.Dir(path))
	checkSessions(t, path)
	if p := find(t, folder); len(p.Sessions) != 4 || len(p.Problems) > 0 {
		t.Errorf("found\n%s", describe(p))
	} else if err := p.Close(); err != nil {
		t.Error(err)
	}
	if after := snapshot(t, filepath.Dir(path)); after != before {
		t.Errorf("before\n%safter\n%s", before, after)
	}
}
