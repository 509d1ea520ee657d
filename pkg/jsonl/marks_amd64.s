//go:build !purego

#include "textflag.h"

// The characters that end a two-byte escape are found with two tables: one for the low half of a byte, one for the high
// half. A character is plain if both have a common bit. Each bit stands for one high half: 2, 5, 6 and 7.
DATA plainLow<>+0(SB)/8, $0x00040008000d0000
DATA plainLow<>+8(SB)/8, $0x0104000200000000
GLOBL plainLow<>(SB), RODATA|NOPTR, $16
DATA plainHigh<>+0(SB)/8, $0x0804020000010000
DATA plainHigh<>+8(SB)/8, $0x0000000000000000
GLOBL plainHigh<>(SB), RODATA|NOPTR, $16

// MASK sets reg to one bit for every byte of two vectors that is 0xff. It changes DX.
#define MASK(low, high, reg) \
	VPMOVMSKB low, reg \
	VPMOVMSKB high, DX \
	SHLQ      $32, DX  \
	ORQ       DX, reg

// NOTPLAIN sets out to 0xff where in has no plain character, and to 0 elsewhere.
#define NOTPLAIN(in, out) \
	VPSRLW   $4, in, Y10    \
	VPAND    Y15, Y10, Y10  \
	VPSHUFB  Y10, Y14, Y10  \
	VPSHUFB  in, Y13, out   \
	VPAND    Y10, out, out  \
	VPCMPEQB Y12, out, out

// func markBlocksAVX2(buf *byte, special *uint64, high *byte, blocks int, escaped uint64)
//
// Y0, Y1 and Y2 hold 32 quotes, backslashes and the largest control character: a byte is one if the smaller of both is
// the byte itself. R11 is 1 if the first byte of the block is escaped. There is no shortcut for a block without a
// backslash: about half of them have one, and a mispredicted branch takes longer than the rest.
TEXT ·markBlocksAVX2(SB), NOSPLIT, $0-40
	MOVQ buf+0(FP), SI
	MOVQ special+8(FP), DI
	MOVQ high+16(FP), R8
	MOVQ blocks+24(FP), CX
	MOVQ escaped+32(FP), R11

	MOVQ           $0x22, AX
	VMOVQ          AX, X0
	VPBROADCASTB   X0, Y0
	MOVQ           $0x5c, AX
	VMOVQ          AX, X1
	VPBROADCASTB   X1, Y1
	MOVQ           $0x1f, AX
	VMOVQ          AX, X2
	VPBROADCASTB   X2, Y2
	MOVQ           $0x0f, AX
	VMOVQ          AX, X15
	VPBROADCASTB   X15, Y15
	VBROADCASTI128 plainHigh<>(SB), Y14
	VBROADCASTI128 plainLow<>(SB), Y13
	VPXOR          Y12, Y12, Y12
	MOVQ           $0x5555555555555555, R13

block:
	VMOVDQU (SI), Y3
	VMOVDQU 32(SI), Y4

	VPCMPEQB Y0, Y3, Y5
	VPCMPEQB Y0, Y4, Y6
	MASK(Y5, Y6, AX)          // quotes

	VPCMPEQB Y1, Y3, Y5
	VPCMPEQB Y1, Y4, Y6
	MASK(Y5, Y6, R9)          // backslashes

	VPMINUB  Y2, Y3, Y5
	VPCMPEQB Y5, Y3, Y5
	VPMINUB  Y2, Y4, Y6
	VPCMPEQB Y6, Y4, Y6
	MASK(Y5, Y6, R10)         // control characters

	// The highest bit of a byte outside ASCII is set.
	VPOR      Y3, Y4, Y5
	VPMOVMSKB Y5, BX
	TESTL     BX, BX
	SETNE     (R8)

	// As in findEscaped: R9 becomes the escaped bytes, and R11 says whether the first byte of the next block is one.
	MOVQ R11, BX
	NOTQ BX
	ANDQ BX, R9               // slash
	LEAQ (R11)(R9*2), R12     // follows
	MOVQ R13, BX
	ORQ  R12, BX
	NOTQ BX
	ANDQ R9, BX               // starts
	XORL R11, R11
	ADDQ R9, BX               // sum
	ADCQ $0, R11
	ADDQ BX, BX
	XORQ R13, BX
	ANDQ R12, BX              // escaped

	// Escaped quotes do not count. Escaped characters do, unless they are plain.
	MOVQ BX, DX
	NOTQ DX
	ANDQ DX, AX
	NOTPLAIN(Y3, Y5)
	NOTPLAIN(Y4, Y6)
	MASK(Y5, Y6, R9)
	ANDQ BX, R9
	ORQ  R9, AX
	ORQ  R10, AX
	MOVQ AX, (DI)
	ADDQ $64, SI
	ADDQ $8, DI
	INCQ R8
	DECQ CX
	JNZ  block

	VZEROUPPER
	RET
