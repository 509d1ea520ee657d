//go:build !purego

#include "textflag.h"

// Each bit of these tables is a way in which two bytes cannot follow each other: the second is missing or not needed, the
// character is longer than necessary, a surrogate, or too large. A pair of bytes is wrong if the entries for the halves
// of the first byte and for the high half of the second have a common bit. The highest bit stands for two continuations
// in a row, which are right if they belong to a longer character.
DATA firstHigh<>+0(SB)/8, $0x0202020202020202
DATA firstHigh<>+8(SB)/8, $0x4915012180808080
GLOBL firstHigh<>(SB), RODATA|NOPTR, $16
DATA firstLow<>+0(SB)/8, $0xcbcbcb8b8383a3e7
DATA firstLow<>+8(SB)/8, $0xcbcbdbcbcbcbcbcb
GLOBL firstLow<>(SB), RODATA|NOPTR, $16
DATA secondHigh<>+0(SB)/8, $0x0101010101010101
DATA secondHigh<>+8(SB)/8, $0x01010101babaaee6
GLOBL secondHigh<>(SB), RODATA|NOPTR, $16

// func validBlocksAVX2(text *byte, blocks int) bool
//
// It checks blocks of 32 bytes. Y0 collects what is wrong, and Y1 is the block before. A character that the last block
// does not complete is not wrong.
TEXT ·validBlocksAVX2(SB), NOSPLIT, $0-17
	MOVQ text+0(FP), SI
	MOVQ blocks+8(FP), CX

	VBROADCASTI128 firstHigh<>(SB), Y10
	VBROADCASTI128 firstLow<>(SB), Y11
	VBROADCASTI128 secondHigh<>(SB), Y12
	MOVQ           $0x0f, AX
	VMOVQ          AX, X13
	VPBROADCASTB   X13, Y13
	MOVQ           $0x60, AX            // 0xe0 - 0x80: what begins a character of three bytes or more
	VMOVQ          AX, X14
	VPBROADCASTB   X14, Y14
	MOVQ           $0x70, AX            // 0xf0 - 0x80: what begins one of four
	VMOVQ          AX, X15
	VPBROADCASTB   X15, Y15
	MOVQ           $0x80, AX
	VMOVQ          AX, X9
	VPBROADCASTB   X9, Y9
	VPXOR          Y0, Y0, Y0
	VPXOR          Y1, Y1, Y1

block:
	VMOVDQU (SI), Y2

	// Y3 to Y5: the bytes one, two and three places before.
	VPERM2I128 $0x21, Y2, Y1, Y6
	VPALIGNR   $15, Y6, Y2, Y3
	VPALIGNR   $14, Y6, Y2, Y4
	VPALIGNR   $13, Y6, Y2, Y5
	VMOVDQA    Y2, Y1

	// Y6: the pairs that are wrong.
	VPSRLW  $4, Y3, Y6
	VPAND   Y13, Y6, Y6
	VPSHUFB Y6, Y10, Y6
	VPAND   Y13, Y3, Y7
	VPSHUFB Y7, Y11, Y7
	VPAND   Y6, Y7, Y6
	VPSRLW  $4, Y2, Y7
	VPAND   Y13, Y7, Y7
	VPSHUFB Y7, Y12, Y7
	VPAND   Y6, Y7, Y6

	// Where a character of three or four bytes goes on, two continuations in a row are right, and nothing else.
	VPSUBUSB Y14, Y4, Y4
	VPSUBUSB Y15, Y5, Y5
	VPOR     Y4, Y5, Y4
	VPAND    Y9, Y4, Y4
	VPXOR    Y4, Y6, Y6
	VPOR     Y6, Y0, Y0

	ADDQ $32, SI
	DECQ CX
	JNZ  block

	VPTEST Y0, Y0
	SETEQ  ret+16(FP)
	VZEROUPPER
	RET
