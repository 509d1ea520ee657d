package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"clawctl/pkg/dbfile"
	"clawctl/pkg/jsonl"
)

// lockSuffix ends the name of the file that OpenClaw puts beside a transcript while it writes to it.
const lockSuffix = ".jsonl.lock"

// A Lock is a file that OpenClaw puts beside a transcript while it writes to it.
type Lock struct {
	Path    string
	PID     int
	started int64 // when the process started, in the system's own unit; 0 if the lock does not say
}

// IsAlive reports whether the process that holds the lock is running on this machine.
func (l *Lock) IsAlive() bool { return isAlive(l.PID, l.started) }

// readLock adds a lock. A lock that cannot be read is ignored.
func (w *walker) readLock(path string) {
	file, err := w.openAny(path)
	if err != nil {
		return
	}
	defer file.Close()
	if lock, ok := parseLock(file); ok {
		lock.Path = w.displayPath(path)
		w.place.Locks = append(w.place.Locks, lock)
	}
}

// parseLock reads the content of a lock. ok is false if it names no process.
func parseLock(file io.Reader) (lock Lock, ok bool) {
	data, err := io.ReadAll(io.LimitReader(file, 4096))
	if err != nil {
		return lock, false
	}
	rec := (&jsonl.Parser{}).Parse(bytes.ReplaceAll(data, []byte("\n"), []byte(" ")), 1, 0)
	if !rec.Legible() || rec.Get("pid").Int() <= 0 {
		return lock, false
	}
	return Lock{PID: int(rec.Get("pid").Int()), started: rec.Get("starttime").Int()}, true
}

// LockHolder describes who holds the lock at a path. It returns "" if there is no lock, or if its process has ended. A
// lock that cannot be read counts as held.
func LockHolder(path string) string {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ""
	case err != nil || !info.Mode().IsRegular():
		return path
	}
	file, err := os.OpenFile(path, os.O_RDONLY|dbfile.NonBlocking, 0)
	if err != nil {
		return path
	}
	defer file.Close()
	lock, ok := parseLock(file)
	switch {
	case !ok:
		return path
	case !lock.IsAlive():
		return ""
	}
	return fmt.Sprintf("process %d", lock.PID)
}
