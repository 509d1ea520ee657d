package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"clawctl/internal/testkit"
)

// A creator creates a file below a folder, with one of the two functions.
type creator func(t *testing.T, folder, name string, opts Options) (*File, error)

var creators = map[string]creator{
	"path": func(_ *testing.T, folder, name string, opts Options) (*File, error) {
		return Create(filepath.Join(folder, name), opts)
	},
	"root": func(t *testing.T, folder, name string, opts Options) (*File, error) {
		root, err := os.OpenRoot(folder)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { root.Close() })
		return CreateIn(root, name, opts)
	},
}

// forBoth runs a test with each of the creators, in an empty folder.
func forBoth(t *testing.T, test func(t *testing.T, create creator, folder string)) {
	for name, create := range creators {
		t.Run(name, func(t *testing.T) { test(t, create, t.TempDir()) })
	}
}

func mustCreate(t *testing.T, create creator, folder, name, content string, opts Options) *File {
	t.Helper()
	f, err := create(t, folder, name, opts)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(content); err != nil {
		t.Fatal(err)
	}
	return f
}

func wantContent(t *testing.T, path, want string) {
	t.Helper()
	if data, err := os.ReadFile(path); err != nil || string(data) != want {
		t.Errorf("%s has %q, %v", path, data, err)
	}
}

// wantNames checks which files a folder holds. No temporary file may remain.
func wantNames(t *testing.T, folder string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if strings.Join(names, " ") != strings.Join(want, " ") {
		t.Errorf("the folder holds %q, want %q", names, want)
	}
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	testkit.Write(t, path, content)
}

func TestCommit(t *testing.T) {
	modified := time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC)
	forBoth(t, func(t *testing.T, create creator, folder string) {
		f := mustCreate(t, create, folder, "a.txt", "new", Options{Policy: ReplaceNothing, Modified: modified})
		base := filepath.Base(f.TempName())
		if !strings.HasPrefix(base, ".clawctl-") || !strings.HasSuffix(base, ".tmp") {
			t.Errorf("the temporary file is called %s", base)
		}
		wantNames(t, folder, base)
		if err := f.Commit(); err != nil {
			t.Fatal(err)
		}
		f.Abandon() // must not remove the target
		wantNames(t, folder, "a.txt")
		wantContent(t, filepath.Join(folder, "a.txt"), "new")
		info, err := os.Stat(filepath.Join(folder, "a.txt"))
		if err != nil || !info.ModTime().Equal(modified) {
			t.Errorf("modified %v, %v", info.ModTime(), err)
		}
		if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v", info.Mode())
		}
	})
}

func TestAbandon(t *testing.T) {
	forBoth(t, func(t *testing.T, create creator, folder string) {
		writeFile(t, filepath.Join(folder, "a.txt"), "old")
		f := mustCreate(t, create, folder, "a.txt", "new", Options{})
		f.Abandon()
		f.Abandon()
		wantNames(t, folder, "a.txt")
		wantContent(t, filepath.Join(folder, "a.txt"), "old")
	})
}

func TestPolicies(t *testing.T) {
	for _, test := range []struct {
		policy Policy
		target string // what exists there: nothing, file, folder or link
		want   error
	}{
		{ReplaceNothing, "nothing", nil},
		{ReplaceNothing, "file", ErrExists},
		{ReplaceNothing, "folder", ErrNotRegular},
		{ReplaceNothing, "link", ErrNotRegular},
		{ReplaceRegular, "nothing", nil},
		{ReplaceRegular, "file", nil},
		{ReplaceRegular, "folder", ErrNotRegular},
		{ReplaceRegular, "link", ErrNotRegular},
		{ReplaceAny, "file", nil},
		{ReplaceAny, "link", nil},
	} {
		forBoth(t, func(t *testing.T, create creator, folder string) {
			makeTarget(t, folder, test.target)
			f, err := create(t, folder, "target", Options{Policy: test.policy})
			if !errors.Is(err, test.want) || (err == nil) != (test.want == nil) {
				t.Fatalf("policy %d over a %s: %v", test.policy, test.target, err)
			}
			if err != nil {
				if got := Check(filepath.Join(folder, "target"), test.policy); !errors.Is(got, test.want) {
					t.Errorf("Check: %v", got)
				}
				return
			}
			if err := f.Commit(); err != nil {
				t.Error(err)
			}
			if info, err := os.Lstat(filepath.Join(folder, "target")); err != nil || !info.Mode().IsRegular() {
				t.Errorf("the target is not a regular file: %v", err)
			}
		})
	}
}

func makeTarget(t *testing.T, folder, what string) {
	t.Helper()
	path := filepath.Join(folder, "target")
	switch what {
	case "file":
		writeFile(t, path, "old")
	case "folder":
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
	case "link":
		if err := os.Symlink("nowhere", path); err != nil {
			t.Skip("no links here: ", err)
		}
	}
}

// Commit does not replace a target that appears while the file is being written.
func TestTargetAppears(t *testing.T) {
	forBoth(t, func(t *testing.T, create creator, folder string) {
		f := mustCreate(t, create, folder, "a.txt", "new", Options{Policy: ReplaceNothing})
		writeFile(t, filepath.Join(folder, "a.txt"), "other")
		if err := f.Commit(); !errors.Is(err, ErrExists) {
			t.Error(err)
		}
		wantNames(t, folder, "a.txt")
		wantContent(t, filepath.Join(folder, "a.txt"), "other")
	})
}

func TestRenameOverFolder(t *testing.T) {
	forBoth(t, func(t *testing.T, create creator, folder string) {
		makeTarget(t, folder, "folder")
		f := mustCreate(t, create, folder, "target", "new", Options{})
		if err := f.Commit(); err == nil {
			t.Error("a folder was replaced")
		}
		wantNames(t, folder, "target")
	})
}

func TestMissingFolder(t *testing.T) {
	forBoth(t, func(t *testing.T, create creator, folder string) {
		if _, err := create(t, folder, filepath.Join("none", "a.txt"), Options{}); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
		wantNames(t, folder)
	})
}

func TestReadOnlyFolder(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("this user may write to every folder")
	}
	forBoth(t, func(t *testing.T, create creator, folder string) {
		if err := os.Chmod(folder, 0o500); err != nil {
			t.Fatal(err)
		}
		if _, err := create(t, folder, "a.txt", Options{}); !errors.Is(err, fs.ErrPermission) {
			t.Error(err)
		}
		wantNames(t, folder)
	})
}

func TestNoEscapeFromRoot(t *testing.T) {
	outside := t.TempDir()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := root.Symlink(outside, "link"); err != nil {
		t.Skip("no links here: ", err)
	}
	for _, name := range []string{filepath.Join("link", "a.txt"), filepath.Join("..", "a.txt")} {
		if _, err := CreateIn(root, name, Options{}); err == nil {
			t.Errorf("%s was created", name)
		}
	}
	wantNames(t, outside)
}

func TestClosedFile(t *testing.T) {
	forBoth(t, func(t *testing.T, create creator, folder string) {
		f := mustCreate(t, create, folder, "a.txt", "new", Options{})
		f.Close()
		if err := f.Commit(); err == nil {
			t.Error("a file that was not synced was committed")
		}
		wantNames(t, folder)
	})
}

func TestWriteFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	if err := WriteFile(path, []byte("one"), Options{}); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(path, []byte("two"), Options{Policy: ReplaceNothing}); !errors.Is(err, ErrExists) {
		t.Error(err)
	}
	if err := WriteFile(path, []byte("three"), Options{Policy: ReplaceRegular}); err != nil {
		t.Error(err)
	}
	wantContent(t, path, "three")
	wantNames(t, filepath.Dir(path), "a.txt")
}

// A recorder notes which folders are synced.
type recorder struct {
	system
	opened []string
}

func (r *recorder) OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error) {
	r.opened = append(r.opened, name)
	return r.system.OpenFile(name, flag, mode)
}

// The folder above every new folder is synced, and no other.
func TestMkdirAllSyncsParents(t *testing.T) {
	folder := t.TempDir()
	deep := filepath.Join(folder, "a", "b", "c")
	r := &recorder{}
	if err := mkdirAll(r, deep); err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(folder, "a", "b"), filepath.Join(folder, "a"), folder}
	if !slices.Equal(r.opened, want) {
		t.Errorf("synced %q, want %q", r.opened, want)
	}
	r.opened = nil
	if err := mkdirAll(r, deep); err != nil || len(r.opened) > 0 {
		t.Errorf("%v, synced %q again", err, r.opened)
	}
	testkit.Write(t, filepath.Join(folder, "file"), "")
	if err := MkdirAll(filepath.Join(folder, "file", "x")); err == nil {
		t.Error("a folder inside a file")
	}
}

// Of many processes that create the same file, exactly one succeeds, with links and without.
func TestOneCreatorWins(t *testing.T) {
	for name, in := range map[string]files{"links": system{}, "no links": noLinks{}} {
		path := filepath.Join(t.TempDir(), "a.txt")
		var wait sync.WaitGroup
		var won atomic.Int32
		for i := range 16 {
			wait.Go(func() {
				f, err := create(in, path, Options{Policy: ReplaceNothing})
				if err == nil {
					fmt.Fprint(f, i)
					err = f.Commit()
				}
				if err == nil {
					won.Add(1)
				} else if !errors.Is(err, ErrExists) {
					t.Error(name, err)
				}
			})
		}
		wait.Wait()
		if won.Load() != 1 {
			t.Errorf("%s: %d creators", name, won.Load())
		}
		wantNames(t, filepath.Dir(path), "a.txt")
	}
}

// noLinks is a file system without hard links.
type noLinks struct{ system }

func (noLinks) Link(_, _ string) error { return errors.ErrUnsupported }

// A folder that cannot be synced is an error, and the file is in place.
func TestSyncFails(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows never syncs a folder, and that is no error")
	}
	path := filepath.Join(t.TempDir(), "a.txt")
	f, err := create(badFolder{}, path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var failed *SyncError
	if err := f.Commit(); !errors.As(err, &failed) || failed.Folder != filepath.Dir(path) {
		t.Error(err)
	}
	wantContent(t, path, "")
}

// badFolder is a file system whose folders cannot be opened to be synced.
type badFolder struct{ system }

func (b badFolder) OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error) {
	if flag == os.O_RDONLY {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("input/output error")}
	}
	return b.system.OpenFile(name, flag, mode)
}

// openings counts how often a folder is opened.
type openings struct {
	system
	n int
}

func (o *openings) OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error) {
	if flag == os.O_RDONLY {
		o.n++
	}
	return o.system.OpenFile(name, flag, mode)
}

// Whoever writes many files may sync their folder once.
func TestFolderLater(t *testing.T) {
	for later, want := range map[bool]int{false: 3, true: 0} {
		folder, in := t.TempDir(), &openings{}
		for _, name := range []string{"a", "b", "c"} {
			file, err := create(in, filepath.Join(folder, name), Options{Policy: ReplaceNothing, FolderLater: later})
			if err != nil {
				t.Fatal(err)
			}
			if err := file.Commit(); err != nil {
				t.Fatal(err)
			}
		}
		if wantNames(t, folder, "a", "b", "c"); in.n != want {
			t.Errorf("FolderLater %v: the folder was synced %d times, want %d", later, in.n, want)
		}
	}
}
