//go:build unix

package process

import (
	"io/fs"
	"os"
	"syscall"
)

// IsAlive reports whether a process is running.
func IsAlive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return (err == nil || err == syscall.EPERM) && !isZombie(pid)
}

// isOwn reports whether a file belongs to this user.
func isOwn(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
