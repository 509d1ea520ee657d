//go:build !purego

#include "textflag.h"

// BROADCAST fills a vector with a byte.
#define BROADCAST(from, x, y) \
	MOVBQZX      from, AX \
	VMOVQ        AX, x    \
	VPBROADCASTB x, y

// FIND sets the bytes of found to 0xff where x and y have the pair, or where z has the other one.
#define FIND(x, y, z, z1, found) \
	VPOR     x, Y1, found          \
	VPOR     y, Y3, Y7             \
	VPCMPEQB Y0, found, found      \
	VPCMPEQB Y2, Y7, Y7            \
	VPAND    found, Y7, found      \
	VPCMPEQB z, Y4, Y8             \
	VPCMPEQB z1, Y5, Y9            \
	VPAND    Y8, Y9, Y8            \
	VPOR     Y8, found, found

// func findInBlocks(x, y, z *byte, blocks int, a, aBit, b, bBit, c, d byte) (block int, mask uint64)
//
// Each round looks at 64 bytes. Y0 and Y1 hold the first byte and its bit of case, Y2 and Y3 those of the second one. A
// bit of case that is set in the text and in the vector makes both cases equal. Y4 and Y5 hold the other pair. What
// comes 2 KiB later is fetched meanwhile: the processor by itself stops at the end of each page.
TEXT ·findInBlocks(SB), NOSPLIT, $0-56
	MOVQ x+0(FP), SI
	MOVQ y+8(FP), DI
	MOVQ z+16(FP), R8
	MOVQ blocks+24(FP), CX
	BROADCAST(a+32(FP), X0, Y0)
	BROADCAST(aBit+33(FP), X1, Y1)
	BROADCAST(b+34(FP), X2, Y2)
	BROADCAST(bBit+35(FP), X3, Y3)
	BROADCAST(c+36(FP), X4, Y4)
	BROADCAST(d+37(FP), X5, Y5)
	XORQ BX, BX

block:
	PREFETCHT0 2048(SI)
	FIND((SI), (DI), (R8), 1(R8), Y10)
	FIND(32(SI), 32(DI), 32(R8), 33(R8), Y11)
	VPOR       Y10, Y11, Y12
	VPTEST     Y12, Y12
	JNZ        done
	ADDQ       $64, SI
	ADDQ       $64, DI
	ADDQ       $64, R8
	INCQ       BX
	CMPQ       BX, CX
	JLT        block

done:
	VPMOVMSKB Y10, DX
	VPMOVMSKB Y11, AX
	SHLQ      $32, AX
	ORQ       AX, DX
	VZEROUPPER
	MOVQ      BX, block+40(FP)
	MOVQ      DX, mask+48(FP)
	RET
