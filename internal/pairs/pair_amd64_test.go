//go:build !purego

package pairs

import "testing"

// Pairs are found in the same places without vector instructions.
func TestFindPairOnOlderProcessors(t *testing.T) {
	defer func(before bool) { hasVectors = before }(hasVectors)
	hasVectors = false
	TestFindPair(t)
}
