//go:build !windows

package source

import "syscall"

// nonBlocking keeps an open from waiting for the other end of a pipe.
const nonBlocking = syscall.O_NONBLOCK | syscall.O_NOCTTY
