// SPDX-License-Identifier: Apache-2.0

#include "textflag.h"

// func outw(port, value uint16)
TEXT ·outw(SB), NOSPLIT, $0-4
	MOVW port+0(FP), DX
	MOVW value+2(FP), AX
	OUTW
	RET

// func insb(port uint16, to *byte, count int)
TEXT ·insb(SB), NOSPLIT, $0-24
	MOVW port+0(FP), DX
	MOVQ to+8(FP), DI
	MOVQ count+16(FP), CX
	CLD
	REP
	INSB
	RET
