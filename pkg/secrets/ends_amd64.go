//go:build !purego

package secrets

import "golang.org/x/sys/cpu"

var hasAVX2 = cpu.X86.HasAVX2

// nextEnd returns the index, at least from, of a byte that may end a mark: a dash, a line or a D with two letters
// before it that marks have there. It returns -1 if there is none. from must be at least 2.
func nextEnd(text []byte, from int) int {
	const block = 32
	blocks := (len(text) - from) / block
	if blocks <= 0 || !hasAVX2 {
		return nextEndGo(text, from)
	}
	if at := nextEndAVX2(&text[from], blocks); at >= 0 {
		return from + at
	}
	return nextEndGo(text, from+blocks*block)
}

// nextEndAVX2 returns the index of such a byte in at least one block of 32 bytes. It also reads the two bytes before
// them.
//
//go:noescape
func nextEndAVX2(text *byte, blocks int) int
