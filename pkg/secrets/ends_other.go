//go:build !amd64 || purego

package secrets

// nextEnd returns the index, at least from, of a byte that may end a mark. It returns -1 if there is none. from must
// be at least 2.
func nextEnd(text []byte, from int) int { return nextEndGo(text, from) }
