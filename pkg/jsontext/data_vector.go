//go:build (amd64 || arm64) && !purego

package jsontext

// dataPrefix returns how many bytes of base64 a text begins with, in whole blocks.
func dataPrefix(text []byte) int {
	const block = 32
	blocks := len(text) / block
	if blocks == 0 || !hasVectors {
		return 0
	}
	return dataBlocks(&text[0], blocks, &dataHalves) * block
}

// dataBlocks returns how many blocks of 32 bytes have no byte but those of a table, up to the first other one.
//
//go:noescape
func dataBlocks(text *byte, blocks int, halves *[2][16]byte) (n int)
