//go:build unix

package dbfile

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"clawctl/internal/testkit"
)

// The bytes that SQLite locks for readers.
const sharedFirst, sharedSize = 0x40000002, 510

// TestIsLocked runs as another process, which reports whether this one has locked a file.
func TestIsLocked(t *testing.T) {
	path := os.Getenv("CLAWCTL_TEST_LOCKED")
	if path == "" {
		t.Skip("TestLocksAreKept runs it as a process of its own")
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Start: sharedFirst, Len: sharedSize}
	if err := syscall.FcntlFlock(file.Fd(), syscall.F_GETLK, &lock); err != nil {
		t.Fatal(err)
	}
	fmt.Println("locked:", lock.Type != syscall.F_UNLCK)
}

func isLocked(t *testing.T, path string) bool {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run", "^TestIsLocked$")
	child.Env = append(os.Environ(), "CLAWCTL_TEST_LOCKED="+path)
	out, err := child.Output()
	if err != nil || !strings.Contains(string(out), "locked: ") {
		t.Fatalf("%s %v", out, err)
	}
	return strings.Contains(string(out), "locked: true")
}

// Reading the first bytes of an open database releases none of its locks.
func TestLocksAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	testkit.Write(t, path, "")
	db, err := OpenOwn(path, "_pragma=journal_mode(WAL)")
	if err != nil {
		t.Fatal(err)
	}
	conn, err := db.Conn(context.Background())
	if err == nil {
		_, err = conn.ExecContext(context.Background(), "CREATE TABLE t(x)")
	}
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, link} {
		if !Is(name) {
			t.Errorf("%s is not a database", name)
		}
		if _, err := ReadHeader(name); err != nil {
			t.Error(err)
		}
		if !isLocked(t, path) {
			t.Fatalf("the locks are gone after reading the first bytes of %s", name)
		}
	}
	conn.Close()
	if db.Close(); len(openFiles.files) > 0 || isLocked(t, path) {
		t.Errorf("%d files are still open at the end", len(openFiles.files))
	}
}
