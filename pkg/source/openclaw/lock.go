package openclaw

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"clawctl/internal/openfile"
	"clawctl/internal/process"
)

// LockSuffix ends the name of the file that OpenClaw puts beside a transcript while it writes to it.
const LockSuffix = ".jsonl.lock"

// A Lock is a file that OpenClaw puts beside a transcript while it writes to it.
type Lock struct {
	Path     string
	PID      int       // 0 if it names no process
	Modified time.Time // of the file
	started  int64     // when the process started, in the system's own unit; 0 if the lock does not say
}

// IsAlive reports whether the process that holds the lock is running on this machine.
// The system reuses the numbers of processes.
func (l *Lock) IsAlive() bool {
	if l.PID <= 0 || !process.IsAlive(l.PID) {
		return false
	}
	began := process.Start(l.PID) // a process of somebody else may be invisible
	return l.started == 0 || began == 0 || began == l.started
}

// IsStale reports whether the lock is left over: its process has ended, or it names none and is old.
func (l *Lock) IsStale(now time.Time) bool {
	if l.PID > 0 {
		return !l.IsAlive()
	}
	return now.Sub(l.Modified) > orphanAge
}

// ReadLock reads an open lock without its path. ok is false if it cannot be read, or if it has other content than a
// lock.
func ReadLock(file fs.File) (lock Lock, ok bool) { return lockIn(file, io.LimitReader(file, maxLock)) }

// lockIn is ReadLock for the text of a lock.
func lockIn(file fs.File, text io.Reader) (lock Lock, ok bool) {
	data, err := io.ReadAll(text)
	if err != nil {
		return lock, false
	}
	lock, ok = parseLock(data)
	info, err := file.Stat()
	if err != nil || !ok && !namesNobody(data) {
		return lock, false
	}
	lock.Modified = info.ModTime()
	return lock, true
}

// maxLock is how much of a lock is read. OpenClaw's have about a hundred bytes.
const maxLock = 4096

// parseLock reads the content of a lock. ok is false if it names no process.
func parseLock(data []byte) (lock Lock, ok bool) {
	rec := parseWhole(data)
	if !rec.Legible() || rec.Get("pid").Int() <= 0 {
		return lock, false
	}
	return Lock{PID: int(rec.Get("pid").Int()), started: rec.Get("starttime").Int()}, true
}

// orphanAge is how old a lock without a process must be before it counts as stale. A power cut leaves such locks, and
// OpenClaw writes the process a moment after it creates the file, so it waits for so long, too.
const orphanAge = 30 * time.Second

// LockHolder describes who holds the lock at a path. It returns "" if there is no lock, or if it is stale.
func LockHolder(path string, now time.Time) string {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return ""
	case err != nil || !info.Mode().IsRegular():
		return path
	}
	file, err := openfile.Regular(path)
	if err != nil {
		return path
	}
	defer file.Close()
	return HolderOf(file, path, now)
}

// HolderOf is LockHolder for a lock that is open. Stale is the lock of a process that has ended, and an old one that is
// empty, torn, or like OpenClaw's but without a process: OpenClaw takes such a lock over, too. Any other content counts
// as held, because nobody knows what it means.
func HolderOf(file *os.File, path string, now time.Time) string {
	lock, ok := lockIn(file, io.NewSectionReader(file, 0, maxLock))
	switch {
	case ok && lock.IsStale(now):
		return ""
	case lock.PID > 0:
		return fmt.Sprintf("process %d", lock.PID)
	}
	return path
}

// namesNobody reports whether a lock was torn, or is one of OpenClaw's that names no process.
func namesNobody(data []byte) bool {
	if _, hasProcess := parseLock(data); hasProcess || isTorn(data) {
		return !hasProcess
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(data, &object) != nil || object == nil {
		return false
	}
	for _, key := range []string{"pid", "createdAt", "starttime"} {
		delete(object, key)
	}
	return len(object) == 0
}

// isTorn reports whether a lock has lost its end, or all of it, or was never written: what is there is the beginning of
// an object, or nothing but zeros.
func isTorn(data []byte) bool {
	begin := bytes.TrimRight(data, "\x00")
	return len(begin) == 0 || len(begin) < maxLock && begin[0] == '{' && !json.Valid(begin)
}
