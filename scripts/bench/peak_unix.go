//go:build linux || darwin

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peakMemory returns the largest resident set size of a process, in bytes. On Linux a process inherits the peak of its
// parent, so no peak can be lower than that of this program.
func peakMemory(ps *os.ProcessState) int64 {
	usage, ok := ps.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(usage.Maxrss) // bytes on macOS, KiB on Linux
	}
	return int64(usage.Maxrss) << 10
}
