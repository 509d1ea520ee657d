//go:build !purego

package search

import (
	"math/bits"

	"golang.org/x/sys/cpu"
)

var hasAVX2 = cpu.X86.HasAVX2

// findPair is findPairGo with vector instructions.
func findPair(x, y []byte, p pair) int {
	blocks := len(x) / 64
	if !hasAVX2 || blocks == 0 {
		return findPairGo(x, y, p)
	}
	block, mask := findPairAVX2(&x[0], &y[0], blocks, p.a, p.aBit, p.b, p.bBit)
	if mask != 0 {
		return block*64 + bits.TrailingZeros64(mask)
	}
	rest := blocks * 64
	if at := findPairGo(x[rest:], y[rest:], p); at >= 0 {
		return rest + at
	}
	return -1
}

// findPairAVX2 returns the number of the first block of 64 bytes that has the pair, and a bit for every place. The bits
// are 0 if none has it.
//
//go:noescape
func findPairAVX2(x, y *byte, blocks int, a, aBit, b, bBit byte) (block int, mask uint64)
