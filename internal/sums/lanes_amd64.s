//go:build !purego

#include "textflag.h"

// Every register has one word of eight texts. Y0 to Y7 are a to h, whose names change places instead of their values.

// SIGMA adds three rotations of a word.
#define SIGMA(x, r1, r2, r3, result) \
	VPSRLD $r1, x, result          \
	VPSLLD $(32-r1), x, Y12        \
	VPXOR  Y12, result, result     \
	VPSRLD $r2, x, Y12             \
	VPSLLD $(32-r2), x, Y13        \
	VPXOR  Y12, Y13, Y12           \
	VPXOR  Y12, result, result     \
	VPSRLD $r3, x, Y12             \
	VPSLLD $(32-r3), x, Y13        \
	VPXOR  Y12, Y13, Y12           \
	VPXOR  Y12, result, result

// MIX adds a shifted word and two rotations of it.
#define MIX(x, shift, r1, r2, result) \
	VPSRLD $shift, x, result   \
	VPSRLD $r1, x, Y11         \
	VPSLLD $(32-r1), x, Y12    \
	VPXOR  Y11, result, result \
	VPSRLD $r2, x, Y11         \
	VPXOR  Y12, result, result \
	VPSLLD $(32-r2), x, Y12    \
	VPXOR  Y11, result, result \
	VPXOR  Y12, result, result

// ROUND is a round after the word of its message, plus its constant, was added to h. bc is b XOR c, and ab becomes a XOR
// b, which is the same of the next round.
#define ROUND(a, b, c, d, e, f, g, h, bc, ab) \
	SIGMA(e, 6, 11, 25, Y10) \
	VPXOR  f, g, Y11         \
	VPADDD Y10, h, h         \
	VPAND  e, Y11, Y11       \
	VPXOR  g, Y11, Y11       \
	VPADDD Y11, h, h         \
	VPADDD h, d, d           \
	SIGMA(a, 2, 13, 22, Y10) \
	VPXOR  a, b, ab          \
	VPADDD Y10, h, h         \
	VPAND  ab, bc, bc        \
	VPXOR  b, bc, bc         \
	VPADDD bc, h, h

// GIVEN is a round with a word of the text.
#define GIVEN(i, a, b, c, d, e, f, g, h, bc, ab) \
	VPADDD       (32*(i))(SP), h, h   \
	VPBROADCASTD (4*(i))(BX), Y9       \
	VPADDD       Y9, h, h            \
	ROUND(a, b, c, d, e, f, g, h, bc, ab)

// MADE is a round with a word made of four others, which takes the place of the first of them.
#define MADE(i, a, b, c, d, e, f, g, h, bc, ab) \
	VMOVDQU      (32*((i+1)&15))(SP), Y8      \
	VMOVDQU      (32*((i+14)&15))(SP), Y9     \
	MIX(Y8, 3, 7, 18, Y10)                     \
	VPADDD       (32*((i)&15))(SP), Y10, Y10    \
	MIX(Y9, 10, 17, 19, Y8)                    \
	VPADDD       (32*((i+9)&15))(SP), Y10, Y10 \
	VPADDD       Y8, Y10, Y10                 \
	VMOVDQU      Y10, (32*((i)&15))(SP)         \
	VPBROADCASTD (4*(i))(BX), Y9                \
	VPADDD       Y10, h, h                    \
	VPADDD       Y9, h, h                     \
	ROUND(a, b, c, d, e, f, g, h, bc, ab)

#define EIGHT(KIND, i) \
	KIND(i+0, Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y14, Y15) \
	KIND(i+1, Y7, Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y15, Y14) \
	KIND(i+2, Y6, Y7, Y0, Y1, Y2, Y3, Y4, Y5, Y14, Y15) \
	KIND(i+3, Y5, Y6, Y7, Y0, Y1, Y2, Y3, Y4, Y15, Y14) \
	KIND(i+4, Y4, Y5, Y6, Y7, Y0, Y1, Y2, Y3, Y14, Y15) \
	KIND(i+5, Y3, Y4, Y5, Y6, Y7, Y0, Y1, Y2, Y15, Y14) \
	KIND(i+6, Y2, Y3, Y4, Y5, Y6, Y7, Y0, Y1, Y14, Y15) \
	KIND(i+7, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y0, Y15, Y14)

// TURN turns eight words of each text into one register for each word.
#define TURN(offset) \
	VMOVDQU    (offset)(R8)(DX*1), Y0  \
	VMOVDQU    (offset)(R9)(DX*1), Y1  \
	VMOVDQU    (offset)(R10)(DX*1), Y2 \
	VMOVDQU    (offset)(R11)(DX*1), Y3 \
	VMOVDQU    (offset)(R12)(DX*1), Y4 \
	VMOVDQU    (offset)(R13)(DX*1), Y5 \
	VMOVDQU    (offset)(R14)(DX*1), Y6 \
	VMOVDQU    (offset)(R15)(DX*1), Y7 \
	VPUNPCKLDQ Y1, Y0, Y8              \
	VPUNPCKHDQ Y1, Y0, Y9              \
	VPUNPCKLDQ Y3, Y2, Y10             \
	VPUNPCKHDQ Y3, Y2, Y11             \
	VPUNPCKLDQ Y5, Y4, Y12             \
	VPUNPCKHDQ Y5, Y4, Y13             \
	VPUNPCKLDQ Y7, Y6, Y14             \
	VPUNPCKHDQ Y7, Y6, Y15             \
	VPUNPCKLQDQ Y10, Y8, Y0            \
	VPUNPCKHQDQ Y10, Y8, Y1            \
	VPUNPCKLQDQ Y11, Y9, Y2            \
	VPUNPCKHQDQ Y11, Y9, Y3            \
	VPUNPCKLQDQ Y14, Y12, Y4           \
	VPUNPCKHQDQ Y14, Y12, Y5           \
	VPUNPCKLQDQ Y15, Y13, Y6           \
	VPUNPCKHQDQ Y15, Y13, Y7           \
	VMOVDQU    swapped<>(SB), Y8       \
	VPERM2I128 $0x20, Y4, Y0, Y9       \
	VPERM2I128 $0x20, Y5, Y1, Y10      \
	VPERM2I128 $0x20, Y6, Y2, Y11      \
	VPERM2I128 $0x20, Y7, Y3, Y12      \
	VPERM2I128 $0x31, Y4, Y0, Y0       \
	VPERM2I128 $0x31, Y5, Y1, Y1       \
	VPERM2I128 $0x31, Y6, Y2, Y2       \
	VPERM2I128 $0x31, Y7, Y3, Y3       \
	VPSHUFB    Y8, Y9, Y9              \
	VPSHUFB    Y8, Y10, Y10            \
	VPSHUFB    Y8, Y11, Y11            \
	VPSHUFB    Y8, Y12, Y12            \
	VPSHUFB    Y8, Y0, Y0              \
	VPSHUFB    Y8, Y1, Y1              \
	VPSHUFB    Y8, Y2, Y2              \
	VPSHUFB    Y8, Y3, Y3              \
	VMOVDQU    Y9, (8*offset+0)(SP)    \
	VMOVDQU    Y10, (8*offset+32)(SP)  \
	VMOVDQU    Y11, (8*offset+64)(SP)  \
	VMOVDQU    Y12, (8*offset+96)(SP)  \
	VMOVDQU    Y0, (8*offset+128)(SP)  \
	VMOVDQU    Y1, (8*offset+160)(SP)  \
	VMOVDQU    Y2, (8*offset+192)(SP)  \
	VMOVDQU    Y3, (8*offset+224)(SP)

// PLUS adds a word to the state.
#define PLUS(i, y) \
	VPADDD  (32*i)(AX), y, y \
	VMOVDQU y, (32*i)(AX)

DATA swapped<>+0(SB)/8, $0x0405060700010203
DATA swapped<>+8(SB)/8, $0x0c0d0e0f08090a0b
DATA swapped<>+16(SB)/8, $0x0405060700010203
DATA swapped<>+24(SB)/8, $0x0c0d0e0f08090a0b
GLOBL swapped<>(SB), RODATA|NOPTR, $32

// func addBlocks(states *[8][Lanes]uint32, texts *[Lanes]*byte, constants *[64]uint32, blocks int)
TEXT ·addBlocks(SB), NOSPLIT, $512-32
	MOVQ texts+8(FP), SI
	MOVQ 0(SI), R8
	MOVQ 8(SI), R9
	MOVQ 16(SI), R10
	MOVQ 24(SI), R11
	MOVQ 32(SI), R12
	MOVQ 40(SI), R13
	MOVQ 48(SI), R14
	MOVQ 56(SI), R15
	MOVQ states+0(FP), AX
	MOVQ constants+16(FP), BX
	MOVQ blocks+24(FP), CX
	XORQ DX, DX

block:
	TURN(0)
	TURN(32)
	VMOVDQU 0(AX), Y0
	VMOVDQU 32(AX), Y1
	VMOVDQU 64(AX), Y2
	VMOVDQU 96(AX), Y3
	VMOVDQU 128(AX), Y4
	VMOVDQU 160(AX), Y5
	VMOVDQU 192(AX), Y6
	VMOVDQU 224(AX), Y7
	VPXOR   Y1, Y2, Y14
	EIGHT(GIVEN, 0)
	EIGHT(GIVEN, 8)
	EIGHT(MADE, 16)
	EIGHT(MADE, 24)
	EIGHT(MADE, 32)
	EIGHT(MADE, 40)
	EIGHT(MADE, 48)
	EIGHT(MADE, 56)
	PLUS(0, Y0)
	PLUS(1, Y1)
	PLUS(2, Y2)
	PLUS(3, Y3)
	PLUS(4, Y4)
	PLUS(5, Y5)
	PLUS(6, Y6)
	PLUS(7, Y7)
	ADDQ    $64, DX
	DECQ    CX
	JNZ     block
	VZEROUPPER
	RET

// func hasInstructions() bool
TEXT ·hasInstructions(SB), NOSPLIT, $0-1
	MOVL $7, AX
	XORL CX, CX
	CPUID
	SHRL $29, BX
	ANDL $1, BX
	MOVB BX, ret+0(FP)
	RET
