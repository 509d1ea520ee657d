//go:build !purego

#include "textflag.h"

// The tables are those of utf8_amd64.s: a pair of bytes is wrong if the entries for the halves of the first byte and for
// the high half of the second have a common bit.
DATA firstHigh<>+0(SB)/8, $0x0202020202020202
DATA firstHigh<>+8(SB)/8, $0x4915012180808080
GLOBL firstHigh<>(SB), RODATA|NOPTR, $16
DATA firstLow<>+0(SB)/8, $0xcbcbcb8b8383a3e7
DATA firstLow<>+8(SB)/8, $0xcbcbdbcbcbcbcbcb
GLOBL firstLow<>(SB), RODATA|NOPTR, $16
DATA secondHigh<>+0(SB)/8, $0x0101010101010101
DATA secondHigh<>+8(SB)/8, $0x01010101babaaee6
GLOBL secondHigh<>(SB), RODATA|NOPTR, $16

// SUBTRACT sets out to in - what, or to 0 where what is larger.
#define SUBTRACT(what, in, out) \
	VUMAX what.B16, in.B16, out.B16 \
	VSUB  what.B16, out.B16, out.B16

// func validBlocksNEON(text *byte, blocks int) bool
//
// It checks blocks of 16 bytes. V0 collects what is wrong, and V1 is the block before. A character that the last block
// does not complete is not wrong.
TEXT ·validBlocksNEON(SB), NOSPLIT, $0-17
	MOVD text+0(FP), R0
	MOVD blocks+8(FP), R1

	MOVD $firstHigh<>(SB), R2
	VLD1 (R2), [V10.B16]
	MOVD $firstLow<>(SB), R2
	VLD1 (R2), [V11.B16]
	MOVD $secondHigh<>(SB), R2
	VLD1 (R2), [V12.B16]
	MOVD $0x0f, R2
	VDUP R2, V13.B16
	MOVD $0x60, R2            // 0xe0 - 0x80: what begins a character of three bytes or more
	VDUP R2, V14.B16
	MOVD $0x70, R2            // 0xf0 - 0x80: what begins one of four
	VDUP R2, V15.B16
	MOVD $0x80, R2
	VDUP R2, V9.B16
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16

block:
	VLD1.P 16(R0), [V2.B16]

	// V3 to V5: the bytes one, two and three places before.
	VEXT $15, V2.B16, V1.B16, V3.B16
	VEXT $14, V2.B16, V1.B16, V4.B16
	VEXT $13, V2.B16, V1.B16, V5.B16
	VMOV V2.B16, V1.B16

	// V6: the pairs that are wrong.
	VUSHR $4, V3.B16, V6.B16
	VTBL  V6.B16, [V10.B16], V6.B16
	VAND  V13.B16, V3.B16, V7.B16
	VTBL  V7.B16, [V11.B16], V7.B16
	VAND  V6.B16, V7.B16, V6.B16
	VUSHR $4, V2.B16, V7.B16
	VTBL  V7.B16, [V12.B16], V7.B16
	VAND  V6.B16, V7.B16, V6.B16

	// Where a character of three or four bytes goes on, two continuations in a row are right, and nothing else.
	SUBTRACT(V14, V4, V4)
	SUBTRACT(V15, V5, V5)
	VORR V4.B16, V5.B16, V4.B16
	VAND V9.B16, V4.B16, V4.B16
	VEOR V4.B16, V6.B16, V6.B16
	VORR V6.B16, V0.B16, V0.B16

	SUBS $1, R1
	BNE  block

	VMOV V0.D[0], R2
	VMOV V0.D[1], R3
	ORR  R2, R3, R2
	CMP  $0, R2
	CSET EQ, R2
	MOVB R2, ret+16(FP)
	RET
