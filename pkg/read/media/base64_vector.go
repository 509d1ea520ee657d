//go:build (amd64 || arm64) && !purego

package media

// base64Prefix checks the beginning of a text with vector instructions. It returns how much of it was checked. ok is
// false if a byte of that is outside the alphabet.
func base64Prefix(text []byte) (checked int, ok bool) {
	const block = 32
	blocks := len(text) / block
	if blocks == 0 || !hasVectors {
		return 0, true
	}
	return blocks * block, areBase64(&text[0], blocks)
}

// areBase64 reports whether at least one block of 32 bytes is inside the alphabet.
//
//go:noescape
func areBase64(text *byte, blocks int) bool
