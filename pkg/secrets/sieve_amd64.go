//go:build !purego

package secrets

import "golang.org/x/sys/cpu"

var hasAVX2 = cpu.X86.HasAVX2

// next returns the first block of places, from an index on, at which a gram may begin, and a bit for each such place.
// The mask is 0 if there is none.
func (s *sieve) next(text []byte, from int) (block int, mask uint32) {
	blocks := (len(text) - from - (gramSize - 1)) / blockSize
	if blocks <= 0 || !hasAVX2 {
		return s.nextGo(text, from)
	}
	at, mask := nextAVX2(&text[from], blocks, &s.tables)
	if mask != 0 {
		return from + at, mask
	}
	return s.nextGo(text, from+blocks*blockSize)
}

// nextAVX2 looks at blocks of 32 places. It also reads the three bytes after them.
//
//go:noescape
func nextAVX2(text *byte, blocks int, tables *[gramSize][2][16]byte) (at int, mask uint32)
