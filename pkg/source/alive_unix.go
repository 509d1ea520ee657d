//go:build unix && !linux

package source

import "syscall"

func isAlive(pid int, _ int64) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || err == syscall.EPERM
}
