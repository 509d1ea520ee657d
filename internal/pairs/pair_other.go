//go:build purego || !(amd64 || arm64)

package pairs

// findPair returns the first index at which the texts have the bytes of the pair.
func findPair(x, y, z []byte, p pair) int { return findPairGo(x, y, z, p) }
