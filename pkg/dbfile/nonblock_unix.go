//go:build !windows

package dbfile

import "syscall"

// NonBlocking prevents an open from waiting for the other end of a pipe.
const NonBlocking = syscall.O_NONBLOCK | syscall.O_NOCTTY
