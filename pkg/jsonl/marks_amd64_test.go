//go:build !purego

package jsonl

import "testing"

// The marks are the same without vector instructions.
func TestMarksOfOlderProcessors(t *testing.T) {
	defer func(before bool) { hasAVX2 = before }(hasAVX2)
	hasAVX2 = false
	TestMarks(t)
}
