//go:build !purego

#include "textflag.h"

DATA marks<>+0(SB)/8, $0x000000000060755c
GLOBL marks<>(SB), RODATA|NOPTR, $8

// func unescapeAVX512(dst, src *byte, n int, letters *[64]byte) (wrote, read int)
//
// Decodes the content of a JSON string, 64 bytes at a time: the letter behind a
// backslash is looked up, and what is no backslash that escapes is moved together.
// It ends at a \u, or behind the last byte. Whole blocks are written: dst must
// have room for n+64 bytes.
TEXT ·unescapeAVX512(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ letters+24(FP), BX
	MOVQ DI, R14
	MOVQ SI, R15
	VPBROADCASTB marks<>+0(SB), Z10 // backslash
	VPBROADCASTB marks<>+1(SB), Z11 // u
	VPBROADCASTB marks<>+2(SB), Z12 // the first of the letters
	VMOVDQU64 (BX), Z13
	MOVQ $0x5555555555555555, R9
	XORL R8, R8 // 1 when the next byte is escaped
	MOVQ $-1, R11 // the bytes of the block in hand

loop:
	CMPQ CX, $64
	JLT  short
	VMOVDQU64 (SI), Z0
block:
	VPCMPEQB Z0, Z10, K1
	KMOVQ K1, AX // backslashes
	MOVQ AX, DX
	ORQ  R8, DX
	JNZ  escapes
	VMOVDQU64 Z0, (DI)
	ADDQ $64, SI
	ADDQ $64, DI
	SUBQ $64, CX
	JG   loop
	// The last block had -CX bytes less.
	ADDQ CX, SI
	ADDQ CX, DI
	JMP  done

escapes:
	// R13 = mask of escaped characters, R8 = next carry: see escaped() of package
	// jsonrpc.
	MOVQ R8, DX
	NOTQ DX
	MOVQ AX, R12
	ANDQ DX, R12
	LEAQ (R8)(R12*2), R13
	MOVQ R13, DX
	ORQ  R9, DX
	NOTQ DX
	ANDQ R12, DX
	MOVQ R8, R10
	XORL R8, R8
	ADDQ R12, DX
	ADCQ $0, R8
	ADDQ DX, DX
	XORQ R9, DX
	ANDQ DX, R13

	KMOVQ R13, K2
	VPCMPEQB Z0, Z11, K2, K3 // \u
	VPCMPUB $5, Z12, Z0, K2, K4 // letters
	VPERMB Z13, Z0, K4, Z0
	NOTQ R13
	ANDQ R13, AX // backslashes that escape
	NOTQ AX
	ANDQ R11, AX // what stays
	KORTESTQ K3, K3
	JNZ  unicode
	KMOVQ AX, K1
	VPCOMPRESSB Z0, K1, Z1
	VMOVDQU64 Z1, (DI)
	POPCNTQ AX, AX
	ADDQ AX, DI
	ADDQ $64, SI
	SUBQ $64, CX
	JG   loop
	ADDQ CX, SI
	JMP  done

unicode:
	KMOVQ K3, DX
	BSFQ DX, DX // the first u
	DECQ DX
	JS   before
	// Up to its backslash.
	MOVQ DX, CX
	MOVQ $1, R10
	SHLQ CX, R10
	DECQ R10
	ANDQ R10, AX
	KMOVQ AX, K1
	VPCOMPRESSB Z0, K1, Z1
	VMOVDQU64 Z1, (DI)
	POPCNTQ AX, AX
	ADDQ AX, DI
	ADDQ DX, SI
	JMP  done
before:
	DECQ SI // its backslash ended the block before, and was left out
done:
	VZEROUPPER
	SUBQ R14, DI
	SUBQ R15, SI
	MOVQ DI, wrote+32(FP)
	MOVQ SI, read+40(FP)
	RET

short:
	TESTQ CX, CX
	JLE  done
	MOVQ $1, R11
	SHLQ CX, R11
	DECQ R11
	KMOVQ R11, K1
	VMOVDQU8.Z (SI), K1, Z0
	JMP  block
