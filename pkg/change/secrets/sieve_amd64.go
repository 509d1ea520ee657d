//go:build !purego

package secrets

import "golang.org/x/sys/cpu"

var (
	hasVectors = cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasPOPCNT
	hasVBMI    = hasVectors && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VBMI && cpu.X86.HasAVX512VBMI2
)

// sift writes the places at which a gram may begin to a list, and returns how many there are and where to go on. It
// looks at siftSize bytes at most.
func (s *sieve) sift(text []byte, from int, places *[siftPlaces]uint16) (n, next int) {
	if hasVBMI {
		return s.siftWide(text, from, places)
	}
	return s.siftNarrow(text, from, places)
}

// siftWide is sift with AVX-512. It copies the last bytes of a text to a buffer with zeros after them, where no gram
// begins.
func (s *sieve) siftWide(text []byte, from int, places *[siftPlaces]uint16) (n, next int) {
	left := len(text) - from
	if blocks := min(left-(gramSize-1), siftSize) / wideBlock; blocks > 0 {
		return siftVBMI(&text[from], blocks, s, places), from + blocks*wideBlock
	}
	var rest [2*wideBlock + gramSize]byte
	copy(rest[:], text[from:])
	return siftVBMI(&rest[0], (left+wideBlock-1)/wideBlock, s, places), len(text)
}

// bytesBeforeRun returns how many bytes a text begins with in which no bytes of base64 are as many in a row as
// shortestRun. They may be the beginning of such a run.
func bytesBeforeRun(text []byte) int {
	if blocks := len(text) / blockSize; blocks > 0 && hasVectors {
		return blocksBeforeRun(&text[0], blocks, &dataAlphabet) * blockSize
	}
	return 0
}

// blocksBeforeRun returns how many blocks of 32 bytes come before the first in which 18 bytes in a row, some of which
// may be in the block before, are inside an alphabet.
//
//go:noescape
func blocksBeforeRun(text *byte, blocks int, alphabet *[2][16]byte) (n int)

// siftVBMI looks at blocks of 64 places. It also reads the three bytes after them.
//
//go:noescape
func siftVBMI(text *byte, blocks int, s *sieve, places *[siftPlaces]uint16) (n int)
