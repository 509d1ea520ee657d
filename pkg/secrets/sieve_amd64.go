//go:build !purego

package secrets

import "golang.org/x/sys/cpu"

var hasVectors = cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasPOPCNT

func (s *sieve) sift(text []byte, from int, places *[siftPlaces]uint16) (n, next int) {
	return s.siftNarrow(text, from, places)
}
