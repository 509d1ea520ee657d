package source

import "os"

func isAlive(pid int, _ int64) bool {
	process, err := os.FindProcess(pid) // fails if the process does not exist
	if err != nil {
		return false
	}
	_ = process.Release()
	return true
}
