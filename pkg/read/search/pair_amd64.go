//go:build !purego

package search

import "golang.org/x/sys/cpu"

var (
	hasVectors = cpu.X86.HasAVX2
	hasAVX512  = cpu.X86.HasAVX512BW
)

// findInBlocks returns the number of the first block of 64 bytes that has the pair, and a bit for every place. The bits
// are 0 if none has it.
func findInBlocks(x, y, z *byte, blocks int, a, aBit, b, bBit, c, d byte) (block int, mask uint64) {
	if hasAVX512 {
		return findAVX512(x, y, z, blocks, a, aBit, b, bBit, c, d)
	}
	return findAVX2(x, y, z, blocks, a, aBit, b, bBit, c, d)
}

//go:noescape
func findAVX512(x, y, z *byte, blocks int, a, aBit, b, bBit, c, d byte) (block int, mask uint64)

//go:noescape
func findAVX2(x, y, z *byte, blocks int, a, aBit, b, bBit, c, d byte) (block int, mask uint64)
