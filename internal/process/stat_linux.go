package process

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// isZombie reports whether a process has ended, and only waits for the process that started it to notice. In a
// container without an init that may be forever. A process whose first thread has ended looks alike but for the others.
func isZombie(pid int) bool {
	const state, threads = 0, 17
	return statField(pid, state) == "Z" && statField(pid, threads) <= "1"
}

// Start returns when a process started, in the unit of OpenClaw's locks, or 0 if that is not known.
func Start(pid int) int64 {
	const started = 19
	began, _ := strconv.ParseInt(statField(pid, started), 10, 64)
	return began
}

// statField returns what the system says about a process, or "". Fields are numbered after the name, which may contain
// anything and ends at the last parenthesis.
func statField(pid, number int) string {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // one that has ended has none
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) <= number {
		return ""
	}
	return string(fields[number])
}
