//go:build !linux

package source

import "clawctl/internal/process"

func isAlive(pid int, _ int64) bool { return process.IsAlive(pid) }
