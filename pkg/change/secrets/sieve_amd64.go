//go:build !purego

package secrets

import (
	"golang.org/x/sys/cpu"

	"clawctl/pkg/jsontext"
)

var (
	hasVectors = cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasBMI2 && cpu.X86.HasPOPCNT
	hasAVX512  = hasVectors && cpu.X86.HasAVX512BW
	hasVBMI    = hasAVX512 && cpu.X86.HasAVX512VBMI
)

// bucketCount is how many buckets the grams are in. More let fewer places through.
var bucketCount = func() int {
	switch {
	case hasVBMI:
		return maxBuckets
	case hasAVX512:
		return maxBuckets / 2
	}
	return maxBuckets / 4
}()

// sift writes the places at which a gram may begin to a list, and returns how many there are and where to go on. It
// looks at siftSize bytes at most.
func (s *sieve) sift(text []byte, from int, places *[siftPlaces]uint16) (n, next int) {
	if hasAVX512 {
		return s.siftWide(text, from, places)
	}
	return s.siftNarrow(text, from, places)
}

// siftWide is sift with AVX-512. It copies the last bytes of a text to a buffer with zeros after them, where no gram
// begins.
func (s *sieve) siftWide(text []byte, from int, places *[siftPlaces]uint16) (n, next int) {
	left := len(text) - from
	if blocks := min(left-gramSize, siftSize) / wideBlock; blocks > 0 {
		return s.siftBlocks64(&text[from], blocks, places), from + blocks*wideBlock
	}
	var rest [2*wideBlock + gramSize]byte
	copy(rest[:], text[from:])
	return s.siftBlocks64(&rest[0], (left+wideBlock-1)/wideBlock, places), len(text)
}

// siftBlocks64 looks at blocks of 64 places.
func (s *sieve) siftBlocks64(text *byte, blocks int, places *[siftPlaces]uint16) int {
	if hasVBMI {
		return siftVBMI(text, blocks, s, places)
	}
	return siftAVX512(text, blocks, s, places)
}

// nextWord returns where the next word begins that may be base64 of a text, or -1. It copies the last bytes of a text
// to a buffer with zeros after them, and the two before those, which may be an escape.
func nextWord(text []byte, from int) int {
	if !hasVectors {
		return nextWordGo(text, from)
	}
	if blocks := (len(text) - from) / wordBlock; blocks > 1 {
		if at := firstWord(&text[from], blocks); at >= 0 {
			return from + at
		}
		from += (blocks-1)*wordBlock - len(`\n`)
	}
	var rest [4 * wordBlock]byte
	n := copy(rest[:], text[from:])
	if at := firstWord(&rest[0], n/wordBlock+2); at >= 0 {
		return from + at
	}
	return -1
}

// firstWord returns where the first word begins that may be base64 of a text, or -1. It does not look at the words that
// begin in the last block.
func firstWord(text *byte, blocks int) int {
	if hasAVX512 {
		return wordInBlocksAVX512(text, blocks, &wordClasses)
	}
	return wordInBlocks(text, blocks, &wordClasses)
}

// wordClasses has the bytes of base64, with another bucket for those that are low and share their upper half with
// others, and last the buckets of all that are low: a to f, and capital letters, which have two upper halves.
var wordClasses = func() (table [3][16]byte) {
	for c := range byte(128) {
		if jsontext.IsData(c) {
			table[0][c&15] |= 1 << (c >> 4)
			table[1][c>>4] |= 1 << (c >> 4)
		}
	}
	for c := byte('a'); c <= 'f'; c++ {
		table[0][c&15] |= 1
		table[1][c>>4] |= 1
	}
	for i := range table[2] {
		table[2][i] = 1 | 1<<('A'>>4) | 1<<('Z'>>4)
	}
	return table
}()

// wordBlock is how many bytes of a text are looked at together.
const wordBlock = 64

// wordInBlocks is firstWord with AVX2.
//
//go:noescape
func wordInBlocks(text *byte, blocks int, classes *[3][16]byte) (at int)

// wordInBlocksAVX512 is firstWord with AVX-512.
//
//go:noescape
func wordInBlocksAVX512(text *byte, blocks int, classes *[3][16]byte) (at int)

// siftAVX512 looks at blocks of 64 places. It also reads the four bytes after them.
//
//go:noescape
func siftAVX512(text *byte, blocks int, s *sieve, places *[siftPlaces]uint16) (n int)

// siftVBMI is siftAVX512 for processors that look bytes up in tables of 64, and with the most buckets.
//
//go:noescape
func siftVBMI(text *byte, blocks int, s *sieve, places *[siftPlaces]uint16) (n int)
