//go:build !amd64 || purego

package secrets

// next returns the first block of places, from an index on, at which a gram may begin, and a bit for each such place.
// The mask is 0 if there is none.
func (s *sieve) next(text []byte, from int) (block int, mask uint32) { return s.nextGo(text, from) }
