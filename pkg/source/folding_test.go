package source

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/portable"
	"clawctl/internal/testkit"
)

// A foldingTree is a folder on a disk that ignores case and how accents are written, as those of macOS and Windows do.
type foldingTree struct{ *folderTree }

func (t foldingTree) spelled(path string) string {
	entries, _ := t.readDir(filepath.Dir(path))
	for _, entry := range entries {
		if portable.Fold(entry.Name()) == portable.Fold(filepath.Base(path)) {
			return filepath.Join(filepath.Dir(path), entry.Name())
		}
	}
	return path
}

func (t foldingTree) open(path string) (fs.File, error) { return t.folderTree.open(t.spelled(path)) }
func (t foldingTree) Stat(path string) (fs.FileInfo, error) {
	return t.folderTree.Stat(t.spelled(path))
}
func (t foldingTree) Lstat(path string) (fs.FileInfo, error) {
	return t.folderTree.Lstat(t.spelled(path))
}
func (t foldingTree) readDir(path string) ([]fs.DirEntry, error) { return t.folderTree.readDir(path) }

// otherSpellings are names of a file in an index and in its folder that are one file on some disks: in another case,
// and with an accent in one character and in two.
var otherSpellings = [][2]string{{"Daily.jsonl", "daily.jsonl"}, {"caf\u00e9.jsonl", "cafe\u0301.jsonl"}}

// homeWithSpellings makes a home with one session whose index spells its file in another way.
func homeWithSpellings(t *testing.T, names [2]string) (home string) {
	t.Helper()
	home = t.TempDir()
	folder := filepath.Join(home, "agents", "main", "sessions")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	index := `{"agent:main:main":{"sessionId":"` + strings.TrimSuffix(names[0], ".jsonl") + `","sessionFile":"` +
		names[0] + `"}}`
	for name, text := range map[string]string{"sessions.json": index, names[1]: oneRecord} {
		testkit.Write(t, filepath.Join(folder, name), text)
	}
	return home
}

// An index that spells a name otherwise than its folder leads to the file if the disk says so, and only then.
func TestOtherSpellings(t *testing.T) {
	for _, names := range otherSpellings {
		home := homeWithSpellings(t, names)
		root, err := openFolderTree(home)
		if err != nil {
			t.Fatal(err)
		}
		isOne := func() bool { _, err := root.Lstat("agents/main/sessions/" + names[0]); return err == nil }()
		for _, isFolding := range []bool{false, true} {
			w := &walker{ctx: t.Context(), root: root, absolute: home, place: &Listing{Path: home}}
			if isFolding {
				w.root = foldingTree{root}
			}
			place, err := w.find("")
			if err != nil || len(place.Sessions) != 1 {
				t.Fatal(place, err)
			}
			if s := place.Sessions[0]; s.Listed != (isFolding || isOne) || s.Listed && s.Key != "agent:main:main" {
				t.Errorf("%q: listed %v on a disk that folds names: %v", names, s.Listed, isFolding)
			}
		}
		if err := root.Close(); err != nil {
			t.Error(err)
		}
	}
}
