package source

import (
	"io"
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
	file, err := w.root.OpenFile(path, os.O_RDONLY|dbfile.NonBlocking, 0)
	if err != nil {
		return
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, 4096))
	if err != nil {
		return
	}
	for i, c := range data {
		if c == '\n' {
			data[i] = ' '
		}
	}
	if rec := (&jsonl.Parser{}).Parse(data, 1, 0); rec.Legible() && rec.Get("pid").Int() > 0 {
		w.place.Locks = append(w.place.Locks,
			Lock{Path: w.displayPath(path), PID: int(rec.Get("pid").Int()), started: rec.Get("starttime").Int()})
	}
}
