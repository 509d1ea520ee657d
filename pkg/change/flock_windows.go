package change

import (
	"os"

	"golang.org/x/sys/windows"
)

// flock waits until no other process of clawctl is taking over the same lock. It locks a byte far behind the content,
// because Windows does not let others read what is locked.
func flock(file *os.File) {
	_ = windows.LockFileEx(windows.Handle(file.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0,
		&windows.Overlapped{Offset: 1 << 30})
}
