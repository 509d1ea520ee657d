package store

import (
	"path/filepath"
	"testing"
)

// SQLite has one folder for the temporary files of all databases. That of a store must not stay in use after its index
// is built, because it may be removed.
func TestTempFolderIsReset(t *testing.T) {
	ctx := t.Context()
	s, err := Open(ctx, filepath.Join(t.TempDir(), "s.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.BuildParentIndex(ctx); err != nil {
		t.Fatal(err)
	}
	rows, err := s.writer.QueryContext(ctx, "PRAGMA temp_store_directory")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var folder string
		if err := rows.Scan(&folder); err != nil || folder != "" {
			t.Errorf("temporary files are in %q (%v)", folder, err)
		}
	}
}
