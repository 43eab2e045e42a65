//go:build !purego

#include "textflag.h"

// Which second characters an escape may have without a further look, by low
// and by high nibble; a character is one when both rows share a bit.
DATA escLo<>+0(SB)/8, $0x00040008000d0000
DATA escLo<>+8(SB)/8, $0x0104000200000000
DATA escLo<>+16(SB)/8, $0x00040008000d0000
DATA escLo<>+24(SB)/8, $0x0104000200000000
GLOBL escLo<>(SB), RODATA|NOPTR, $32

DATA escHi<>+0(SB)/8, $0x0804020000010000
DATA escHi<>+8(SB)/8, $0x0000000000000000
DATA escHi<>+16(SB)/8, $0x0804020000010000
DATA escHi<>+24(SB)/8, $0x0000000000000000
GLOBL escHi<>(SB), RODATA|NOPTR, $32

DATA bytes<>+0(SB)/8, $0x0f1f5c22
GLOBL bytes<>(SB), RODATA|NOPTR, $8

// ESCAPED is escaped() of kernel.go: of the backslashes in BX and the carry in R8
// it makes R13, the mask of escaped characters, and the next carry in R8, and takes
// those characters out of the quotes in AX. R9 holds the even bits; BX and DX are
// lost. Where follows is made, the carry's bit is free.
#define ESCAPED \
	MOVQ R8, DX          \
	NOTQ DX              \
	ANDQ DX, BX          \
	LEAQ (R8)(BX*2), R13 \
	MOVQ R13, DX         \
	ORQ R9, DX           \
	NOTQ DX              \
	ANDQ BX, DX          \
	XORL R8, R8          \
	ADDQ BX, DX          \
	ADCQ $0, R8          \
	ADDQ DX, DX          \
	XORQ R9, DX          \
	ANDQ DX, R13         \
	MOVQ R13, DX         \
	NOTQ DX              \
	ANDQ DX, AX

// func masksAVX2(src *byte, n int, out *block, carry uint64) uint64
TEXT ·masksAVX2(SB), NOSPLIT, $0-40
	MOVQ src+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ out+16(FP), DI
	MOVQ carry+24(FP), R8
	VPBROADCASTB bytes<>+0(SB), Y15 // quote
	VPBROADCASTB bytes<>+1(SB), Y14 // backslash
	VPBROADCASTB bytes<>+2(SB), Y13 // last control character
	VPBROADCASTB bytes<>+3(SB), Y12 // nibble
	VMOVDQU escLo<>(SB), Y11
	VMOVDQU escHi<>(SB), Y10
	VPXOR Y9, Y9, Y9
	MOVQ $0x5555555555555555, R9

loop:
	VMOVDQU (SI), Y0
	VMOVDQU 32(SI), Y1

	VPCMPEQB Y0, Y15, Y2
	VPCMPEQB Y1, Y15, Y3
	VPMOVMSKB Y2, AX
	VPMOVMSKB Y3, DX
	SHLQ $32, DX
	ORQ DX, AX // quotes

	VPCMPEQB Y0, Y14, Y2
	VPCMPEQB Y1, Y14, Y3
	VPMOVMSKB Y2, BX
	VPMOVMSKB Y3, DX
	SHLQ $32, DX
	ORQ DX, BX // backslashes

	VPMINUB Y0, Y13, Y2
	VPMINUB Y1, Y13, Y3
	VPCMPEQB Y0, Y2, Y2
	VPCMPEQB Y1, Y3, Y3
	VPMOVMSKB Y2, R10
	VPMOVMSKB Y3, DX
	SHLQ $32, DX
	ORQ DX, R10 // control characters

	VPMOVMSKB Y0, R11
	VPMOVMSKB Y1, DX
	SHLQ $32, DX
	ORQ DX, R11 // not ASCII

	MOVQ BX, 8(DI)
	MOVQ R11, 24(DI)

	MOVQ BX, DX
	ORQ R8, DX
	JZ store

	ESCAPED

	VPSRLW $4, Y0, Y2
	VPSRLW $4, Y1, Y3
	VPAND Y12, Y2, Y2
	VPAND Y12, Y3, Y3
	VPSHUFB Y2, Y10, Y2
	VPSHUFB Y3, Y10, Y3
	VPSHUFB Y0, Y11, Y4
	VPSHUFB Y1, Y11, Y5
	VPAND Y4, Y2, Y2
	VPAND Y5, Y3, Y3
	VPCMPEQB Y9, Y2, Y2
	VPCMPEQB Y9, Y3, Y3
	VPMOVMSKB Y2, R12
	VPMOVMSKB Y3, DX
	SHLQ $32, DX
	ORQ DX, R12 // no plain second character
	ANDQ R13, R12
	ORQ R12, R10

store:
	MOVQ AX, (DI)
	MOVQ R10, 16(DI)
	ADDQ $64, SI
	ADDQ $32, DI
	DECQ CX
	JNZ loop

	VZEROUPPER
	MOVQ R8, ret+32(FP)
	RET

// func masksAVX512(src *byte, n int, out *block, carry uint64) uint64
TEXT ·masksAVX512(SB), NOSPLIT, $0-40
	MOVQ src+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ out+16(FP), DI
	MOVQ carry+24(FP), R8
	VPBROADCASTB bytes<>+0(SB), Z15 // quote
	VPBROADCASTB bytes<>+1(SB), Z14 // backslash
	VPBROADCASTB bytes<>+2(SB), Z13 // last control character
	VPBROADCASTB bytes<>+3(SB), Z12 // nibble
	VBROADCASTI32X4 escLo<>(SB), Z11
	VBROADCASTI32X4 escHi<>(SB), Z10
	MOVQ $0x5555555555555555, R9

loop:
	VMOVDQU64 (SI), Z0
	VPCMPEQB Z0, Z15, K1
	VPCMPEQB Z0, Z14, K2
	VPCMPUB $2, Z13, Z0, K3
	VPMOVB2M Z0, K4
	KMOVQ K1, AX // quotes
	KMOVQ K2, BX // backslashes
	KMOVQ K3, R10 // control characters
	KMOVQ K4, 24(DI) // not ASCII
	MOVQ BX, 8(DI)

	MOVQ BX, DX
	ORQ R8, DX
	JZ store

	ESCAPED

	VPSRLW $4, Z0, Z2
	VPANDQ Z12, Z2, Z2
	VPSHUFB Z2, Z10, Z2
	VPSHUFB Z0, Z11, Z3
	KMOVQ R13, K1
	VPTESTNMB Z2, Z3, K1, K2 // no plain second character
	KMOVQ K2, DX
	ORQ DX, R10

store:
	MOVQ AX, (DI)
	MOVQ R10, 16(DI)
	ADDQ $64, SI
	ADDQ $32, DI
	DECQ CX
	JNZ loop

	VZEROUPPER
	MOVQ R8, ret+32(FP)
	RET
