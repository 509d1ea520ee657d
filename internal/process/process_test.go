package process

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"clawctl/internal/testkit"
)

// deadProcess returns the number of a process that has ended.
func deadProcess(t *testing.T) string {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run", "^$")
	if err := child.Run(); err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(child.Process.Pid)
}

// Only what TempName named for a dead process of this machine is removed, and nothing that somebody else may need.
func TestRemoveStale(t *testing.T) {
	folder := t.TempDir()
	own := TempName("x-", ".tmp")
	dead := strings.Replace(own, strconv.Itoa(os.Getpid()), deadProcess(t), 1)
	elsewhere := strings.Replace(dead, "-"+place()+"-", "-00000000-", 1)
	folders := map[string]string{
		dead: "file", own: "file", elsewhere: "file", "x-.tmp": "file", "x-1-2-3.tmp": "file", "y" + dead: "file",
		strings.Replace(dead, "x-", "d-", 1): "copy", strings.Replace(dead, "x-", "e-", 1): "other",
	}
	for name, what := range folders {
		path := filepath.Join(folder, name)
		if what != "file" {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
			path = filepath.Join(path, what)
		}
		testkit.Write(t, path, "")
	}
	for _, prefix := range []string{"x-", "d-", "e-"} {
		RemoveStale(folder, prefix, ".tmp", "copy")
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, entry := range entries {
		left = append(left, entry.Name())
	}
	want := []string{own, elsewhere, "x-.tmp", "x-1-2-3.tmp", "y" + dead, strings.Replace(dead, "x-", "e-", 1)}
	slices.Sort(want)
	if !slices.Equal(left, want) {
		t.Errorf("left:\n%s\nwant:\n%s", strings.Join(left, "\n"), strings.Join(want, "\n"))
	}
}

// A file that this process has open is held, under every name.
func TestOpenFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if held, known := OpenFiles().Has(info); known && !held {
		t.Error("the file is open")
	}
	file.Close()
	if held, _ := OpenFiles().Has(info); held {
		t.Error("the file is closed")
	}
}
