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
)

// Where SQLite has the locks of those who read.
const sharedFirst, sharedSize = 0x40000002, 510

// TestIsLocked is another process, which says whether a file is locked by this one.
func TestIsLocked(t *testing.T) {
	path := os.Getenv("CLAWCTL_TEST_LOCKED")
	if path == "" {
		t.Skip("it is run by TestLocksStay")
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

// Looking at the first bytes of a database that is open gives none of its locks away.
func TestLocksStay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
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
			t.Errorf("%s is no database", name)
		}
		if _, err := ReadHeader(name); err != nil {
			t.Error(err)
		}
		if !isLocked(t, path) {
			t.Fatalf("the locks are gone after a look at %s", name)
		}
	}
	conn.Close()
	if db.Close(); len(openFiles.files) > 0 || isLocked(t, path) {
		t.Errorf("%d files are held after the end", len(openFiles.files))
	}
}
