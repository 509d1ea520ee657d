//go:build !purego

package search

import "testing"

// Pairs are found in the same places with the vector instructions of every processor.
func TestFindPairOnOlderProcessors(t *testing.T) {
	defer func(vectors, avx512 bool) { hasVectors, hasAVX512 = vectors, avx512 }(hasVectors, hasAVX512)
	hasAVX512 = false
	t.Run("AVX2", TestFindPair)
	hasVectors = false
	t.Run("none", TestFindPair)
}
