//go:build !windows

package shell

// OfAncestors returns POSIX: other systems than Windows have no other shell that clawctl knows.
func OfAncestors(Shell) Shell { return POSIX }
