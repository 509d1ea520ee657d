//go:build !purego

#include "textflag.h"

// The tables are those of base64_amd64.s: a byte is inside the alphabet if the entries for its halves have no common
// bit.
DATA lowHalf<>+0(SB)/8, $0x1111111111111115
DATA lowHalf<>+8(SB)/8, $0x1a1b1b1b1a131111
GLOBL lowHalf<>(SB), RODATA|NOPTR, $16
DATA highHalf<>+0(SB)/8, $0x0804080402011010
DATA highHalf<>+8(SB)/8, $0x1010101010101010
GLOBL highHalf<>(SB), RODATA|NOPTR, $16

// CHECK adds the reasons why bytes are outside the alphabet to V0.
#define CHECK(in) \
	VUSHR $4, in.B16, V3.B16        \
	VAND  V12.B16, in.B16, in.B16   \
	VTBL  in.B16, [V10.B16], in.B16 \
	VTBL  V3.B16, [V11.B16], V3.B16 \
	VAND  V3.B16, in.B16, in.B16    \
	VORR  in.B16, V0.B16, V0.B16

// func areBase64(text *byte, blocks int) bool
//
// It checks blocks of 32 bytes. V0 collects what is wrong.
TEXT ·areBase64(SB), NOSPLIT, $0-17
	MOVD text+0(FP), R0
	MOVD blocks+8(FP), R1

	MOVD $lowHalf<>(SB), R2
	VLD1 (R2), [V10.B16]
	MOVD $highHalf<>(SB), R2
	VLD1 (R2), [V11.B16]
	MOVD $0x0f, R2
	VDUP R2, V12.B16
	VEOR V0.B16, V0.B16, V0.B16

block:
	VLD1.P 32(R0), [V1.B16, V2.B16]
	CHECK(V1)
	CHECK(V2)
	SUBS $1, R1
	BNE  block

	VMOV V0.D[0], R2
	VMOV V0.D[1], R3
	ORR  R2, R3, R2
	CMP  $0, R2
	CSET EQ, R2
	MOVB R2, ret+16(FP)
	RET
