//go:build !purego

package secrets

// hasVectors is always true in use: NEON is part of arm64.
var hasVectors = true

// bucketCount is how many buckets the grams are in.
const bucketCount = 8

// sift writes the places at which a gram may begin to a list, and returns how many there are and where to go on. It
// looks at siftSize bytes at most.
func (s *sieve) sift(text []byte, from int, places *[siftPlaces]uint16) (n, next int) {
	return s.siftNarrow(text, from, places)
}

// nextWord returns where the next word begins that may be base64 of a text, or -1.
func nextWord(text []byte, from int) int { return nextWordGo(text, from) }
