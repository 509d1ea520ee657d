package rooted

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// No name and no link leads out of the folder, whatever is asked about it.
func TestNothingLeadsOut(t *testing.T) {
	base := t.TempDir()
	folder := filepath.Join(base, "folder")
	for _, path := range []string{"folder/sub/a", "folder/b", "out/a"} {
		path = filepath.Join(base, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("x"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"out": "../out", "file": "../out/a", "in": "sub", "sub/up": "../b"} {
		if err := os.Symlink(filepath.FromSlash(to), filepath.Join(folder, link)); err != nil {
			t.Skip(err)
		}
	}
	for name, want := range map[string]error{
		"b": nil, "sub/a": nil, "in/a": nil, "sub/up": nil, "sub/../b": nil,
		"../out/a": ErrOutside, "out/a": ErrOutside, "file": ErrOutside,
		"sub/../../out/a": ErrOutside, "none": fs.ErrNotExist,
	} {
		p := Of(folder, name)
		_, statErr := p.Stat()
		_, contentErr := p.Content(10)
		for _, err := range []error{statErr, contentErr} {
			if !errors.Is(err, want) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	for _, name := range []string{"../out", "out", "../../out", ".."} {
		if _, err := Of(folder, name).List(); err == nil {
			t.Errorf("%s was listed", name)
		}
		count := 0
		_ = Of(folder, name).Walk(func(_ string, _ fs.DirEntry, err error) error {
			if err == nil {
				count++
			}
			return nil
		})
		if count > 0 {
			t.Errorf("%d files of %s were listed", count, name)
		}
	}
	if _, err := Of(folder, "sub").Join("../b").Stat(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a joined name leads above: %v", err)
	}
}
