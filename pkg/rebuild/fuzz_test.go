package rebuild

import (
	"os"
	"path/filepath"
	"testing"
)

// FuzzRebuild checks that no transcript causes a panic, and that the rebuilt requests pass the checkers.
func FuzzRebuild(f *testing.F) {
	files, err := filepath.Glob("../../testdata/transcripts/*.jsonl")
	if err != nil || len(files) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		if len(data) < 64<<10 {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkAll(t, data) })
}
