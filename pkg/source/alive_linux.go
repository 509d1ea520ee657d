package source

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// isAlive reports whether a process runs, and is the one that began then: numbers of processes are used again.
func isAlive(pid int, started int64) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	const startField = 19 // of those behind the name, which may hold anything but ends with the last parenthesis
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if started == 0 || len(fields) <= startField {
		return true
	}
	began, err := strconv.ParseInt(string(fields[startField]), 10, 64)
	return err != nil || began == started
}
