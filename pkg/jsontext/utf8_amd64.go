//go:build !purego

package jsontext

import "golang.org/x/sys/cpu"

var hasVectors = cpu.X86.HasAVX2

// validPrefix checks the beginning of a text with vector instructions. It returns how much of it was checked, up to a
// character that may not be complete. ok is false if it is not UTF-8.
func validPrefix(text []byte) (checked int, ok bool) {
	const block = 32
	blocks := len(text) / block
	if blocks == 0 || !hasVectors {
		return 0, true
	}
	if !validBlocksAVX2(&text[0], blocks) {
		return 0, false
	}
	return startOfLast(text[:blocks*block]), true
}

// validBlocksAVX2 checks at least one block of 32 bytes. The last character may be incomplete.
//
//go:noescape
func validBlocksAVX2(text *byte, blocks int) bool
