package source

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// isAlive reports whether a process is running and is the one that started at the given time. The system reuses process
// numbers.
func isAlive(pid int, started int64) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return syscall.Kill(pid, 0) == syscall.EPERM // a process of somebody else may be invisible in /proc
	}
	const startField = 19 // after the name, which may contain anything and ends at the last parenthesis
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if started == 0 || len(fields) <= startField {
		return true
	}
	began, err := strconv.ParseInt(string(fields[startField]), 10, 64)
	return err != nil || began == started
}
