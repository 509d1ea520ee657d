package process

import (
	"io/fs"
	"os"
)

// IsAlive reports whether a process is running.
func IsAlive(pid int) bool {
	process, err := os.FindProcess(pid) // fails if the process does not exist
	if err != nil {
		return false
	}
	_ = process.Release()
	return true
}

// isOwn is always true: temporary folders belong to one user on Windows.
func isOwn(fs.FileInfo) bool { return true }
