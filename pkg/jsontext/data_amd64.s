//go:build !purego

#include "textflag.h"

// HALVES sets the bytes of result to 0 where a byte of the text is not in the table. Y0 and Y1 have the table, and Y8 the
// lower half of every byte.
#define HALVES(offset, result) \
	VMOVDQU offset(SI)(AX*1), Y9 \
	VPAND   Y8, Y9, Y10          \
	VPSRLW  $4, Y9, Y9           \
	VPAND   Y8, Y9, Y9           \
	VPSHUFB Y10, Y0, Y10         \
	VPSHUFB Y9, Y1, Y9           \
	VPAND   Y9, Y10, result

// func dataBlocks(text *byte, blocks int, halves *[2][16]byte) (n int)
TEXT ·dataBlocks(SB), NOSPLIT, $0-32
	MOVQ text+0(FP), SI
	MOVQ blocks+8(FP), CX
	MOVQ halves+16(FP), DI

	VBROADCASTI128 (DI), Y0
	VBROADCASTI128 16(DI), Y1
	MOVQ           $0x0f, AX
	VMOVQ          AX, X8
	VPBROADCASTB   X8, Y8
	VPXOR          Y15, Y15, Y15
	XORQ           AX, AX
	SHLQ           $5, CX

inside:
	HALVES(0, Y11)
	VPCMPEQB Y15, Y11, Y11
	VPTEST   Y11, Y11
	JNZ      outside
	ADDQ     $32, AX
	CMPQ     AX, CX
	JNE      inside

outside:
	SHRQ $5, AX
	MOVQ AX, n+24(FP)
	VZEROUPPER
	RET
