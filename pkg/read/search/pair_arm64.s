//go:build !purego

#include "textflag.h"

// bits has the bit of each byte within its group of eight.
DATA bits<>+0(SB)/8, $0x8040201008040201
DATA bits<>+8(SB)/8, $0x8040201008040201
GLOBL bits<>(SB), RODATA|NOPTR, $16

// BROADCAST fills a vector with a byte.
#define BROADCAST(from, v) \
	MOVBU from, R4  \
	VDUP  R4, v.B16

// FIND sets the bytes of x to 0xff where x and y have the bytes of the pair.
#define FIND(x, y) \
	VORR  V1.B16, x.B16, x.B16 \
	VORR  V3.B16, y.B16, y.B16 \
	VCMEQ V0.B16, x.B16, x.B16 \
	VCMEQ V2.B16, y.B16, y.B16 \
	VAND  x.B16, y.B16, x.B16

// func findInBlocks(x, y *byte, blocks int, a, aBit, b, bBit byte) (block int, mask uint64)
//
// Each round looks at 64 bytes. V0 and V1 hold the first byte and its bit of case, V2 and V3 those of the second one. A
// bit of case that is set in the text and in the vector makes both cases equal.
TEXT ·findInBlocks(SB), NOSPLIT, $0-48
	MOVD x+0(FP), R0
	MOVD y+8(FP), R1
	MOVD blocks+16(FP), R2
	BROADCAST(a+24(FP), V0)
	BROADCAST(aBit+25(FP), V1)
	BROADCAST(b+26(FP), V2)
	BROADCAST(bBit+27(FP), V3)
	MOVD $bits<>(SB), R4
	VLD1 (R4), [V20.B16]
	MOVD ZR, R3

block:
	VLD1.P 64(R0), [V4.B16, V5.B16, V6.B16, V7.B16]
	VLD1.P 64(R1), [V8.B16, V9.B16, V10.B16, V11.B16]
	FIND(V4, V8)
	FIND(V5, V9)
	FIND(V6, V10)
	FIND(V7, V11)
	VORR V4.B16, V5.B16, V8.B16
	VORR V6.B16, V7.B16, V9.B16
	VORR V8.B16, V9.B16, V8.B16
	VMOV V8.D[0], R4
	VMOV V8.D[1], R5
	ORR  R4, R5, R4
	CBNZ R4, done
	ADD  $1, R3
	CMP  R2, R3
	BLT  block

done:
	// Each byte keeps its own bit. Adding neighbours three times makes one byte of every eight.
	VAND  V4.B16, V20.B16, V4.B16
	VAND  V5.B16, V20.B16, V5.B16
	VAND  V6.B16, V20.B16, V6.B16
	VAND  V7.B16, V20.B16, V7.B16
	VADDP V5.B16, V4.B16, V4.B16
	VADDP V7.B16, V6.B16, V6.B16
	VADDP V6.B16, V4.B16, V4.B16
	VADDP V4.B16, V4.B16, V4.B16
	VMOV  V4.D[0], R4
	MOVD  R3, block+32(FP)
	MOVD  R4, mask+40(FP)
	RET
