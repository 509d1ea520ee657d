package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"clawctl/internal/failure"
	"clawctl/internal/testkit"
)

// A file that another program has open is not replaced, renamed or removed, and the error says why. When the program
// closes it in time, nothing is wrong.
func TestHeldFile(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a")
	testkit.Write(t, path, "old")
	file, err := os.Open(path) // which does not let others delete it
	if err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for name, change := range map[string]func() error{
		"replace": func() error { return WriteFile(path, []byte("new"), Options{}) },
		"rename":  func() error { return Rename(path, path+"2") },
		"remove":  func() error { return Remove(path) },
		"replace in a root": func() error {
			f, err := CreateIn(root, "a", Options{})
			if err != nil {
				return err
			}
			return f.Commit()
		},
	} {
		err := change()
		var held *HeldError
		if !errors.As(err, &held) || failure.From("", err).Code != failure.Held {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "old" {
		t.Errorf("the file has %q, %v", text, err)
	}
	file.Close()
	if err := WriteFile(path, []byte("new"), Options{}); err != nil {
		t.Error(err)
	}
	if err := Remove(path + "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
