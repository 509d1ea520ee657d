//go:build linux || darwin

package main

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

// peakMemory returns the largest resident size that a process had, in bytes. On Linux a child starts with the peak of
// its parent, so that what is smaller than this program (see `floor` in memory.go) cannot be seen.
func peakMemory(ps *os.ProcessState) (int64, error) {
	usage, ok := ps.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, errors.New("this system does not say how much memory a process used")
	}
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss), nil // in bytes there, in KiB on Linux
	}
	return int64(usage.Maxrss) << 10, nil
}
