package jsonl

import (
	"bytes"
	"encoding/binary"
)

// Marks say of every byte of a buffer whether it can end a run of ordinary text in a string: a quote, a backslash or a
// control character. They are made for a whole buffer at once, without a branch, so that a scan of text with many
// escapes steps from one such byte to the next instead of searching for each. Half of the time of a search would go
// into mispredicted branches, because the distances between escapes are random.
type marks struct {
	special []uint64 // one bit a byte
	high    []byte   // one byte a block: 1 where it holds a byte beyond ASCII
}

// blockSize is how many bytes one word of marks covers.
const blockSize = 64

const (
	ones    = 0x0101010101010101
	highs   = 0x80 * ones
	lows    = 0x7f * ones
	quotes  = '"' * ones
	slashes = '\\' * ones
)

// set marks buf[from:to]. The block in which from lies is marked anew. buf must be padded to whole blocks.
func (m *marks) set(buf []byte, from, to int) {
	if blocks := (len(buf) + blockSize - 1) / blockSize; blocks > len(m.special) {
		m.special = append(m.special, make([]uint64, blocks-len(m.special))...)
		m.high = append(m.high, make([]byte, blocks-len(m.high))...)
	}
	for block := from / blockSize; block*blockSize < to; block++ {
		m.special[block], m.high[block] = markBlock((*[blockSize]byte)(buf[block*blockSize:]))
	}
}

// markBlock marks 64 bytes, eight at a time. The loop over them is written out: with constant shifts it is twice as
// fast.
func markBlock(b *[blockSize]byte) (special uint64, high byte) {
	x0, x1 := binary.LittleEndian.Uint64(b[0:8]), binary.LittleEndian.Uint64(b[8:16])
	x2, x3 := binary.LittleEndian.Uint64(b[16:24]), binary.LittleEndian.Uint64(b[24:32])
	x4, x5 := binary.LittleEndian.Uint64(b[32:40]), binary.LittleEndian.Uint64(b[40:48])
	x6, x7 := binary.LittleEndian.Uint64(b[48:56]), binary.LittleEndian.Uint64(b[56:64])
	special = specials(x0) | specials(x1)<<8 | specials(x2)<<16 | specials(x3)<<24 |
		specials(x4)<<32 | specials(x5)<<40 | specials(x6)<<48 | specials(x7)<<56
	if (x0|x1|x2|x3|x4|x5|x6|x7)&highs != 0 {
		high = 1
	}
	return special, high
}

// specials returns one bit for each of eight bytes. In each byte lane, adding to the low seven bits carries into the
// high bit unless the byte is the one sought (or, for the third sum, below a space); it never carries into the next
// lane. Bytes beyond ASCII are told by their own high bit. The multiplication gathers the high bits in the top byte.
func specials(x uint64) uint64 {
	y := x & lows
	ordinary := ((y^quotes)+lows)&((y^slashes)+lows)&(y+0x60*ones) | x
	return (^ordinary & highs >> 7 * 0x0102040810204080) >> 56
}

// anyHigh reports whether a block that buf[from:to] touches holds a byte beyond ASCII.
func (m *marks) anyHigh(from, to int) bool {
	return bytes.IndexByte(m.high[from/blockSize:(to+blockSize-1)/blockSize], 1) >= 0
}
