//go:build !linux

package openclaw

import "clawctl/internal/process"

func isAlive(pid int, _ int64) bool { return process.IsAlive(pid) }

// ProcessStart returns 0: when a process started is not known here.
func ProcessStart(int) int64 { return 0 }
