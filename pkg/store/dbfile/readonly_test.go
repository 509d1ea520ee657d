package dbfile

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"clawctl/internal/testkit"
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
	data, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(left, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	log := make([]byte, 32)
	for i, word := range []uint32{0x377f0682, 3007000, 4096, 0, 0x12345678, 0x9abcdef0, 1, 2} {
		binary.BigEndian.PutUint32(log[4*i:], word)
	}
	testkit.Write(t, left+"-wal", log)
	shm := testkit.Read(t, path+"-shm")
	for name, shm := range map[string][]byte{
		"killed": shm, "empty after a power cut": nil, "short": shm[:36], "zeros": make([]byte, len(shm)),
		"garbage": bytes.Repeat([]byte("garbage!"), len(shm)/8),
	} {
		t.Run(name, func(t *testing.T) {
			testkit.Write(t, left+"-shm", shm)
			took := readLeft(t, left)
			for try := 1; try < 5 && took > 5*time.Second; try++ { // a busy machine is slow once, a lock every time
				took = readLeft(t, left)
			}
			if took > 5*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// readLeft reads a database and returns how long that took.
func readLeft(t *testing.T, left string) time.Duration {
	t.Helper()
	begun := time.Now()
	u, err := OpenReadOnly(context.Background(), left)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	var tables int
	if err := u.DB.QueryRow("SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil || tables != 0 {
		t.Error(tables, err)
	}
	return time.Since(begun)
}
