//go:build purego || !(amd64 || arm64)

package jsonl

// markBlocks marks complete blocks of 64 bytes. special and high have one element for each. escaped is 1 if the first
// byte is escaped.
func markBlocks(buf []byte, special []uint64, high []byte, escaped uint64) {
	markBlocksGo(buf, special, high, escaped)
}
