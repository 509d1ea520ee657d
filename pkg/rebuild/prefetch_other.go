//go:build !amd64 || purego

package rebuild

// prefetch does nothing: only the code for amd64 loads a slot ahead.
func prefetch(*slot) {}
