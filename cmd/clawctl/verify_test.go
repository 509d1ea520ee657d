package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A store that may not be read is not called something else.
func TestVerifyAgainstUnreadable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	if code, _, said := inProcess("", "import", "-q", "../../testdata/home", "--to", path); code != exitOK {
		t.Fatal(code, said)
	}
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	if file, err := os.Open(path); err == nil {
		file.Close()
		t.Skip("root, or a system without permissions, reads everything")
	}
	code, _, said := inProcess("", "verify", "../../testdata/home", "--against", path)
	if code != exitUsage || !strings.Contains(said, "s.db: CL902 permission denied") || !strings.Contains(said, "hint: ls -l ") {
		t.Error(code, said)
	}
}
