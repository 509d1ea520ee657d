package jsonl

import (
	"bytes"
	"encoding/binary"
)

// Marks say for every byte of a buffer whether a string must be examined there: at the quote that ends it, at a control
// character, and at an escaped character that is not one of the plain ones, such as the u of \\u0041. They are computed
// for a complete buffer at once, without branches. A scan then steps from one such byte to the next instead of
// searching for each. A search would spend half of its time on mispredicted branches, because the distances between
// escapes are random.
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
	evens   = 0x5555555555555555
)

// set marks buf[from:to]. The block that contains from is marked again. buf must be padded to complete blocks.
func (m *marks) set(buf []byte, from, to int) {
	if blocks := (len(buf) + blockSize - 1) / blockSize; blocks > len(m.special) {
		m.special = append(m.special, make([]uint64, blocks-len(m.special))...)
		m.high = append(m.high, make([]byte, blocks-len(m.high))...)
	}
	first, end := from/blockSize, (to+blockSize-1)/blockSize
	if first < end {
		markBlocks(buf[first*blockSize:end*blockSize], m.special[first:end], m.high[first:end],
			escapesNext(buf[:first*blockSize]))
	}
}

// escapesNext returns 1 if a text ends with a backslash that escapes the byte behind it, and otherwise 0.
func escapesNext(text []byte) uint64 {
	return uint64(len(text)-len(bytes.TrimRight(text, `\`))) & 1
}

// markBlocksGo marks blocks without vector instructions. escaped is 1 if the first byte is escaped. It has the same
// results as every other markBlocks.
func markBlocksGo(buf []byte, special []uint64, high []byte, escaped uint64) {
	for i := range special {
		block := (*[blockSize]byte)(buf[i*blockSize:])
		quote, slash, control, isHigh := classify(block)
		odd := uint64(0)
		if slash|escaped != 0 {
			odd, escaped = findEscaped(slash, escaped)
			quote &^= odd
			odd = withoutPlain(block, odd)
		}
		special[i], high[i] = quote|control|odd, isHigh
	}
}

// findEscaped returns which bytes are escaped, given the backslashes of a block and whether its first byte is escaped.
// next says that for the block behind it. Of a run of backslashes, every second one is escaped. Adding the starts of
// runs at odd positions to the runs carries to the byte behind each.
func findEscaped(slash, first uint64) (escaped, next uint64) {
	slash &^= first
	follows := slash<<1 | first
	starts := slash &^ evens &^ follows
	sum := starts + slash
	if sum < starts {
		next = 1
	}
	return (evens ^ sum<<1) & follows, next
}

// withoutPlain removes the escaped characters that end a two-byte escape.
func withoutPlain(b *[blockSize]byte, escaped uint64) uint64 {
	for i := range b {
		if escaped>>i&1 == 1 && escapes[b[i]] == 1 {
			escaped &^= 1 << i
		}
	}
	return escaped
}

// classify finds the quotes, backslashes and control characters of 64 bytes, eight at a time.
func classify(b *[blockSize]byte) (quote, slash, control uint64, high byte) {
	var all, q, s, c uint64
	for i := range 8 {
		x := binary.LittleEndian.Uint64(b[8*i:])
		all |= x
		// Adding to the low seven bits carries into the high bit unless the byte is the one searched for (or, for the
		// third sum, below a space), and never into the next byte. Bytes outside ASCII have the high bit themselves.
		y := x & lows
		q |= (((y ^ quotes) + lows | x) & highs) >> (7 - i)
		s |= (((y ^ slashes) + lows | x) & highs) >> (7 - i)
		c |= ((y + 0x60*ones | x) & highs) >> (7 - i)
	}
	if all&highs != 0 {
		high = 1
	}
	return transpose(^q), transpose(^s), transpose(^c), high
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
