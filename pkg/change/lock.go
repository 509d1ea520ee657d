package change

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"time"

	"clawctl/internal/atomicfile"
	"clawctl/internal/openfile"
	"clawctl/internal/process"
	"clawctl/pkg/source/openclaw"
)

// A LockedError says who holds the lock of a file. If nobody can tell, that is the path of the lock.
type LockedError struct{ Path, Holder string }

func (e *LockedError) Error() string {
	if e.Holder == e.Path+lockSuffix {
		return "the session may be in use: it has a lock that cannot be read, " + e.Holder
	}
	return "the session is in use by " + e.Holder
}

// lockSuffix ends the name of the lock of a file.
const lockSuffix = ".lock"

// A FileLock is the lock of a file while this process holds it.
type FileLock struct {
	path, name string
	content    []byte
}

// Lock takes the lock of a file as OpenClaw does, so that OpenClaw waits until the file is changed.
//
// A stale lock is never removed. Between reading and removing it, a gateway could replace it by its own, which would be
// removed instead. So clawctl writes its own name into the file that it has read, and looks whether the lock still is
// that file. If it was replaced, nothing but an orphan was changed.
func Lock(path string, now time.Time) (*FileLock, error) {
	l := &FileLock{path: path, name: path + lockSuffix}
	var err error
	if l.content, err = lockContent(now); err != nil {
		return nil, err
	}
	for range 3 {
		err := l.create()
		if err == nil {
			return l, nil
		}
		if !errors.Is(err, atomicfile.ErrExists) && !errors.Is(err, atomicfile.ErrNotRegular) {
			return nil, err
		}
		done, err := l.takeOver(now)
		if err != nil {
			return nil, err
		}
		if done {
			return l, nil
		}
	}
	return nil, &LockedError{path, l.name}
}

// lockContent says whose lock it is.
func lockContent(now time.Time) ([]byte, error) {
	return json.Marshal(struct {
		PID       int    `json:"pid"`
		CreatedAt string `json:"createdAt"`
		Started   int64  `json:"starttime,omitempty"`
	}{os.Getpid(), now.UTC().Format(time.RFC3339Nano), process.Start(os.Getpid())})
}

// create creates the lock, which appears with its content.
func (l *FileLock) create() error {
	err := atomicfile.WriteFile(l.name, l.content, atomicfile.Options{Policy: atomicfile.ReplaceNothing})
	if errors.As(err, new(*atomicfile.SyncError)) {
		l.Release()
	}
	return err
}

// takeOver writes this process into a stale lock. done is false if the lock is not there any more.
func (l *FileLock) takeOver(now time.Time) (done bool, err error) {
	file, err := os.OpenFile(l.name, os.O_RDWR|openfile.NonBlocking, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		if holder := openclaw.LockHolder(l.name, now); holder != "" {
			return false, &LockedError{l.path, holder}
		}
		return false, err
	}
	defer file.Close()
	flock(file)
	if !isLockFile(file, l.name) {
		return false, nil
	}
	if holder := openclaw.HolderOf(file, l.name, now); holder != "" {
		return false, &LockedError{l.path, holder}
	}
	if err := l.overwrite(file); err != nil {
		return false, err
	}
	return l.isHeld(), nil
}

// isLockFile reports whether a path leads to an open file, and not through a link.
func isLockFile(file *os.File, path string) bool {
	is, err1 := file.Stat()
	there, err2 := os.Lstat(path)
	return err1 == nil && err2 == nil && is.Mode().IsRegular() && os.SameFile(is, there)
}

// overwrite replaces the content of a lock by one write, so that nobody reads half of it. What was longer is covered by
// spaces, which JSON allows.
func (l *FileLock) overwrite(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if more := int(info.Size()) - len(l.content); more > 0 {
		l.content = append(l.content, bytes.Repeat([]byte(" "), more)...)
	}
	if _, err := file.WriteAt(l.content, 0); err != nil {
		return err
	}
	return file.Sync()
}

// isHeld reports whether the lock is still that of this process.
func (l *FileLock) isHeld() bool {
	data, err := openfile.Content(l.name, int64(len(l.content)))
	return err == nil && bytes.Equal(data, l.content)
}

// check returns an error if somebody else has taken the lock.
func (l *FileLock) check() error {
	if l.isHeld() {
		return nil
	}
	return &LockedError{l.path, "a process that took over its lock"}
}

// Release removes the lock, unless it is that of somebody else by now.
func (l *FileLock) Release() {
	if l.isHeld() {
		_ = os.Remove(l.name)
	}
}
