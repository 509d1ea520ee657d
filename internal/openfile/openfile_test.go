package openfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/testkit"
)

// While a file is read, others rename it, put another one in its place, and delete both.
func TestReadHindersNobody(t *testing.T) {
	folder := t.TempDir()
	path, aside := filepath.Join(folder, "a.jsonl"), filepath.Join(folder, "b.jsonl")
	for _, open := range []func(string) (*os.File, error){Named, Regular} {
		testkit.Write(t, path, "old")
		file, err := open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if err := os.Rename(path, aside); err != nil {
			t.Fatalf("rename: %v", err)
		}
		if err := os.WriteFile(path, []byte("new"), 0o600); err != nil {
			t.Fatalf("write a new one: %v", err)
		}
		if err := errors.Join(os.Remove(path), os.Remove(aside)); err != nil {
			t.Fatalf("remove: %v", err)
		}
		if text, err := io.ReadAll(file); err != nil || string(text) != "old" {
			t.Fatalf("read %q, %v", text, err)
		}
		file.Close()
	}
}

func TestContent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	for _, text := range []string{"", "x", "two\nlines\n"} {
		testkit.Write(t, path, text)
		if got, err := Content(path, 100); err != nil || string(got) != text {
			t.Errorf("got %q, %v", got, err)
		}
	}
	if _, err := Content(path+"-none", 100); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if _, err := Content("", 100); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if _, err := Content(filepath.Dir(path), 100); err == nil {
		t.Error("a folder has content")
	}
}

// A file without an end on the disk is refused by its size, and a text of any length is read up to the limit.
func TestContentHasLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	testkit.Write(t, path, "12345")
	for limit, want := range map[int64]error{4: ErrTooLarge, 5: nil} {
		if _, err := Content(path, limit); !errors.Is(err, want) {
			t.Errorf("%d bytes: %v", limit, err)
		}
		if _, err := ReadAll(strings.NewReader("12345"), limit); !errors.Is(err, want) {
			t.Errorf("%d bytes of a stream: %v", limit, err)
		}
	}
	if err := os.Truncate(path, 1<<40); err != nil {
		t.Skip(err)
	}
	if _, err := Content(path, 100); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a terabyte: %v", err)
	}
}

// A folder can be opened and listed.
func TestReadFolder(t *testing.T) {
	folder := t.TempDir()
	testkit.Write(t, filepath.Join(folder, "a"), "")
	file, err := Named(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if names, err := file.Readdirnames(-1); err != nil || len(names) != 1 {
		t.Errorf("got %v, %v", names, err)
	}
}
