//go:build !purego

#include "textflag.h"

// func dataBlocks(text *byte, blocks int, halves *[2][16]byte) (n int)
//
// V0 and V1 have the table, and V8 the lower half of every byte.
TEXT ·dataBlocks(SB), NOSPLIT, $0-32
	MOVD text+0(FP), R0
	MOVD blocks+8(FP), R1
	MOVD halves+16(FP), R2
	VLD1 (R2), [V0.B16, V1.B16]
	MOVD $0x0f, R4
	VDUP R4, V8.B16
	VEOR V15.B16, V15.B16, V15.B16
	MOVD ZR, R7

inside:
	VLD1  (R0), [V24.B16, V25.B16]
	VAND  V8.B16, V24.B16, V16.B16
	VAND  V8.B16, V25.B16, V17.B16
	VUSHR $4, V24.B16, V24.B16
	VUSHR $4, V25.B16, V25.B16
	VTBL  V16.B16, [V0.B16], V16.B16
	VTBL  V17.B16, [V0.B16], V17.B16
	VTBL  V24.B16, [V1.B16], V24.B16
	VTBL  V25.B16, [V1.B16], V25.B16
	VAND  V24.B16, V16.B16, V16.B16
	VAND  V25.B16, V17.B16, V17.B16
	VCMEQ V15.B16, V16.B16, V16.B16
	VCMEQ V15.B16, V17.B16, V17.B16
	VORR  V16.B16, V17.B16, V16.B16
	VMOV  V16.D[0], R4
	VMOV  V16.D[1], R5
	ORR   R4, R5, R4
	CBNZ  R4, outside
	ADD   $32, R0
	ADD   $1, R7
	CMP   R1, R7
	BNE   inside

outside:
	MOVD R7, n+24(FP)
	RET
