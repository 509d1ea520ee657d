//go:build linux || darwin

package main

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

// peakMemory returns the largest resident set size of a process, in bytes.
func peakMemory(ps *os.ProcessState) (int64, error) {
	usage, ok := ps.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, errors.ErrUnsupported
	}
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss), nil // bytes on macOS, KiB on Linux
	}
	return int64(usage.Maxrss) << 10, nil
}
