//go:build !(amd64 || arm64) || purego

package secrets

// eachVector calls check: there are no vector instructions.
func eachVector(check func()) { check() }
