//go:build unix

package store

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"clawctl/pkg/jsonl"
)

// Whatever the umask, no other user can read a store, its log, or the folders that clawctl made for it.
func TestStoreIsPrivate(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	folder := filepath.Join(t.TempDir(), "a")
	path := filepath.Join(folder, "b", "s.db")
	s, err := Open(context.Background(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Append(context.Background(), "k",
		(&jsonl.Parser{}).Parse([]byte(`{"type":"message","id":"1"}`), 1, 0)); err != nil {
		t.Fatal(err)
	}
	if err := s.backup(context.Background(), 1); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{
		folder: 0o700, filepath.Dir(path): 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600,
		path + ".schema-1.bak": 0o600,
	} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
	}
}
