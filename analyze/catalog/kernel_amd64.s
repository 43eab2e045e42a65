//go:build !purego

#include "textflag.h"

// Offsets of the tables: each pair of nibble tables is 64 bytes, lo then hi.
#define CHAR 0
#define ODD0 64
#define ODD1 128
#define ODD2 192
#define CLUE0 256
#define CLUE1 320
#define CLUE2 384
#define CLUE3 448

DATA consts<>+0(SB)/8, $0x00000000201f2f0f
GLOBL consts<>(SB), RODATA|NOPTR, $8

// NIBBLES loads 32 bytes and splits them: low nibbles in LO, high ones in HI.
#define NIBBLES(OFF, LO, HI) \
	VMOVDQU OFF(SI), LO   \
	VPSRLW $4, LO, HI     \
	VPAND Y15, LO, LO     \
	VPAND Y15, HI, HI

// LOOK is the class of the nibbles in OUT, by the pair of tables at T; TMP is
// lost.
#define LOOK(T, LO, HI, OUT, TMP) \
	VMOVDQU T(DX), OUT     \
	VMOVDQU T+32(DX), TMP  \
	VPSHUFB LO, OUT, OUT   \
	VPSHUFB HI, TMP, TMP   \
	VPAND TMP, OUT, OUT

// HALF does 32 bytes at OFF and stores the masks as half H (0 or 4) of a block.
// Y2 gathers the character classes, Y4 the odd ones, Y5 the clues; Y7 has its
// high bits set where a slash or a colon follows. Stored in the order of block:
// piece, dot, colon, next, odd, clue.
#define HALF(OFF, H) \
	NIBBLES(OFF, Y0, Y1)                 \
	LOOK(CHAR, Y0, Y1, Y2, Y3)           \
	LOOK(ODD0, Y0, Y1, Y4, Y3)           \
	LOOK(CLUE0, Y0, Y1, Y5, Y3)          \
	NIBBLES((OFF+1), Y0, Y1)             \
	LOOK(ODD1, Y0, Y1, Y6, Y3)           \
	VPAND Y6, Y4, Y4                     \
	LOOK(CLUE1, Y0, Y1, Y6, Y3)          \
	VPAND Y6, Y5, Y5                     \
	LOOK(CHAR, Y0, Y1, Y6, Y3)           \
	VMOVDQU (OFF+1)(SI), Y7              \
	VPCMPEQB Y7, Y12, Y7                 \
	VPSLLW $1, Y6, Y6                    \
	VPOR Y6, Y7, Y7                      \
	NIBBLES((OFF+2), Y0, Y1)             \
	LOOK(ODD2, Y0, Y1, Y6, Y3)           \
	VPAND Y6, Y4, Y4                     \
	LOOK(CLUE2, Y0, Y1, Y6, Y3)          \
	VPAND Y6, Y5, Y5                     \
	NIBBLES((OFF+3), Y0, Y1)             \
	LOOK(CLUE3, Y0, Y1, Y6, Y3)          \
	VPAND Y6, Y5, Y5                     \
	VPAND Y13, Y2, Y6                    \
	VPCMPEQB Y14, Y6, Y6                 \
	VPMOVMSKB Y6, AX                     \
	NOTL AX                              \
	MOVL AX, (0+H)(DI)                   \
	VPSLLW $2, Y2, Y6                    \
	VPMOVMSKB Y6, AX                     \
	MOVL AX, (8+H)(DI)                   \
	VPSLLW $1, Y2, Y6                    \
	VPMOVMSKB Y6, AX                     \
	MOVL AX, (16+H)(DI)                  \
	VPMOVMSKB Y7, BX                     \
	ANDL BX, AX                          \
	MOVL AX, (24+H)(DI)                  \
	VPCMPEQB Y14, Y4, Y4                 \
	VPMOVMSKB Y4, AX                     \
	NOTL AX                              \
	MOVL AX, (32+H)(DI)                  \
	VPCMPEQB Y14, Y5, Y5                 \
	VPMOVMSKB Y5, AX                     \
	NOTL AX                              \
	MOVL AX, (40+H)(DI)

// func kernelAVX2(src *byte, n int, out *block, t *tables)
TEXT ·kernelAVX2(SB), NOSPLIT, $0-32
	MOVQ src+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ out+16(FP), DI
	MOVQ t+24(FP), DX
	VPBROADCASTB consts<>+0(SB), Y15 // nibble
	VPBROADCASTB consts<>+1(SB), Y12 // slash
	VPBROADCASTB consts<>+2(SB), Y13 // piece characters
	VPXOR Y14, Y14, Y14

loop:
	HALF(0, 0)
	HALF(32, 4)
	ADDQ $64, SI
	ADDQ $48, DI
	DECQ CX
	JNZ loop
	VZEROUPPER
	RET
