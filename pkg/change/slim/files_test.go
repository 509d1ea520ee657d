package slim

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"clawctl/internal/openfile"
	"clawctl/internal/rooted"
	"clawctl/internal/testkit"
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
	manifest := rooted.File{Path: rooted.Of(filepath.Dir(path), "a.jsonl"+ManifestSuffix), Shown: path}
	if _, err := ReadManifest(manifest); !errors.Is(err, ErrNoManifest) {
		t.Errorf("no manifest: %v", err)
	}
	for text, want := range map[string]error{"{": errManifest, `{"folder":"x"}`: nil} {
		testkit.Write(t, path+ManifestSuffix, text)
		if _, err := ReadManifest(manifest); !errors.Is(err, want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// The folder of a copy may be somebody else's. Nothing but a regular file in it is read, and of that no more than the
// original has.
func TestHostileContent(t *testing.T) {
	folder := t.TempDir()
	secret := filepath.Join(t.TempDir(), "secret")
	for path, size := range map[string]int64{secret: 5, filepath.Join(folder, "long"): 1 << 40} {
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(file.Truncate(size), file.Close()); err != nil {
			t.Skip(err)
		}
	}
	for name, to := range map[string]string{"link": secret, "zero": "/dev/zero"} {
		if err := os.Symlink(to, filepath.Join(folder, name)); err != nil {
			t.Skip(err)
		}
	}
	m := &Manifest{Original: Digest{Bytes: 1 << 30}}
	for name, want := range map[string]error{
		"long": openfile.ErrTooLarge, "link": rooted.ErrOutside, "zero": rooted.ErrOutside,
		".": openfile.ErrNotRegular, "none": fs.ErrNotExist,
	} {
		open := m.Open(rooted.File{Path: rooted.Of(folder, "."), Shown: folder})
		if _, err := open(name); !errors.Is(err, want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	above := m.Open(rooted.File{Path: rooted.Of(folder, "../"+filepath.Base(filepath.Dir(secret))), Shown: folder})
	if _, err := above("secret"); !errors.Is(err, rooted.ErrOutside) {
		t.Errorf("a folder outside: %v", err)
	}
}

// A manifest that names a small content file again and again writes no more than the original has.
func TestRepeatedContent(t *testing.T) {
	content := []byte("abc")
	m := &Manifest{Version: 1, Original: Digest{Bytes: 10, SHA256: "x"}}
	name := hex.EncodeToString(func() []byte { sum := sha256.Sum256(content); return sum[:] }())
	for range 1000 {
		m.Cuts = append(m.Cuts, Cut{File: name, Form: Raw})
	}
	var out bytes.Buffer
	_, err := m.Restore(strings.NewReader(""), &out, func(string) ([]byte, error) { return content, nil })
	if !errors.Is(err, errChanged) || out.Len() > 10 {
		t.Errorf("wrote %d bytes, %v", out.Len(), err)
	}
}

func TestRows(t *testing.T) {
	tally := Tally{Other: {0, 10, 10}, Images: {2, 100, 7}}
	want := []Row{{1, "images", Sizes{2, 100, 7}}, {1, "other", Sizes{0, 10, 10}}, {1, "total", Sizes{2, 110, 17}}}
	if got := tally.Rows(); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if got := (Tally{}).Rows(); !slices.Equal(got, []Row{{1, "total", Sizes{}}}) {
		t.Errorf("an empty tally: %v", got)
	}
}
