//go:build unix && !linux

package process

// isZombie returns false: what ended without being noticed is not known here.
func isZombie(int) bool { return false }
