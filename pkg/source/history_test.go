package source

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// The text of a context begins with those of the sessions that headers refer to, each as far as the header says.
func TestOpenContext(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	header := func(id, history string, size int) string {
		return `{"type":"session","version":3,"id":"` + id + `","cwd":"/","history":{"session":"` + history +
			`","bytes":` + strconv.Itoa(size) + "}}\n"
	}
	first := `{"type":"session","version":3,"id":"a","cwd":"/"}` + "\n"
	write("sessions/2026/01/30/a.jsonl", first+"more\n")
	second := header("b", "a", len(first))
	write("sessions/2026/02/01/b.jsonl", second)
	third := header("c", "b", len(second))
	for path, want := range map[string]string{
		write("sessions/2026/02/01/c.jsonl", third): first + second + third,
		write("sessions/2026/02/01/d.jsonl", first): first,
	} {
		if got := contextText(t, path); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
	missing := File(write("sessions/2026/02/01/e.jsonl", header("e", "gone", 1)))
	if _, err := missing.OpenContext(); !errors.As(err, new(*HistoryError)) {
		t.Errorf("a history that is gone: %v", err)
	}
	loop := File(write("sessions/2026/02/01/f.jsonl", header("f", "f", 1)))
	in, err := loop.OpenContext()
	if err != nil {
		t.Fatal(err)
	}
	in.Close()
}

func contextText(t *testing.T, path string) string {
	t.Helper()
	in, err := File(path).OpenContext()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	text, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
