package parquet

import (
	"encoding/binary"
	"math/bits"
)

// Numbers are written in blocks, and these in miniblocks whose numbers take the same number of bits.
const (
	blockSize     = 128
	miniblockSize = 32
	miniblocks    = blockSize / miniblockSize
)

// appendDelta appends numbers as their differences (DELTA_BINARY_PACKED). Numbers of 32 bits have differences of 32
// bits, which may overflow.
func appendDelta(dst []byte, numbers []int64, is32 bool) []byte {
	dst = binary.AppendUvarint(dst, blockSize)
	dst = binary.AppendUvarint(dst, miniblocks)
	dst = binary.AppendUvarint(dst, uint64(len(numbers)))
	if len(numbers) == 0 {
		return binary.AppendVarint(dst, 0)
	}
	dst = binary.AppendVarint(dst, numbers[0])
	last := numbers[0]
	var deltas [blockSize]int64
	for numbers = numbers[1:]; len(numbers) > 0; {
		n := min(blockSize, len(numbers))
		for i, v := range numbers[:n] {
			deltas[i] = v - last
			last = v
		}
		if is32 {
			wrap(deltas[:n])
		}
		dst = appendBlock(dst, &deltas, n, is32)
		numbers = numbers[n:]
	}
	return dst
}

// wrap cuts differences to 32 bits.
func wrap(deltas []int64) {
	for i, d := range deltas {
		deltas[i] = int64(int32(d))
	}
}

// appendBlock appends n differences: the least of them, and how much larger the others are.
func appendBlock(dst []byte, deltas *[blockSize]int64, n int, is32 bool) []byte {
	least := deltas[0]
	for _, d := range deltas[1:n] {
		least = min(least, d)
	}
	dst = binary.AppendVarint(dst, least)
	widths := len(dst)
	dst = append(dst, make([]byte, miniblocks)...)
	mask := uint64(1<<64 - 1)
	if is32 {
		mask = 1<<32 - 1
	}
	for i := 0; i*miniblockSize < n; i++ {
		var excess [miniblockSize]uint64
		all := uint64(0)
		for j, d := range deltas[i*miniblockSize : min(n, (i+1)*miniblockSize)] {
			excess[j] = uint64(d-least) & mask
			all |= excess[j]
		}
		width := bits.Len64(all)
		dst[widths+i] = byte(width)
		dst = appendPacked(dst, excess[:], width)
	}
	return dst
}
