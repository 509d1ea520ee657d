//go:build !purego

#include "go_asm.h"
#include "textflag.h"

// FILL makes a register with the same byte everywhere.
#define FILL(value, x, y) \
	MOVQ         $value, AX \
	VMOVQ        AX, x      \
	VPBROADCASTB x, y

// FIND makes the buckets of one byte of the grams: those of its lower half and those of its upper half.
#define FIND(offset, low, high, result) \
	VMOVDQU offset(SI)(AX*1), Y9 \
	VPAND   Y8, Y9, Y10          \
	VPSRLW  $4, Y9, Y9           \
	VPAND   Y8, Y9, Y9           \
	VPSHUFB Y10, low, Y10        \
	VPSHUFB Y9, high, Y9         \
	VPAND   Y9, Y10, result

// PICK makes the buckets of one byte of the grams in Y12. Bits 4 and 6 of the byte select one of four rows, and its
// lower half is the place in the row. Two of the rows are in registers.
#define PICK(offset, third, fourth) \
	VMOVDQU        offset(SI)(AX*1), Y9                \
	VPAND          Y8, Y9, Y10                         \
	VBROADCASTI128 (sieve_rows+64*offset)(DI), Y12     \
	VBROADCASTI128 (sieve_rows+64*offset+16)(DI), Y13  \
	VPSHUFB        Y10, Y12, Y12                       \
	VPSHUFB        Y10, Y13, Y13                       \
	VPSHUFB        Y10, third, Y14                     \
	VPSHUFB        Y10, fourth, Y10                    \
	VPSLLW         $3, Y9, Y15                         \
	VPSLLW         $1, Y9, Y9                          \
	VPBLENDVB      Y15, Y13, Y12, Y12                  \
	VPBLENDVB      Y15, Y10, Y14, Y14                  \
	VPBLENDVB      Y9, Y14, Y12, Y12

// TAKE writes the place of the lowest bit of DX to the list, and clears the bit. Without a bit it writes anything.
#define TAKE(n) \
	TZCNTL DX, R10        \
	ADDL   AX, R10        \
	MOVW   R10, (2*n)(R8) \
	BLSRL  DX, DX

// SEEN looks a slot up, which is the upper bits of gram times R14, in a table of bits. The bit is the lowest of result.
#define SEEN(gram, offset, result) \
	IMULL R14, gram                  \
	SHRL  $const_seenShift, gram     \
	MOVL  gram, CX                   \
	SHRL  $5, gram                   \
	SHRXL CX, offset(DI)(gram*4), result

// LOOK keeps those places of a list whose slot is seen, and returns how many there are. R8 is the end of the list.
#define LOOK \
	VZEROUPPER                          \
	MOVQ    places+24(FP), R9           \
	MOVQ    R9, BX                      \
	MOVL    $0x9e3779b1, R14            \
	CMPQ    R9, R8                      \
	JEQ     done                        \
place:                                  \
	MOVWLZX (R9), R10                   \
	MOVW    R10, (BX)                   \
	MOVL    (SI)(R10*1), R11            \
	ORL     $0x20202020, R11            \
	MOVL    R11, R12                    \
	ANDL    $0xffffff, R12              \
	SEEN(R11, (sieve_seen+const_seenBytes), R13) \
	SEEN(R12, sieve_seen, DX)           \
	ORL     DX, R13                     \
	ANDL    $1, R13                     \
	LEAQ    (BX)(R13*2), BX             \
	ADDQ    $2, R9                      \
	CMPQ    R9, R8                      \
	JNE     place                       \
done:                                   \
	SUBQ    places+24(FP), BX           \
	SHRQ    $1, BX                      \
	MOVQ    BX, n+32(FP)                \
	RET

// func siftBlocks(text *byte, blocks int, s *sieve, places *[siftPlaces]uint16) (n int)
TEXT ·siftBlocks(SB), NOSPLIT, $0-40
	MOVQ text+0(FP), SI
	MOVQ blocks+8(FP), CX
	MOVQ s+16(FP), DI
	MOVQ places+24(FP), R8

	VBROADCASTI128 (sieve_rows+32)(DI), Y0
	VBROADCASTI128 (sieve_rows+48)(DI), Y1
	VBROADCASTI128 (sieve_rows+96)(DI), Y2
	VBROADCASTI128 (sieve_rows+112)(DI), Y3
	VBROADCASTI128 (sieve_rows+160)(DI), Y4
	VBROADCASTI128 (sieve_rows+176)(DI), Y5
	VBROADCASTI128 (sieve_rows+224)(DI), Y6
	VBROADCASTI128 (sieve_rows+240)(DI), Y7
	FILL(0x0f, X8, Y8)
	XORQ AX, AX

	// Every place that the tables let through goes to the list. A jump that depended on how many there are would be
	// predicted wrongly most of the time, so four are always written, and only those that exist are counted.
block:
	PICK(0, Y0, Y1)
	VMOVDQA   Y12, Y11
	PICK(1, Y2, Y3)
	VPAND     Y12, Y11, Y11
	PICK(2, Y4, Y5)
	VPAND     Y12, Y11, Y11
	PICK(3, Y6, Y7)
	VPAND     Y12, Y11, Y11
	VPXOR     Y12, Y12, Y12
	VPCMPEQB  Y12, Y11, Y11
	VPMOVMSKB Y11, DX
	NOTL      DX
	POPCNTL   DX, R9
	LEAQ      (R8)(R9*2), R9
	TAKE(0)
	TAKE(1)
	TAKE(2)
	TAKE(3)
	TESTL     DX, DX
	JNZ       more

next:
	MOVQ R9, R8
	ADDQ $32, AX
	DECQ CX
	JNZ  block
	JMP  look

more:
	ADDQ $8, R8

another:
	TAKE(0)
	ADDQ  $2, R8
	TESTL DX, DX
	JNZ   another
	JMP   next

look:
	LOOK

// CLASS makes the classes of the bytes of a block in the lower halves of words, with other bits above them.
#define CLASS(offset, text, result) \
	VMOVDQU64  offset(SI)(AX*1), text \
	VPSRLW     $1, text, result       \
	VPTERNLOGD $0xd8, Z14, text, result

// TAKE_WIDE is TAKE for blocks of 64 places.
#define TAKE_WIDE(n) \
	TZCNTQ DX, R10        \
	ADDL   AX, R10        \
	MOVW   R10, (2*n)(R8) \
	BLSRQ  DX, DX

// func siftAVX512(text *byte, blocks int, s *sieve, places *[siftPlaces]uint16) (n int)
//
// Z0 to Z7 are the wide tables. Words are looked up, so a block is looked at twice: Z8 to Z11 are for its even places,
// Z9 to Z12 for its odd ones.
TEXT ·siftAVX512(SB), NOSPLIT, $0-40
	MOVQ text+0(FP), SI
	MOVQ blocks+8(FP), CX
	MOVQ s+16(FP), DI
	MOVQ places+24(FP), R8

	VMOVDQU64    sieve_wide(DI), Z0
	VMOVDQU64    (sieve_wide+64)(DI), Z1
	VMOVDQU64    (sieve_wide+128)(DI), Z2
	VMOVDQU64    (sieve_wide+192)(DI), Z3
	VMOVDQU64    (sieve_wide+256)(DI), Z4
	VMOVDQU64    (sieve_wide+320)(DI), Z5
	VMOVDQU64    (sieve_wide+384)(DI), Z6
	VMOVDQU64    (sieve_wide+448)(DI), Z7
	MOVL         $0x1f, AX
	VPBROADCASTB AX, Z14
	MOVQ         $0x5555555555555555, R11
	MOVQ         R11, R12
	NOTQ         R12
	XORQ         AX, AX

	// As with narrow blocks, four places are always written.
block:
	CLASS(0, Z13, Z8)
	CLASS(1, Z13, Z9)
	CLASS(2, Z13, Z10)
	CLASS(3, Z13, Z11)
	CLASS(4, Z13, Z12)
	VMOVDQA64  Z9, Z15
	VMOVDQA64  Z10, Z16
	VMOVDQA64  Z11, Z17
	VPERMI2W   Z1, Z0, Z8
	VPERMI2W   Z3, Z2, Z15
	VPERMI2W   Z5, Z4, Z16
	VPERMI2W   Z7, Z6, Z17
	VPERMI2W   Z1, Z0, Z9
	VPERMI2W   Z3, Z2, Z10
	VPERMI2W   Z5, Z4, Z11
	VPERMI2W   Z7, Z6, Z12
	VPTERNLOGD $0x80, Z8, Z15, Z16
	VPTERNLOGD $0x80, Z9, Z10, Z11
	VPTESTMW   Z16, Z17, K1
	VPTESTMW   Z11, Z12, K2
	KMOVD      K1, DX
	KMOVD      K2, R13
	PDEPQ      R11, DX, DX
	PDEPQ      R12, R13, R13
	ORQ        R13, DX
	POPCNTQ    DX, R9
	LEAQ       (R8)(R9*2), R9
	TAKE_WIDE(0)
	TAKE_WIDE(1)
	TAKE_WIDE(2)
	TAKE_WIDE(3)
	TESTQ      DX, DX
	JNZ        more

next:
	MOVQ R9, R8
	ADDQ $64, AX
	DECQ CX
	JNZ  block
	JMP  look

more:
	ADDQ $8, R8

another:
	TAKE_WIDE(0)
	ADDQ  $2, R8
	TESTQ DX, DX
	JNZ   another
	JMP   next

look:
	LOOK

// DEEP adds what one group of tables lets through to Z8: the places at which all four bytes of a gram may be. The first
// group begins it.
#define DEEP(first, second, third, fourth) \
	VPERMB     first, Z0, Z4     \
	VPERMB     second, Z1, Z5    \
	VPERMB     third, Z2, Z6     \
	VPERMB     fourth, Z3, Z7    \
	VPTERNLOGD $0x80, Z4, Z5, Z6 \
	VPTERNLOGD $0xf8, Z6, Z7, Z8

// func siftVBMI(text *byte, blocks int, s *sieve, places *[siftPlaces]uint16) (n int)
//
// Z16 to Z31 are the deep tables, four groups for each byte of a gram.
TEXT ·siftVBMI(SB), NOSPLIT, $0-40
	MOVQ text+0(FP), SI
	MOVQ blocks+8(FP), CX
	MOVQ s+16(FP), DI
	MOVQ places+24(FP), R8

	VMOVDQU64    sieve_deep(DI), Z16
	VMOVDQU64    (sieve_deep+64)(DI), Z17
	VMOVDQU64    (sieve_deep+128)(DI), Z18
	VMOVDQU64    (sieve_deep+192)(DI), Z19
	VMOVDQU64    (sieve_deep+256)(DI), Z20
	VMOVDQU64    (sieve_deep+320)(DI), Z21
	VMOVDQU64    (sieve_deep+384)(DI), Z22
	VMOVDQU64    (sieve_deep+448)(DI), Z23
	VMOVDQU64    (sieve_deep+512)(DI), Z24
	VMOVDQU64    (sieve_deep+576)(DI), Z25
	VMOVDQU64    (sieve_deep+640)(DI), Z26
	VMOVDQU64    (sieve_deep+704)(DI), Z27
	VMOVDQU64    (sieve_deep+768)(DI), Z28
	VMOVDQU64    (sieve_deep+832)(DI), Z29
	VMOVDQU64    (sieve_deep+896)(DI), Z30
	VMOVDQU64    (sieve_deep+960)(DI), Z31
	MOVL         $0x1f, AX
	VPBROADCASTB AX, Z14
	XORQ         AX, AX

	// As with narrow blocks, four places are always written.
block:
	CLASS(0, Z13, Z0)
	CLASS(1, Z12, Z1)
	CLASS(2, Z11, Z2)
	CLASS(3, Z10, Z3)
	VPXORQ   Z8, Z8, Z8
	DEEP(Z16, Z20, Z24, Z28)
	DEEP(Z17, Z21, Z25, Z29)
	DEEP(Z18, Z22, Z26, Z30)
	DEEP(Z19, Z23, Z27, Z31)
	VPTESTMB Z8, Z8, K1
	KMOVQ    K1, DX
	POPCNTQ  DX, R9
	LEAQ     (R8)(R9*2), R9
	TAKE_WIDE(0)
	TAKE_WIDE(1)
	TAKE_WIDE(2)
	TAKE_WIDE(3)
	TESTQ    DX, DX
	JNZ      more

next:
	MOVQ R9, R8
	ADDQ $64, AX
	DECQ CX
	JNZ  block
	JMP  look

more:
	ADDQ $8, R8

another:
	TAKE_WIDE(0)
	ADDQ  $2, R8
	TESTQ DX, DX
	JNZ   another
	JMP   next

look:
	LOOK

// CLASSES adds the masks of 32 bytes to R11, R12 and R13: those that are not in base64, those that are not low, and
// backslashes.
#define CLASSES(offset) \
	FIND(offset, Y0, Y1, Y11)          \
	VPCMPEQB  Y15, Y11, Y12            \
	VPMOVMSKB Y12, R14                 \
	ORQ       R14, R11                 \
	VPAND     Y6, Y11, Y11             \
	VPCMPEQB  Y15, Y11, Y11            \
	VPMOVMSKB Y11, R14                 \
	ORQ       R14, R12                 \
	VPCMPEQB  offset(SI)(AX*1), Y7, Y9 \
	VPMOVMSKB Y9, R14                  \
	ORQ       R14, R13

// BEGIN_WORDS makes a bit in R14 for each byte of a block that begins a word that may be base64 of a text. R8, R9 and R10
// are the bytes of base64, the low ones and the backslashes of the block, and R11, R12 and R13 those of the block after
// it. BX, DX and DI have what the last byte before the block says: it is in base64, it is a backslash, or it is the
// letter of an escape.
//
// A word begins with a byte of base64 after another byte, or with the next if that is an escape. The byte and those 4, 8,
// 12 and 16 bytes after it are low.
#define BEGIN_WORDS \
	LEAQ (BX)(R8*2), R14  \
	NOTQ R14              \
	ANDQ R8, R14          \
	LEAQ (DX)(R10*2), DX  \
	ANDQ R14, DX          \
	XORQ DX, R14          \
	LEAQ (DI)(DX*2), DI   \
	ORQ  DI, R14          \
	MOVQ R8, BX           \
	MOVQ DX, DI           \
	MOVQ R10, DX          \
	SHRQ $63, BX          \
	SHRQ $63, DI          \
	SHRQ $63, DX          \
	MOVQ R9, R8           \
	SHRQ $4, R12, R8      \
	ANDQ R9, R8           \
	MOVQ R12, R10         \
	SHRQ $4, R10          \
	ANDQ R12, R10         \
	ANDQ R8, R14          \
	SHRQ $8, R10, R8      \
	ANDQ R8, R14          \
	SHRQ $16, R12, R9     \
	ANDQ R9, R14

// NEXT_BLOCK goes on with the block after the one in which words were looked for.
#define NEXT_BLOCK \
	MOVQ R11, R8  \
	MOVQ R12, R9  \
	MOVQ R13, R10 \
	ADDQ $64, AX  \
	DECQ CX

// NO_BLOCK begins without a block.
#define NO_BLOCK \
	XORQ AX, AX   \
	XORQ BX, BX   \
	XORQ DX, DX   \
	XORQ DI, DI   \
	XORQ R8, R8   \
	XORQ R9, R9   \
	XORQ R10, R10

// func wordInBlocks(text *byte, blocks int, classes *[3][16]byte) (at int)
TEXT ·wordInBlocks(SB), NOSPLIT, $0-32
	MOVQ text+0(FP), SI
	MOVQ blocks+8(FP), CX
	MOVQ classes+16(FP), DI

	VBROADCASTI128 (DI), Y0
	VBROADCASTI128 16(DI), Y1
	VBROADCASTI128 32(DI), Y6
	FILL(0x5c, X7, Y7)
	FILL(0x0f, X8, Y8)
	VPXOR Y15, Y15, Y15
	NO_BLOCK

block:
	XORQ R11, R11
	XORQ R12, R12
	XORQ R13, R13
	CLASSES(32)
	SHLQ $32, R11
	SHLQ $32, R12
	SHLQ $32, R13
	CLASSES(0)
	NOTQ R11
	NOTQ R12
	BEGIN_WORDS
	JNZ  word
	NEXT_BLOCK
	JNZ  block
	MOVQ $-1, AX
	JMP  done

word:
	TZCNTQ R14, R14
	LEAQ   -64(AX)(R14*1), AX

done:
	MOVQ AX, at+24(FP)
	VZEROUPPER
	RET

// func wordInBlocksAVX512(text *byte, blocks int, classes *[3][16]byte) (at int)
TEXT ·wordInBlocksAVX512(SB), NOSPLIT, $0-32
	MOVQ text+0(FP), SI
	MOVQ blocks+8(FP), CX
	MOVQ classes+16(FP), DI

	VBROADCASTI32X4 (DI), Z4
	VBROADCASTI32X4 16(DI), Z5
	VBROADCASTI32X4 32(DI), Z6
	MOVL            $0x5c, AX
	VPBROADCASTB    AX, Z7
	MOVL            $0x0f, AX
	VPBROADCASTB    AX, Z8
	NO_BLOCK

block:
	VMOVDQU64 (SI)(AX*1), Z0
	VPANDQ    Z8, Z0, Z1
	VPSRLW    $4, Z0, Z2
	VPANDQ    Z8, Z2, Z2
	VPSHUFB   Z1, Z4, Z1
	VPSHUFB   Z2, Z5, Z2
	VPTESTMB  Z2, Z1, K2
	VPANDQ    Z6, Z1, Z1
	VPTESTMB  Z2, Z1, K3
	VPCMPEQB  Z7, Z0, K4
	KMOVQ     K2, R11
	KMOVQ     K3, R12
	KMOVQ     K4, R13
	BEGIN_WORDS
	JNZ       word
	NEXT_BLOCK
	JNZ       block
	MOVQ      $-1, AX
	JMP       done

word:
	TZCNTQ R14, R14
	LEAQ   -64(AX)(R14*1), AX

done:
	MOVQ AX, at+24(FP)
	VZEROUPPER
	RET
