//go:build unix

package source

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"clawctl/internal/testkit"
)

// Files in more folders than stay open can be opened, also through links to other folders, but not outside the tree.
func TestFolderTree(t *testing.T) {
	state, outside := t.TempDir(), filepath.Join(t.TempDir(), "secret")
	testkit.Write(t, outside, "secret")
	const folders = 2*keptFolders + 1
	file := func(i int, name string) string { return filepath.Join("agents", fmt.Sprint(i%folders), name) }
	for i := range folders {
		at := filepath.Join(state, file(i, ""))
		for _, err := range []error{
			os.MkdirAll(at, 0o700), os.WriteFile(filepath.Join(at, "own"), []byte(fmt.Sprint(i)), 0o600),
			os.Symlink(fmt.Sprintf("../%d/own", (i+1)%folders), filepath.Join(at, "next")),
			os.Symlink(outside, filepath.Join(at, "outside")),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	tree, err := openFolderTree(state)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	for i := range 3 * folders {
		for name, want := range map[string]int{"own": i % folders, "next": (i + 1) % folders} {
			in, err := tree.open(file(i, name))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(in); err != nil || string(got) != fmt.Sprint(want) {
				t.Errorf("%s: got %q, %v, want %d", file(i, name), got, err, want)
			}
			in.Close()
		}
		if _, err := tree.open(file(i, "outside")); err == nil {
			t.Errorf("%s was opened", file(i, "outside"))
		}
	}
}
