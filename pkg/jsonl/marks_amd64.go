//go:build !purego

package jsonl

import "golang.org/x/sys/cpu"

var hasAVX2 = cpu.X86.HasAVX2

// markBlocks marks complete blocks of 64 bytes. special and high have one element for each. escaped is 1 if the first
// byte is escaped.
func markBlocks(buf []byte, special []uint64, high []byte, escaped uint64) {
	if hasAVX2 {
		markBlocksAVX2(&buf[0], &special[0], &high[0], len(special), escaped)
	} else {
		markBlocksGo(buf, special, high, escaped)
	}
}

// markBlocksAVX2 marks at least one block, 32 bytes at a time.
//
//go:noescape
func markBlocksAVX2(buf *byte, special *uint64, high *byte, blocks int, escaped uint64)
