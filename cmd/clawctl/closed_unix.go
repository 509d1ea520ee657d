//go:build unix

package main

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// isClosed reports whether the shell closed a standard stream (>&-). The Go runtime opens the null device for reading
// and writing in its place, which nobody does on purpose: a shell opens it for one or the other.
func isClosed(stream io.Writer) bool {
	file, ok := stream.(*os.File)
	if !ok {
		return false
	}
	flags, err := unix.FcntlInt(file.Fd(), unix.F_GETFL, 0)
	if err != nil {
		return true
	}
	info, err := file.Stat()
	null, nullErr := os.Stat(os.DevNull)
	return err == nil && nullErr == nil && os.SameFile(info, null) && flags&unix.O_ACCMODE == unix.O_RDWR
}
