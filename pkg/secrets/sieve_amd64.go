//go:build !purego

package secrets

import "golang.org/x/sys/cpu"

var hasAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasPOPCNT

// sift writes the places at which a gram may begin to a list, and returns how many there are and where to go on. It
// looks at siftSize bytes at most.
func (s *sieve) sift(text []byte, from int, places *[siftPlaces]uint16) (n, next int) {
	blocks := min(len(text)-from-(gramSize-1), siftSize) / blockSize
	if blocks > 0 && hasAVX2 {
		return siftAVX2(&text[from], blocks, s, places), from + blocks*blockSize
	}
	last := len(text) - (gramSize - 1) - blockSize // where the last block of all begins
	if last < 0 || from >= last+blockSize || !hasAVX2 {
		return s.siftGo(text, from, places)
	}
	for _, place := range places[:siftAVX2(&text[last], 1, s, places)] {
		if at := last + int(place) - from; at >= 0 {
			places[n] = uint16(at)
			n++
		}
	}
	return n, last + blockSize
}

// siftAVX2 looks at blocks of 32 places. It also reads the three bytes after them.
//
//go:noescape
func siftAVX2(text *byte, blocks int, s *sieve, places *[siftPlaces]uint16) (n int)

// dataRun returns how many bytes of base64 a text begins with.
func dataRun(text []byte) int {
	checked := 0
	if blocks := len(text) / blockSize; blocks > 0 && hasAVX2 {
		checked = runAVX2(&text[0], blocks, &dataAlphabet) * blockSize
	}
	return checked + dataRunGo(text[checked:])
}

// runAVX2 returns how many blocks of 32 bytes are inside an alphabet.
//
//go:noescape
func runAVX2(text *byte, blocks int, alphabet *[2][16]byte) (n int)
