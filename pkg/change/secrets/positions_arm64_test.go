//go:build !purego

package secrets

// eachVector calls check with vector instructions, and without.
func eachVector(check func()) {
	defer func() { hasVectors = true }()
	for _, hasVectors = range []bool{true, false} {
		check()
	}
}
