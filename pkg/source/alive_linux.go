package source

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// isAlive reports whether a process is running and is the one that started at the given time. The system reuses process
// numbers.
func isAlive(pid int, started int64) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	const startField = 19 // after the name, which may contain anything and ends at the last parenthesis
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if started == 0 || len(fields) <= startField {
		return true
	}
	began, err := strconv.ParseInt(string(fields[startField]), 10, 64)
	return err != nil || began == started
}
