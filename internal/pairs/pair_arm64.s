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

// FIND sets the bytes of x to 0xff where x and y have the bytes of the pair, or where z and z1 have the other ones.
#define FIND(x, y, z, z1) \
	VORR  V1.B16, x.B16, x.B16   \
	VORR  V3.B16, y.B16, y.B16   \
	VCMEQ V0.B16, x.B16, x.B16   \
	VCMEQ V2.B16, y.B16, y.B16   \
	VCMEQ V21.B16, z.B16, z.B16  \
	VCMEQ V22.B16, z1.B16, z1.B16 \
	VAND  x.B16, y.B16, x.B16    \
	VAND  z.B16, z1.B16, z.B16   \
	VORR  x.B16, z.B16, x.B16

// func findInBlocks(x, y, z *byte, blocks int, a, aBit, b, bBit, c, d byte) (block int, mask uint64)
//
// Each round looks at 64 bytes. V0 and V1 hold the first byte and its bit of case, V2 and V3 those of the second one. A
// bit of case that is set in the text and in the vector makes both cases equal. V21 and V22 hold the other pair. What
// comes 2 KiB later is fetched meanwhile.
TEXT ·findInBlocks(SB), NOSPLIT, $0-56
	MOVD x+0(FP), R0
	MOVD y+8(FP), R1
	MOVD z+16(FP), R6
	ADD  $1, R6, R7
	MOVD blocks+24(FP), R2
	BROADCAST(a+32(FP), V0)
	BROADCAST(aBit+33(FP), V1)
	BROADCAST(b+34(FP), V2)
	BROADCAST(bBit+35(FP), V3)
	BROADCAST(c+36(FP), V21)
	BROADCAST(d+37(FP), V22)
	MOVD $bits<>(SB), R4
	VLD1 (R4), [V20.B16]
	MOVD ZR, R3

block:
	PRFM   2048(R0), PLDL1KEEP
	VLD1.P 64(R0), [V4.B16, V5.B16, V6.B16, V7.B16]
	VLD1.P 64(R1), [V8.B16, V9.B16, V10.B16, V11.B16]
	VLD1.P 64(R6), [V12.B16, V13.B16, V14.B16, V15.B16]
	VLD1.P 64(R7), [V16.B16, V17.B16, V18.B16, V19.B16]
	FIND(V4, V8, V12, V16)
	FIND(V5, V9, V13, V17)
	FIND(V6, V10, V14, V18)
	FIND(V7, V11, V15, V19)
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
	MOVD  R3, block+40(FP)
	MOVD  R4, mask+48(FP)
	RET
