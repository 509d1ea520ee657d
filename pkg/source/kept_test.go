package source

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"clawctl/internal/testkit"
)

// What clawctl keeps beside transcripts is never listed as a session, nor reported as something unknown.
func TestKeptFilesAreNotListed(t *testing.T) {
	const record = `{"type":"session","version":3,"id":"x","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/"}` + "\n"
	for _, folder := range []string{"agents/main/sessions", "plain"} {
		root := t.TempDir()
		session := filepath.Join(root, folder, "11111111-2222-4333-8444-555555555555.jsonl")
		for _, path := range []string{
			session, QuarantinePath(session, []byte("x")), filepath.Join(root, folder, TrashFolder, "old.jsonl"),
			KeptIndexPath(filepath.Join(root, folder, "sessions.json"), []byte("{}")),
		} {
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			testkit.Write(t, path, record)
		}
		place, err := Find(context.Background(), root, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer place.Close()
		if unknown, _ := place.SkippedCounts(); len(place.Sessions) != 1 || unknown != 0 {
			t.Errorf("%s: %d sessions, %d unknown files: %+v", folder, len(place.Sessions), unknown, place.Skipped)
		}
	}
}
