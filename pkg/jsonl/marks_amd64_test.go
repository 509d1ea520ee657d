//go:build !purego

package jsonl

import "testing"

// The marks are the same with the vector instructions of every processor.
func TestMarksOfOlderProcessors(t *testing.T) {
	defer func(avx2, avx512 bool) { hasAVX2, hasAVX512 = avx2, avx512 }(hasAVX2, hasAVX512)
	hasAVX512 = false
	t.Run("AVX2", TestMarks)
	hasAVX2 = false
	t.Run("none", TestMarks)
}
