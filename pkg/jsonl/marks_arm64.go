//go:build !purego

package jsonl

// markBlocks marks complete blocks of 64 bytes. special and high have one element for each. escaped is 1 if the first
// byte is escaped. Every arm64 processor has the instructions.
func markBlocks(buf []byte, special []uint64, high []byte, escaped uint64) {
	markBlocksNEON(&buf[0], &special[0], &high[0], len(special), escaped)
}

// markBlocksNEON marks at least one block, 16 bytes at a time.
//
//go:noescape
func markBlocksNEON(buf *byte, special *uint64, high *byte, blocks int, escaped uint64)
