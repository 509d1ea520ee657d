//go:build !purego

package jsontext

// hasVectors is true: NEON is part of arm64.
const hasVectors = true

// validPrefix checks the beginning of a text with vector instructions. It returns how much of it was checked, up to a
// character that may not be complete. ok is false if it is not UTF-8.
func validPrefix(text []byte) (checked int, ok bool) {
	const block = 16
	blocks := len(text) / block
	if blocks == 0 {
		return 0, true
	}
	if !validBlocksNEON(&text[0], blocks) {
		return 0, false
	}
	return startOfLast(text[:blocks*block]), true
}

// validBlocksNEON checks at least one block of 16 bytes. The last character may be incomplete.
//
//go:noescape
func validBlocksNEON(text *byte, blocks int) bool
