//go:build !purego

#include "textflag.h"

// BROADCAST fills a vector with a byte.
#define BROADCAST(from, x, y) \
	MOVBQZX      from, AX \
	VMOVQ        AX, x    \
	VPBROADCASTB x, y

// func findInBlocks(x, y *byte, blocks int, a, aBit, b, bBit byte) (block int, mask uint64)
//
// Each round looks at 64 bytes. Y0 and Y1 hold the first byte and its bit of case, Y2 and Y3 those of the second one. A
// bit of case that is set in the text and in the vector makes both cases equal.
TEXT ·findInBlocks(SB), NOSPLIT, $0-48
	MOVQ x+0(FP), SI
	MOVQ y+8(FP), DI
	MOVQ blocks+16(FP), CX
	BROADCAST(a+24(FP), X0, Y0)
	BROADCAST(aBit+25(FP), X1, Y1)
	BROADCAST(b+26(FP), X2, Y2)
	BROADCAST(bBit+27(FP), X3, Y3)
	XORQ BX, BX

block:
	VPOR      (SI), Y1, Y4
	VPOR      (DI), Y3, Y5
	VPCMPEQB  Y0, Y4, Y4
	VPCMPEQB  Y2, Y5, Y5
	VPAND     Y4, Y5, Y4
	VPOR      32(SI), Y1, Y6
	VPOR      32(DI), Y3, Y7
	VPCMPEQB  Y0, Y6, Y6
	VPCMPEQB  Y2, Y7, Y7
	VPAND     Y6, Y7, Y6
	VPOR      Y4, Y6, Y8
	VPTEST    Y8, Y8
	JNZ       done
	ADDQ      $64, SI
	ADDQ      $64, DI
	INCQ      BX
	CMPQ      BX, CX
	JLT       block

done:
	VPMOVMSKB Y4, DX
	VPMOVMSKB Y6, AX
	SHLQ      $32, AX
	ORQ       AX, DX
	VZEROUPPER
	MOVQ      BX, block+32(FP)
	MOVQ      DX, mask+40(FP)
	RET
