//go:build !purego

package media

import "golang.org/x/sys/cpu"

var hasAVX2 = cpu.X86.HasAVX2

// base64Prefix checks the beginning of a text with vector instructions. It returns how much of it was checked. ok is
// false if a byte of that is outside the alphabet.
func base64Prefix(text []byte) (checked int, ok bool) {
	const block = 32
	blocks := len(text) / block
	if blocks == 0 || !hasAVX2 {
		return 0, true
	}
	return blocks * block, base64BlocksAVX2(&text[0], blocks)
}

// base64BlocksAVX2 reports whether at least one block of 32 bytes is inside the alphabet.
//
//go:noescape
func base64BlocksAVX2(text *byte, blocks int) bool
