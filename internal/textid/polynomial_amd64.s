//go:build !purego

#include "textflag.h"

// MULTIPLY adds the product of a row and a power to Z8, Z9 and Z10: the low, the high and the middle halves.
#define MULTIPLY(row, power) \
	VPCLMULQDQ $0x00, power, row, Z12 \
	VPCLMULQDQ $0x11, power, row, Z13 \
	VPCLMULQDQ $0x01, power, row, Z14 \
	VPCLMULQDQ $0x10, power, row, Z15 \
	VPXORQ     Z12, Z8, Z8            \
	VPXORQ     Z13, Z9, Z9            \
	VPTERNLOGQ $0x96, Z14, Z15, Z10

// BEGIN empties the products.
#define BEGIN \
	VPXORQ Z8, Z8, Z8    \
	VPXORQ Z9, Z9, Z9    \
	VPXORQ Z10, Z10, Z10

// REDUCE makes elements of the field in Z0 of the products. Above 128 bits, x to the 128th is what Z11 says.
#define REDUCE \
	VPSLLDQ    $8, Z10, Z12         \
	VPSRLDQ    $8, Z10, Z13         \
	VPXORQ     Z12, Z8, Z8          \
	VPXORQ     Z13, Z9, Z9          \
	VPCLMULQDQ $0x01, Z11, Z9, Z12  \
	VPSLLDQ    $8, Z12, Z13         \
	VPSRLDQ    $8, Z12, Z12         \
	VPXORQ     Z13, Z8, Z8          \
	VPXORQ     Z12, Z9, Z9          \
	VPCLMULQDQ $0x00, Z11, Z9, Z12  \
	VPXORQ     Z12, Z8, Z0

// func widePolynomial(id *ID, text []byte, p *powers)
//
// Z0 has four sums, one for every fourth block. A row is four blocks. Z16 to Z23 are the powers by which a sum is
// multiplied for one to eight rows.
TEXT ·widePolynomial(SB), NOSPLIT, $0-40
	MOVQ text_base+8(FP), SI
	MOVQ text_len+16(FP), CX
	MOVQ p+32(FP), DI

	VMOVDQU64 (DI), Z16
	VMOVDQU64 64(DI), Z17
	VMOVDQU64 128(DI), Z18
	VMOVDQU64 192(DI), Z19
	VMOVDQU64 256(DI), Z20
	VMOVDQU64 320(DI), Z21
	VMOVDQU64 384(DI), Z22
	VMOVDQU64 448(DI), Z23
	MOVQ      $0x87, AX
	VPBROADCASTQ AX, Z11
	VPXORQ       Z0, Z0, Z0
	MOVQ         CX, R8

	CMPQ CX, $512
	JB   rows

eight:
	BEGIN
	VPXORQ    (SI), Z0, Z0
	VMOVDQU64 64(SI), Z1
	VMOVDQU64 128(SI), Z2
	VMOVDQU64 192(SI), Z3
	VMOVDQU64 256(SI), Z4
	VMOVDQU64 320(SI), Z5
	VMOVDQU64 384(SI), Z6
	VMOVDQU64 448(SI), Z7
	MULTIPLY(Z1, Z22)
	MULTIPLY(Z2, Z21)
	MULTIPLY(Z3, Z20)
	MULTIPLY(Z4, Z19)
	MULTIPLY(Z5, Z18)
	MULTIPLY(Z6, Z17)
	MULTIPLY(Z7, Z16)
	MULTIPLY(Z0, Z23)
	REDUCE
	ADDQ $512, SI
	SUBQ $512, CX
	CMPQ CX, $512
	JAE  eight

rows:
	CMPQ CX, $64
	JB   rest
	BEGIN
	VPXORQ (SI), Z0, Z0
	MULTIPLY(Z0, Z16)
	REDUCE
	ADDQ $64, SI
	SUBQ $64, CX
	JMP  rows

rest:
	TESTQ     CX, CX
	JZ        join
	MOVQ      $-1, AX
	BZHIQ     CX, AX, AX
	KMOVQ     AX, K1
	VMOVDQU8.Z (SI), K1, Z1
	BEGIN
	VPXORQ    Z1, Z0, Z0
	MULTIPLY(Z0, Z16)
	REDUCE

	// The sums are joined as four blocks would be, and the length is at a power that no block has.
join:
	VMOVQ     R8, X1
	VPXORQ    Z1, Z0, Z0
	VMOVDQU64 512(DI), Z16
	BEGIN
	MULTIPLY(Z0, Z16)
	REDUCE
	VEXTRACTI64X4 $1, Z0, Y1
	VPXOR         Y1, Y0, Y0
	VEXTRACTI128  $1, Y0, X1
	VPXOR         X1, X0, X0
	MOVQ          id+0(FP), AX
	VMOVDQU       X0, (AX)
	VZEROUPPER
	RET

// ADD_NARROW adds the product of the block in X1 and a power to X8, X9 and X10, as MULTIPLY does for four blocks.
#define ADD_NARROW(power) \
	VPCLMULQDQ $0x00, power(DI), X1, X12 \
	VPCLMULQDQ $0x11, power(DI), X1, X13 \
	VPCLMULQDQ $0x01, power(DI), X1, X14 \
	VPCLMULQDQ $0x10, power(DI), X1, X15 \
	VPXOR      X12, X8, X8               \
	VPXOR      X13, X9, X9               \
	VPXOR      X14, X10, X10             \
	VPXOR      X15, X10, X10

// NARROW is ADD_NARROW for a block of the text.
#define NARROW(at, power) \
	VMOVDQU at(SI), X1 \
	ADD_NARROW(power)

// LAST_NARROW is NARROW for the first block, to which the sum of those before it is added. It comes last, because that
// sum is known last.
#define LAST_NARROW(power) \
	VPXOR (SI), X0, X1 \
	ADD_NARROW(power)

// BEGIN_NARROW empties the products.
#define BEGIN_NARROW \
	VPXOR X8, X8, X8    \
	VPXOR X9, X9, X9    \
	VPXOR X10, X10, X10

// REDUCE_NARROW is REDUCE for one element.
#define REDUCE_NARROW \
	VPSLLDQ    $8, X10, X12        \
	VPSRLDQ    $8, X10, X13        \
	VPXOR      X12, X8, X8         \
	VPXOR      X13, X9, X9         \
	VPCLMULQDQ $0x01, X11, X9, X12 \
	VPSLLDQ    $8, X12, X13        \
	VPSRLDQ    $8, X12, X12        \
	VPXOR      X13, X8, X8         \
	VPXOR      X12, X9, X9         \
	VPCLMULQDQ $0x00, X11, X9, X12 \
	VPXOR      X12, X8, X0

// func addRows(sum *ID, text *byte, rows int, p *powers)
TEXT ·addRows(SB), NOSPLIT, $0-32
	MOVQ sum+0(FP), BX
	MOVQ text+8(FP), SI
	MOVQ rows+16(FP), CX
	MOVQ p+24(FP), DI

	MOVQ        $0x87, AX
	VMOVQ       AX, X11
	VPUNPCKLQDQ X11, X11, X11
	VMOVDQU     (BX), X0

	SUBQ $2, CX
	JB   one

two:
	BEGIN_NARROW
	NARROW(16, 592)
	NARROW(32, 608)
	NARROW(48, 624)
	NARROW(64, 512)
	NARROW(80, 528)
	NARROW(96, 544)
	NARROW(112, 560)
	LAST_NARROW(576)
	REDUCE_NARROW
	ADDQ $128, SI
	SUBQ $2, CX
	JAE  two

one:
	ADDQ $2, CX
	JZ   done
	BEGIN_NARROW
	NARROW(16, 528)
	NARROW(32, 544)
	NARROW(48, 560)
	LAST_NARROW(512)
	REDUCE_NARROW

done:
	VMOVDQU X0, (BX)
	RET
