package change

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"time"

	"clawctl/pkg/source"
)

// A LockedError says who holds the lock of a file.
type LockedError struct{ Path, Holder string }

func (e *LockedError) Error() string { return "the session is in use by " + e.Holder }

// takeLock takes the lock of a file as OpenClaw does, so that OpenClaw waits until the file is changed. The lock of a
// process that has ended is replaced.
func takeLock(path string, now time.Time) (release func(), err error) {
	name := path + ".lock"
	for range 3 {
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			return func() { _ = os.Remove(name) }, writeLock(file, now)
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		if holder := source.LockHolder(name); holder != "" {
			return nil, &LockedError{path, holder}
		}
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return nil, &LockedError{path, name}
}

// writeLock says in a lock whose it is.
func writeLock(file *os.File, now time.Time) error {
	err := json.NewEncoder(file).Encode(struct {
		PID       int    `json:"pid"`
		CreatedAt string `json:"createdAt"`
		Started   int64  `json:"starttime,omitempty"`
	}{os.Getpid(), now.UTC().Format(time.RFC3339Nano), source.ProcessStart(os.Getpid())})
	if err = errors.Join(err, file.Close()); err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}
