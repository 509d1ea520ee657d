//go:build !windows

package main

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// closedPipeErrnos are the further ways in which this system says that nobody reads a pipe; EPIPE is all here.
var closedPipeErrnos []error

// isAbandoned reports whether nobody will read what is written to a stream: the other end of a pipe is closed, or the
// terminal is gone. It does not wait.
func isAbandoned(stream io.Writer) bool {
	file, ok := stream.(*os.File)
	if !ok {
		return false
	}
	fds := []unix.PollFd{{Fd: int32(file.Fd())}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
}
