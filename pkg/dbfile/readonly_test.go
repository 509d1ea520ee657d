package dbfile

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// A database whose first writer was killed in its first transaction is read at once, like any other.
func TestAbortedLog(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not show this state")
	}
	folder := t.TempDir()
	path, left := filepath.Join(folder, "x.db"), filepath.Join(folder, "left.db")
	db, err := OpenOwn(path, "_pragma=journal_mode(WAL)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Ping(); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("SELECT * FROM sqlite_schema"); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"", "-shm"} {
		data, err := os.ReadFile(path + suffix)
		if err == nil {
			err = os.WriteFile(left+suffix, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	log := make([]byte, 32)
	for i, word := range []uint32{0x377f0682, 3007000, 4096, 0, 0x12345678, 0x9abcdef0, 1, 2} {
		binary.BigEndian.PutUint32(log[4*i:], word)
	}
	if err := os.WriteFile(left+"-wal", log, 0o600); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	u, err := OpenReadOnly(context.Background(), left)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	var tables int
	if err := u.QueryRow("SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil || tables != 0 {
		t.Error(tables, err)
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}
