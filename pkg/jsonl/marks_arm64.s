//go:build !purego

#include "textflag.h"

// bits has the bit of each byte within its group of eight.
DATA bits<>+0(SB)/8, $0x8040201008040201
DATA bits<>+8(SB)/8, $0x8040201008040201
GLOBL bits<>(SB), RODATA|NOPTR, $16

// The characters that end a two-byte escape are found with two tables: one for the low half of a byte, one for the high
// half. A character is plain if both have a common bit. Each bit stands for one high half: 2, 5, 6 and 7.
DATA plainLow<>+0(SB)/8, $0x00040008000d0000
DATA plainLow<>+8(SB)/8, $0x0104000200000000
GLOBL plainLow<>(SB), RODATA|NOPTR, $16
DATA plainHigh<>+0(SB)/8, $0x0804020000010000
DATA plainHigh<>+8(SB)/8, $0x0000000000000000
GLOBL plainHigh<>(SB), RODATA|NOPTR, $16

// MASK sets reg to one bit for every byte of V4 to V7 that is 0xff. Each byte keeps its own bit of V20. Adding
// neighbours three times makes one byte of every eight.
#define MASK(reg) \
	VAND  V4.B16, V20.B16, V4.B16 \
	VAND  V5.B16, V20.B16, V5.B16 \
	VAND  V6.B16, V20.B16, V6.B16 \
	VAND  V7.B16, V20.B16, V7.B16 \
	VADDP V5.B16, V4.B16, V4.B16  \
	VADDP V7.B16, V6.B16, V6.B16  \
	VADDP V6.B16, V4.B16, V4.B16  \
	VADDP V4.B16, V4.B16, V4.B16  \
	VMOV  V4.D[0], reg

// EQUAL sets the bytes of V4 to V7 to 0xff where V0 to V3 equal those of a vector.
#define EQUAL(what) \
	VCMEQ V0.B16, what.B16, V4.B16 \
	VCMEQ V1.B16, what.B16, V5.B16 \
	VCMEQ V2.B16, what.B16, V6.B16 \
	VCMEQ V3.B16, what.B16, V7.B16

// CONTROL sets out to 0xff where in has none of the three highest bits (V18).
#define CONTROL(in, out) \
	VAND  in.B16, V18.B16, out.B16 \
	VCMEQ out.B16, V19.B16, out.B16

// NOTPLAIN sets out to 0xff where in has no plain character.
#define NOTPLAIN(in, out) \
	VUSHR $4, in.B16, V24.B16             \
	VTBL  V24.B16, [V22.B16], V24.B16     \
	VAND  in.B16, V23.B16, V25.B16        \
	VTBL  V25.B16, [V21.B16], V25.B16     \
	VAND  V24.B16, V25.B16, V25.B16       \
	VCMEQ V25.B16, V19.B16, out.B16

// func markBlocksNEON(buf *byte, special *uint64, high *byte, blocks int, escaped uint64)
//
// R7 is 1 if the first byte of the block is escaped.
TEXT ·markBlocksNEON(SB), NOSPLIT, $0-40
	MOVD buf+0(FP), R0
	MOVD special+8(FP), R1
	MOVD high+16(FP), R2
	MOVD blocks+24(FP), R3
	MOVD escaped+32(FP), R7

	MOVD $0x22, R4
	VDUP R4, V16.B16
	MOVD $0x5c, R4
	VDUP R4, V17.B16
	MOVD $0xe0, R4
	VDUP R4, V18.B16
	VEOR V19.B16, V19.B16, V19.B16
	MOVD $bits<>(SB), R4
	VLD1 (R4), [V20.B16]
	MOVD $plainLow<>(SB), R4
	VLD1 (R4), [V21.B16]
	MOVD $plainHigh<>(SB), R4
	VLD1 (R4), [V22.B16]
	MOVD $0x0f, R4
	VDUP R4, V23.B16
	MOVD $0x8080808080808080, R6
	MOVD $0x5555555555555555, R13

block:
	VLD1.P 64(R0), [V0.B16, V1.B16, V2.B16, V3.B16]
	EQUAL(V16)
	MASK(R8)                  // quotes
	EQUAL(V17)
	MASK(R9)                  // backslashes
	CONTROL(V0, V4)
	CONTROL(V1, V5)
	CONTROL(V2, V6)
	CONTROL(V3, V7)
	MASK(R10)                 // control characters

	// The highest bit of a byte outside ASCII is set.
	VORR V0.B16, V1.B16, V4.B16
	VORR V2.B16, V3.B16, V5.B16
	VORR V4.B16, V5.B16, V4.B16
	VMOV V4.D[0], R4
	VMOV V4.D[1], R5
	ORR  R4, R5, R4
	TST  R4, R6
	CSET NE, R4
	MOVB.P R4, 1(R2)

	ORR R9, R7, R4
	CBZ R4, done

	// As in findEscaped: R5 becomes the escaped bytes, and R7 says whether the first byte of the next block is one.
	BIC  R7, R9, R9           // slash
	ORR  R9<<1, R7, R11       // follows
	BIC  R13, R9, R12
	BIC  R11, R12, R12        // starts
	ADDS R9, R12, R12         // sum
	CSET CS, R7
	EOR  R12<<1, R13, R12
	AND  R11, R12, R5         // escaped

	// Escaped quotes do not count. Escaped characters do, unless they are plain.
	BIC R5, R8, R8
	NOTPLAIN(V0, V4)
	NOTPLAIN(V1, V5)
	NOTPLAIN(V2, V6)
	NOTPLAIN(V3, V7)
	MASK(R9)
	AND R5, R9, R9
	ORR R9, R8, R8

done:
	ORR  R10, R8, R8
	MOVD.P R8, 8(R1)
	SUBS $1, R3
	BNE  block
	RET
