//go:build !purego

package pairs

const hasVectors = true // NEON is part of arm64

// findInBlocks returns the number of the first block of 64 bytes that has the pair, and a bit for every place. The bits
// are 0 if none has it.
//
//go:noescape
func findInBlocks(x, y, z *byte, blocks int, a, aBit, b, bBit, c, d byte) (block int, mask uint64)
