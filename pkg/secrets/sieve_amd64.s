//go:build !purego

#include "textflag.h"

// FIND makes the buckets of one byte of the grams: those of its lower half and those of its upper half.
#define FIND(offset, low, high, result) \
	VMOVDQU offset(SI)(AX*1), Y9 \
	VPAND   Y8, Y9, Y10          \
	VPSRLW  $4, Y9, Y9           \
	VPAND   Y8, Y9, Y9           \
	VPSHUFB Y10, low, Y10        \
	VPSHUFB Y9, high, Y9         \
	VPAND   Y9, Y10, result

// func nextAVX2(text *byte, blocks int, tables *[4][2][16]byte) (at int, mask uint32)
TEXT ·nextAVX2(SB), NOSPLIT, $0-36
	MOVQ text+0(FP), SI
	MOVQ blocks+8(FP), CX
	MOVQ tables+16(FP), DI

	VBROADCASTI128 (DI), Y0
	VBROADCASTI128 16(DI), Y1
	VBROADCASTI128 32(DI), Y2
	VBROADCASTI128 48(DI), Y3
	VBROADCASTI128 64(DI), Y4
	VBROADCASTI128 80(DI), Y5
	VBROADCASTI128 96(DI), Y6
	VBROADCASTI128 112(DI), Y7
	MOVQ           $0x0f, AX
	MOVQ           AX, X8
	VPBROADCASTB   X8, Y8
	VPXOR          Y15, Y15, Y15
	XORQ           AX, AX

block:
	FIND(0, Y0, Y1, Y11)
	FIND(1, Y2, Y3, Y12)
	FIND(2, Y4, Y5, Y13)
	FIND(3, Y6, Y7, Y14)
	VPAND     Y11, Y12, Y11
	VPAND     Y13, Y14, Y13
	VPAND     Y11, Y13, Y11
	VPCMPEQB  Y15, Y11, Y11
	VPMOVMSKB Y11, DX
	NOTL      DX
	TESTL     DX, DX
	JNZ       found

	ADDQ $32, AX
	DECQ CX
	JNZ  block

found:
	MOVQ AX, at+24(FP)
	MOVL DX, mask+32(FP)
	VZEROUPPER
	RET
