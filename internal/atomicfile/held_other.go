//go:build !windows

package atomicfile

// mayBeHeld is always false: other systems let everybody replace a file that is open.
func mayBeHeld(error) bool { return false }

func isHeld(string) bool { return false }
