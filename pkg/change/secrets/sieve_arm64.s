//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// bits has the bit of each byte within its group of eight.
DATA bits<>+0(SB)/8, $0x8040201008040201
DATA bits<>+8(SB)/8, $0x8040201008040201
GLOBL bits<>(SB), RODATA|NOPTR, $16

// FIND makes the buckets of one byte of the grams at 32 places: those of its lower half and those of its upper half.
#define FIND(offset, low, high, first, second) \
	ADD   $offset, R0, R4                     \
	VLD1  (R4), [V24.B16, V25.B16]            \
	VAND  V8.B16, V24.B16, first.B16          \
	VAND  V8.B16, V25.B16, second.B16         \
	VUSHR $4, V24.B16, V24.B16                \
	VUSHR $4, V25.B16, V25.B16                \
	VTBL  first.B16, [low.B16], first.B16     \
	VTBL  second.B16, [low.B16], second.B16   \
	VTBL  V24.B16, [high.B16], V24.B16        \
	VTBL  V25.B16, [high.B16], V25.B16        \
	VAND  V24.B16, first.B16, first.B16       \
	VAND  V25.B16, second.B16, second.B16

// AND_BUCKETS keeps the buckets of V16 and V17 that the next byte has too.
#define AND_BUCKETS \
	VAND V18.B16, V16.B16, V16.B16 \
	VAND V19.B16, V17.B16, V17.B16

// SEEN looks a slot up, which is the upper bits of gram times R14, in a table of bits. The bit is the lowest of result.
#define SEEN(gram, table, result) \
	MULW R14, gram, gram             \
	LSRW $const_seenShift, gram, gram \
	LSRW $5, gram, result            \
	MOVWU (table)(result<<2), result \
	LSRW gram, result, result

// func siftBlocks(text *byte, blocks int, s *sieve, places *[siftPlaces]uint16) (n int)
//
// R0 is the block, R7 its place and R8 the end of the list.
TEXT ·siftBlocks(SB), NOSPLIT, $0-40
	MOVD text+0(FP), R0
	MOVD blocks+8(FP), R1
	MOVD s+16(FP), R2
	MOVD places+24(FP), R3

	MOVD   R2, R4
	VLD1.P 64(R4), [V0.B16, V1.B16, V2.B16, V3.B16]
	VLD1   (R4), [V4.B16, V5.B16, V6.B16, V7.B16]
	MOVD   $0x0f, R4
	VDUP   R4, V8.B16
	VEOR   V15.B16, V15.B16, V15.B16
	MOVD   $bits<>(SB), R4
	VLD1   (R4), [V20.B16]
	MOVD   ZR, R7
	MOVD   R3, R8

block:
	FIND(0, V0, V1, V16, V17)
	FIND(1, V2, V3, V18, V19)
	AND_BUCKETS
	FIND(2, V4, V5, V18, V19)
	AND_BUCKETS
	FIND(3, V6, V7, V18, V19)
	AND_BUCKETS

	// R5: a bit for every place that the tables let through. Each byte keeps its own bit, and adding neighbours three
	// times makes one byte of every eight.
	VCMEQ V15.B16, V16.B16, V16.B16
	VCMEQ V15.B16, V17.B16, V17.B16
	VAND  V20.B16, V16.B16, V16.B16
	VAND  V20.B16, V17.B16, V17.B16
	VADDP V17.B16, V16.B16, V16.B16
	VADDP V16.B16, V16.B16, V16.B16
	VADDP V16.B16, V16.B16, V16.B16
	VMOV  V16.S[0], R5
	MVNW  R5, R5
	CBZW  R5, next

take:
	RBITW  R5, R6
	CLZW   R6, R6
	ADD    R7, R6, R6
	MOVH.P R6, 2(R8)
	SUBW   $1, R5, R6
	ANDW   R6, R5, R5
	CBNZW  R5, take

next:
	ADD  $32, R0
	ADD  $32, R7
	SUBS $1, R1
	BNE  block

	// Of the places, those stay whose slot is seen. R9 reads the list and R10 writes it.
	MOVD text+0(FP), R0
	MOVD R3, R9
	MOVD R3, R10
	ADD  $sieve_seen, R2, R11
	ADD  $(sieve_seen+const_seenBytes), R2, R12
	MOVD $0x9e3779b1, R14
	MOVD $0x20202020, R15
	CMP  R8, R9
	BEQ  done

place:
	MOVHU.P 2(R9), R4
	MOVH    R4, (R10)
	MOVWU   (R0)(R4), R5
	ORRW    R15, R5, R5
	ANDW    $0xffffff, R5, R6
	SEEN(R5, R12, R4)
	SEEN(R6, R11, R13)
	ORRW    R13, R4, R4
	AND     $1, R4, R4
	ADD     R4<<1, R10, R10
	CMP     R8, R9
	BNE     place

done:
	SUB  R3, R10, R10
	LSR  $1, R10, R10
	MOVD R10, n+32(FP)
	RET
