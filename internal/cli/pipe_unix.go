//go:build !windows

package cli

import (
	"clawctl/internal/ui"

	"golang.org/x/sys/unix"
)

// closedPipeErrnos are the further ways in which this system says that nobody reads a pipe; EPIPE is all here.
var closedPipeErrnos []error

// IsAbandoned reports whether nobody will read what is written to a stream: the other end of a pipe is closed, or the
// terminal is gone. It does not wait.
func IsAbandoned(stream *ui.Stream) bool {
	fd, ok := stream.Fd()
	if !ok {
		return false
	}
	fds := []unix.PollFd{{Fd: int32(fd)}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
}
