//go:build unix

package change

import (
	"os"
	"syscall"
)

// flock waits until no other process of clawctl is taking over the same lock. Some file systems have no such locks;
// then the check after the write is all there is.
func flock(file *os.File) { _ = syscall.Flock(int(file.Fd()), syscall.LOCK_EX) }
