//go:build !purego

#include "textflag.h"

// func unescapeAVX2(dst, src *byte, n int, simple *[256]byte) (wrote, read int)
//
// Decodes the content of a JSON string, 32 bytes at a time between backslashes,
// until an escape that simple has no byte for (a \u) or until fewer than 32
// bytes are left. Whole blocks are written: dst must have room for n+32 bytes.
TEXT ·unescapeAVX2(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ simple+24(FP), BX
	MOVQ DI, R8
	MOVQ SI, R9
	LEAQ -32(SI)(CX*1), R10 // the last place that a block can be read at
	MOVQ $0x5c, DX
	MOVQ DX, X1
	VPBROADCASTB X1, Y1
	JMP  test
found:
	BSFL DX, DX
	ADDQ DX, SI
	ADDQ DX, DI
	CMPQ SI, R10
	JG   done
	MOVBLZX 1(SI), AX
	MOVBLZX (BX)(AX*1), AX
	TESTL AX, AX
	JZ   done
	MOVB AX, (DI)
	INCQ DI
	ADDQ $2, SI
test:
	CMPQ SI, R10
	JG   done
loop:
	VMOVDQU (SI), Y0
	VPCMPEQB Y0, Y1, Y2
	VMOVDQU Y0, (DI)
	VPMOVMSKB Y2, DX
	TESTL DX, DX
	JNZ  found
	ADDQ $32, SI
	ADDQ $32, DI
	CMPQ SI, R10
	JLE  loop
done:
	VZEROUPPER
	SUBQ R8, DI
	SUBQ R9, SI
	MOVQ DI, wrote+32(FP)
	MOVQ SI, read+40(FP)
	RET
