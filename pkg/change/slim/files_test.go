package slim

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// What was written for a copy that fails goes again, and what was there before stays.
func TestFiles(t *testing.T) {
	folder := t.TempDir()
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	f := &Files{Root: root}
	keep := func(name string) {
		t.Helper()
		if err := f.Keep(name, []byte(name)); err != nil || !f.Has(name) {
			t.Fatal(name, err)
		}
	}
	keep("a.slim/1")
	f.End("a.slim", false)
	keep("a.slim/1")
	keep("a.slim/2")
	f.End("a.slim", true)
	if !f.Has("a.slim/1") || f.Has("a.slim/2") {
		t.Error("the wrong files are left")
	}
	keep("b.slim/3")
	f.End("b.slim", true)
	if f.Has("b.slim") {
		t.Error("an empty folder is left")
	}
}

func TestReadManifest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	if _, err := ReadManifest(path); !errors.Is(err, ErrNoManifest) {
		t.Errorf("no manifest: %v", err)
	}
	for text, want := range map[string]error{"{": ErrManifest, `{"folder":"x"}`: nil} {
		if err := os.WriteFile(path+ManifestSuffix, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadManifest(path); !errors.Is(err, want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestRows(t *testing.T) {
	tally := Tally{Other: {0, 10, 10}, Images: {2, 100, 7}}
	want := []Row{{1, "images", 2, 100, 7}, {1, "other", 0, 10, 10}, {1, "total", 2, 110, 17}}
	if got := tally.Rows(); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if got := (Tally{}).Rows(); !slices.Equal(got, []Row{{1, "total", 0, 0, 0}}) {
		t.Errorf("an empty tally: %v", got)
	}
}
