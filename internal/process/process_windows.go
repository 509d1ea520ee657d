package process

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/windows"
)

// IsAlive reports whether a process is running. One of another user or of the system may not be opened, which is
// reported differently from a number that no process has.
func IsAlive(pid int) bool {
	handle, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return errors.Is(err, windows.ERROR_ACCESS_DENIED)
	}
	defer windows.CloseHandle(handle)
	// A process that has ended keeps its number as long as anybody has a handle of it.
	event, err := windows.WaitForSingleObject(handle, 0)
	return err != nil || event == uint32(windows.WAIT_TIMEOUT)
}

// isOwn is always true: temporary folders belong to one user on Windows.
func isOwn(fs.FileInfo) bool { return true }
