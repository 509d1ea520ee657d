package store

import (
	"context"
	"path/filepath"
	"testing"
)

// The connection that writes asks SQLite to sync the disk itself, which matters on macOS.
func TestWriterSyncsTheDisk(t *testing.T) {
	s, err := Open(context.Background(), filepath.Join(t.TempDir(), "clawctl.sqlite"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, name := range []string{"fullfsync", "checkpoint_fullfsync"} {
		var on int
		if err := s.writer.QueryRowContext(context.Background(), "PRAGMA "+name).Scan(&on); err != nil || on != 1 {
			t.Errorf("%s is %d, %v", name, on, err)
		}
	}
}
