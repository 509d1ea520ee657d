package openclaw

import (
	"bytes"
	"fmt"
	"os"
	"strconv"

	"clawctl/internal/process"
)

// isAlive reports whether a process is running and is the one that started at the given time. The system reuses process
// numbers.
func isAlive(pid int, started int64) bool {
	if !process.IsAlive(pid) {
		return false
	}
	began := ProcessStart(pid) // a process of somebody else may be invisible in /proc
	return started == 0 || began == 0 || began == started
}

// ProcessStart returns when a process started, in the unit of OpenClaw's locks, or 0 if that is not known.
func ProcessStart(pid int) int64 {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	const startField = 19 // after the name, which may contain anything and ends at the last parenthesis
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) <= startField {
		return 0
	}
	began, err := strconv.ParseInt(string(fields[startField]), 10, 64)
	if err != nil {
		return 0
	}
	return began
}
