package process

import (
	"bytes"
	"fmt"
	"os"
)

// isZombie reports whether a process has ended, and only waits for the process that started it to notice. In a
// container without an init that may be forever. A process whose first thread has ended looks alike but for the others.
func isZombie(pid int) bool {
	const state, threads = 0, 17 // after the name, which may contain anything and ends at the last parenthesis
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	return len(fields) > threads && string(fields[state]) == "Z" && len(fields[threads]) == 1 && fields[threads][0] <= '1'
}
