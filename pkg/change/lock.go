package change

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"time"

	"clawctl/internal/atomicfile"
	"clawctl/pkg/source"
)

// A LockedError says who holds the lock of a file.
type LockedError struct{ Path, Holder string }

func (e *LockedError) Error() string { return "the session is in use by " + e.Holder }

// Lock takes the lock of a file as OpenClaw does, so that OpenClaw waits until the file is changed. The lock of a
// process that has ended is replaced.
func Lock(path string, now time.Time) (release func(), err error) {
	name := path + ".lock"
	for range 3 {
		err := createLock(name, now)
		if err == nil {
			return func() { _ = os.Remove(name) }, nil
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

// createLock creates a lock that says whose it is. It appears with its content, because nobody would dare to replace
// the empty lock of a process that was killed.
func createLock(name string, now time.Time) error {
	content, err := json.Marshal(struct {
		PID       int    `json:"pid"`
		CreatedAt string `json:"createdAt"`
		Started   int64  `json:"starttime,omitempty"`
	}{os.Getpid(), now.UTC().Format(time.RFC3339Nano), source.ProcessStart(os.Getpid())})
	if err != nil {
		return err
	}
	file, err := atomicfile.Create(name, atomicfile.Options{Policy: atomicfile.ReplaceNothing})
	if err != nil {
		if errors.Is(err, atomicfile.ErrExists) {
			return fs.ErrExist
		}
		return err
	}
	defer file.Abandon()
	if _, err := file.Write(content); err != nil {
		return err
	}
	err = os.Link(file.TempName(), name)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	return createPlainLock(name, content)
}

// createPlainLock is for file systems without hard links.
func createPlainLock(name string, content []byte) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Close()); err != nil {
		_ = os.Remove(name)
	}
	return err
}
