//go:build (amd64 || arm64) && !purego

package pairs

import "math/bits"

// findPair is findPairGo with vector instructions.
func findPair(x, y, z []byte, p pair) int {
	blocks := len(x) / 64
	if !hasVectors || blocks == 0 {
		return findPairGo(x, y, z, p)
	}
	block, mask := findInBlocks(&x[0], &y[0], &z[0], blocks, p.a, p.aBit, p.b, p.bBit, p.other[0], p.other[1])
	if mask != 0 {
		return block*64 + bits.TrailingZeros64(mask)
	}
	rest := blocks * 64
	if at := findPairGo(x[rest:], y[rest:], z[rest:], p); at >= 0 {
		return rest + at
	}
	return -1
}
