//go:build !purego

#include "textflag.h"

// Each bit of these tables is a reason why a byte is outside the alphabet. A byte is inside if the entries for its halves
// have no common bit.
DATA lowHalf<>+0(SB)/8, $0x1111111111111115
DATA lowHalf<>+8(SB)/8, $0x1a1b1b1b1a131111
GLOBL lowHalf<>(SB), RODATA|NOPTR, $16
DATA highHalf<>+0(SB)/8, $0x0804080402011010
DATA highHalf<>+8(SB)/8, $0x1010101010101010
GLOBL highHalf<>(SB), RODATA|NOPTR, $16

// func areBase64(text *byte, blocks int) bool
//
// It checks blocks of 32 bytes. Y0 collects what is wrong.
TEXT ·areBase64(SB), NOSPLIT, $0-17
	MOVQ text+0(FP), SI
	MOVQ blocks+8(FP), CX

	VBROADCASTI128 lowHalf<>(SB), Y10
	VBROADCASTI128 highHalf<>(SB), Y11
	MOVQ           $0x0f, AX
	VMOVQ          AX, X12
	VPBROADCASTB   X12, Y12
	VPXOR          Y0, Y0, Y0

block:
	VMOVDQU (SI), Y1
	VPSRLW  $4, Y1, Y2
	VPAND   Y12, Y1, Y1
	VPAND   Y12, Y2, Y2
	VPSHUFB Y1, Y10, Y1
	VPSHUFB Y2, Y11, Y2
	VPAND   Y1, Y2, Y1
	VPOR    Y1, Y0, Y0

	ADDQ $32, SI
	DECQ CX
	JNZ  block

	VPTEST Y0, Y0
	SETEQ  ret+16(FP)
	VZEROUPPER
	RET
