//go:build !(amd64 || arm64) || purego

package secrets

// bucketCount is how many buckets the grams are in. Without vector instructions, they have no use.
const bucketCount = 1

// sift writes the places at which a gram may begin to a list, and returns how many there are and where to go on. It
// looks at siftSize bytes at most.
func (s *sieve) sift(text []byte, from int, places *[siftPlaces]uint16) (n, next int) {
	return s.siftGo(text, from, places)
}

// nextWord returns where the next word begins that may be base64 of a text, or -1.
func nextWord(text []byte, from int) int { return nextWordGo(text, from) }
