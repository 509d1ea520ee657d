//go:build !windows

package openfile

import (
	"os"
	"syscall"
)

// NonBlocking prevents an open from waiting for the other end of a pipe.
const NonBlocking = syscall.O_NONBLOCK | syscall.O_NOCTTY

func read(path string, flags int) (*os.File, error) { return os.OpenFile(path, os.O_RDONLY|flags, 0) }
