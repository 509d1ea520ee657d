package jsonl

import (
	"bytes"
	"encoding/binary"
)

// Marks say for every byte of a buffer whether it can end a run of ordinary text in a string: a quote, a backslash or a
// control character. They are computed for a complete buffer at once, without branches. A scan then steps from one such
// byte to the next instead of searching for each. A search would spend half of its time on mispredicted branches,
// because the distances between escapes are random.
type marks struct {
	special []uint64 // one bit per byte
	high    []byte   // one byte per block: 1 if it contains a byte outside ASCII
}

// blockSize is the number of bytes that one word of marks covers.
const blockSize = 64

const (
	ones    = 0x0101010101010101
	highs   = 0x80 * ones
	lows    = 0x7f * ones
	quotes  = '"' * ones
	slashes = '\\' * ones
)

// set marks buf[from:to]. The block that contains from is marked again. buf must be padded to complete blocks.
func (m *marks) set(buf []byte, from, to int) {
	if blocks := (len(buf) + blockSize - 1) / blockSize; blocks > len(m.special) {
		m.special = append(m.special, make([]uint64, blocks-len(m.special))...)
		m.high = append(m.high, make([]byte, blocks-len(m.high))...)
	}
	for block := from / blockSize; block*blockSize < to; block++ {
		m.special[block], m.high[block] = markBlock((*[blockSize]byte)(buf[block*blockSize:]))
	}
}

// markBlock marks 64 bytes, eight at a time.
func markBlock(b *[blockSize]byte) (special uint64, high byte) {
	x0, x1 := binary.LittleEndian.Uint64(b[0:8]), binary.LittleEndian.Uint64(b[8:16])
	x2, x3 := binary.LittleEndian.Uint64(b[16:24]), binary.LittleEndian.Uint64(b[24:32])
	x4, x5 := binary.LittleEndian.Uint64(b[32:40]), binary.LittleEndian.Uint64(b[40:48])
	x6, x7 := binary.LittleEndian.Uint64(b[48:56]), binary.LittleEndian.Uint64(b[56:64])
	if (x0|x1|x2|x3|x4|x5|x6|x7)&highs != 0 {
		high = 1
	}
	t := notSpecial(x0)>>7 | notSpecial(x1)>>6 | notSpecial(x2)>>5 | notSpecial(x3)>>4 |
		notSpecial(x4)>>3 | notSpecial(x5)>>2 | notSpecial(x6)>>1 | notSpecial(x7)
	return transpose(^t), high
}

// notSpecial returns the high bit of each byte that is not special. Adding to the low seven bits carries into the high
// bit unless the byte is the one searched for (or, for the third sum, below a space), and never into the next byte.
// Bytes outside ASCII have the high bit themselves.
func notSpecial(x uint64) uint64 {
	y := x & lows
	return (((y^quotes)+lows)&((y^slashes)+lows)&(y+0x60*ones) | x) & highs
}

// transpose turns bit j of byte i into bit i of byte j.
func transpose(x uint64) uint64 {
	t := (x ^ x>>7) & 0x00aa00aa00aa00aa
	x ^= t ^ t<<7
	t = (x ^ x>>14) & 0x0000cccc0000cccc
	x ^= t ^ t<<14
	t = (x ^ x>>28) & 0x00000000f0f0f0f0
	return x ^ t ^ t<<28
}

// anyHigh reports whether a block that overlaps buf[from:to] contains a byte outside ASCII.
func (m *marks) anyHigh(from, to int) bool {
	return bytes.IndexByte(m.high[from/blockSize:(to+blockSize-1)/blockSize], 1) >= 0
}
