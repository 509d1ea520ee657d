//go:build !purego

#include "textflag.h"

// Each table has a byte for every low half of a byte. A byte is one of those searched for if it equals its entry.
DATA ends<>+0(SB)/8, $0x0000004400000001   // D, - and _
DATA ends<>+8(SB)/8, $0x5f002d0000000000
GLOBL ends<>(SB), RODATA|NOPTR, $16
DATA before<>+0(SB)/8, $0x0000457400620070 // p, b, t, E, Y, k and o
DATA before<>+8(SB)/8, $0x6f0000006b005900
GLOBL before<>(SB), RODATA|NOPTR, $16
DATA first<>+0(SB)/8, $0x0000555473007101  // q, s, T, U and x
DATA first<>+8(SB)/8, $0x0000000000000078
GLOBL first<>(SB), RODATA|NOPTR, $16

// func nextEndAVX2(text *byte, blocks int) int
//
// With one bit set, the first bytes a, s, T, E, h and x are q, s, T, U, x and x.
TEXT ·nextEndAVX2(SB), NOSPLIT, $0-24
	MOVQ text+0(FP), SI
	MOVQ blocks+8(FP), CX

	VBROADCASTI128 ends<>(SB), Y10
	VBROADCASTI128 before<>(SB), Y11
	VBROADCASTI128 first<>(SB), Y12
	MOVQ           $0x10, AX
	MOVQ           AX, X13
	VPBROADCASTB   X13, Y13
	XORQ           AX, AX

block:
	VMOVDQU   (SI)(AX*1), Y0
	VMOVDQU   -1(SI)(AX*1), Y1
	VPOR      -2(SI)(AX*1), Y13, Y2
	VPSHUFB   Y0, Y10, Y3
	VPSHUFB   Y1, Y11, Y4
	VPSHUFB   Y2, Y12, Y5
	VPCMPEQB  Y0, Y3, Y3
	VPCMPEQB  Y1, Y4, Y4
	VPCMPEQB  Y2, Y5, Y5
	VPAND     Y3, Y4, Y3
	VPAND     Y3, Y5, Y2
	VPMOVMSKB Y2, DX
	TESTL     DX, DX
	JNZ       found

	ADDQ $32, AX
	DECQ CX
	JNZ  block

	MOVQ $-1, ret+16(FP)
	VZEROUPPER
	RET

found:
	BSFL DX, DX
	ADDQ DX, AX
	MOVQ AX, ret+16(FP)
	VZEROUPPER
	RET
