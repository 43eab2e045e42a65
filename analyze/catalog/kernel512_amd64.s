//go:build !purego

#include "textflag.h"

DATA wide<>+0(SB)/8, $0x000040201f3a2f0f
GLOBL wide<>(SB), RODATA|NOPTR, $8

// PAIR loads a pair of tables, lo then hi, into four lanes each. The offsets are
// those of kernel_amd64.s.
#define PAIR(OFF, LO, HI) \
	VBROADCASTI32X4 OFF(DX), LO       \
	VBROADCASTI32X4 (OFF+32)(DX), HI

// NIBBLES loads 64 bytes and splits them: low nibbles in Z0, high ones in Z1.
#define NIBBLES(OFF) \
	VMOVDQU64 OFF(SI), Z0  \
	VPSRLW $4, Z0, Z1      \
	VPANDQ Z15, Z0, Z0     \
	VPANDQ Z15, Z1, Z1

// LOOK is the class of the nibbles in OUT; NEXT leaves in OUT what the class shares
// with what is there. Z5 and Z6 are lost.
#define LOOK(LO, HI, OUT) \
	VPSHUFB Z0, LO, OUT    \
	VPSHUFB Z1, HI, Z5     \
	VPANDQ Z5, OUT, OUT
#define NEXT(LO, HI, OUT) \
	VPSHUFB Z0, LO, Z5     \
	VPSHUFB Z1, HI, Z6     \
	VPTERNLOGQ $0x80, Z6, Z5, OUT

// func kernelAVX512(src *byte, n int, out *block, t *tables)
TEXT ·kernelAVX512(SB), NOSPLIT, $0-32
	MOVQ src+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ out+16(FP), DI
	MOVQ t+24(FP), DX
	VPBROADCASTB wide<>+0(SB), Z15 // nibble
	VPBROADCASTB wide<>+1(SB), Z14 // slash
	VPBROADCASTB wide<>+2(SB), Z13 // colon
	VPBROADCASTB wide<>+3(SB), Z12 // classes of piece characters
	VPBROADCASTB wide<>+4(SB), Z11 // class of the dot
	VPBROADCASTB wide<>+5(SB), Z10 // class of the colon
	PAIR(0, Z16, Z17)    // characters
	PAIR(64, Z18, Z19)   // odd sequences, byte by byte
	PAIR(128, Z20, Z21)
	PAIR(192, Z22, Z23)
	PAIR(256, Z24, Z25)  // clues, byte by byte
	PAIR(320, Z26, Z27)
	PAIR(384, Z28, Z29)
	PAIR(448, Z30, Z31)

loop:
	NIBBLES(0)
	LOOK(Z16, Z17, Z2)
	LOOK(Z18, Z19, Z3)
	LOOK(Z24, Z25, Z4)
	VPTESTMB Z12, Z2, K1
	VPTESTMB Z11, Z2, K2
	VPTESTMB Z10, Z2, K3
	NIBBLES(1)
	NEXT(Z20, Z21, Z3)
	NEXT(Z26, Z27, Z4)
	VMOVDQU64 1(SI), Z7
	VPCMPEQB Z7, Z14, K3, K4 // a colon before a slash
	VPCMPEQB Z7, Z13, K3, K5 // or a colon
	KORQ K4, K5, K4
	NIBBLES(2)
	NEXT(Z22, Z23, Z3)
	NEXT(Z28, Z29, Z4)
	VPTESTMB Z3, Z3, K5
	NIBBLES(3)
	NEXT(Z30, Z31, Z4)
	VPTESTMB Z4, Z4, K6
	// In the order of block.
	KMOVQ K1, 0(DI)
	KMOVQ K2, 8(DI)
	KMOVQ K3, 16(DI)
	KMOVQ K4, 24(DI)
	KMOVQ K5, 32(DI)
	KMOVQ K6, 40(DI)
	ADDQ $64, SI
	ADDQ $48, DI
	DECQ CX
	JNZ loop
	VZEROUPPER
	RET
