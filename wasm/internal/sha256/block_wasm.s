#include "textflag.h"

// SHA-256 compression (FIPS 180-4, section 6.2.2) for WebAssembly.
//
// R0-R7 hold a-h, R8 the state, R9 the message, R10 the blocks left; R11 and
// R12 are scratch. Registers are 64-bit locals whose upper half is zero, so the
// engine drops every wrap and extend. The 16 words of the message schedule in
// use lie in the frame, at 0(SP) to 60(SP).

#define GET(r) Get r; I32WrapI64
#define SET(r) I64ExtendI32U; Set r
#define WORD32(i) Get SP; I32Load $(4*(i))

// ROT3 leaves r>>>x ^ r>>>y ^ (r op z) on the stack.
#define ROT3(r, x, y, op, z) \
	GET(r); I32Const $x; I32Rotr; \
	GET(r); I32Const $y; I32Rotr; I32Xor; \
	GET(r); I32Const $z; op; I32Xor

// LOAD reads message word i in big-endian order.
#define LOAD(i) \
	Get SP; \
	GET(R9); I32Load $(4*(i)); SET(R11); \
	GET(R11); I32Const $8; I32Rotl; I32Const $0x00FF00FF; I32And; \
	GET(R11); I32Const $8; I32Rotr; I32Const $-0x00FF0100; I32And; \
	I32Or; I32Store $(4*(i))

// SCHEDULE turns word i, modulo 16, into the one 16 rounds later: i2, i7 and i15
// are the words 2, 7 and 15 before that.
#define SCHEDULE(i, i2, i7, i15) \
	Get SP; \
	WORD32(i2); SET(R11); \
	WORD32(i15); SET(R12); \
	ROT3(R11, 17, 19, I32ShrU, 10); \
	ROT3(R12, 7, 18, I32ShrU, 3); I32Add; \
	WORD32(i7); I32Add; \
	WORD32(i); I32Add; \
	I32Store $(4*(i))

// ROUND is one round; the caller turns the names of the registers.
#define ROUND(a, b, c, d, e, f, g, h, i, k) \
	WORD32(i); \
	I64Const $k; I32WrapI64; I32Add; \
	GET(h); I32Add; \
	ROT3(e, 6, 11, I32Rotr, 25); I32Add; \
	GET(f); GET(g); I32Xor; GET(e); I32And; GET(g); I32Xor; I32Add; \
	SET(R11); \
	GET(d); GET(R11); I32Add; SET(d); \
	ROT3(a, 2, 13, I32Rotr, 22); \
	GET(a); GET(b); I32Or; GET(c); I32And; GET(a); GET(b); I32And; I32Or; I32Add; \
	GET(R11); I32Add; SET(h)

#define FETCH(r, i) GET(R8); I32Load $(4*(i)); SET(r)
#define ADDTO(r, i) GET(R8); GET(R8); I32Load $(4*(i)); GET(r); I32Add; I32Store $(4*(i))

// func compress(s *State, p *byte, n int)
TEXT ·compress(SB), NOSPLIT, $64-24
	MOVD s+0(FP), R8
	MOVD p+8(FP), R9
	MOVD n+16(FP), R10
	Loop
	LOAD(0)
	LOAD(1)
	LOAD(2)
	LOAD(3)
	LOAD(4)
	LOAD(5)
	LOAD(6)
	LOAD(7)
	LOAD(8)
	LOAD(9)
	LOAD(10)
	LOAD(11)
	LOAD(12)
	LOAD(13)
	LOAD(14)
	LOAD(15)
	FETCH(R0, 0)
	FETCH(R1, 1)
	FETCH(R2, 2)
	FETCH(R3, 3)
	FETCH(R4, 4)
	FETCH(R5, 5)
	FETCH(R6, 6)
	FETCH(R7, 7)
	ROUND(R0, R1, R2, R3, R4, R5, R6, R7, 0, 0x428a2f98)
	ROUND(R7, R0, R1, R2, R3, R4, R5, R6, 1, 0x71374491)
	ROUND(R6, R7, R0, R1, R2, R3, R4, R5, 2, 0xb5c0fbcf)
	ROUND(R5, R6, R7, R0, R1, R2, R3, R4, 3, 0xe9b5dba5)
	ROUND(R4, R5, R6, R7, R0, R1, R2, R3, 4, 0x3956c25b)
	ROUND(R3, R4, R5, R6, R7, R0, R1, R2, 5, 0x59f111f1)
	ROUND(R2, R3, R4, R5, R6, R7, R0, R1, 6, 0x923f82a4)
	ROUND(R1, R2, R3, R4, R5, R6, R7, R0, 7, 0xab1c5ed5)
	ROUND(R0, R1, R2, R3, R4, R5, R6, R7, 8, 0xd807aa98)
	ROUND(R7, R0, R1, R2, R3, R4, R5, R6, 9, 0x12835b01)
	ROUND(R6, R7, R0, R1, R2, R3, R4, R5, 10, 0x243185be)
	ROUND(R5, R6, R7, R0, R1, R2, R3, R4, 11, 0x550c7dc3)
	ROUND(R4, R5, R6, R7, R0, R1, R2, R3, 12, 0x72be5d74)
	ROUND(R3, R4, R5, R6, R7, R0, R1, R2, 13, 0x80deb1fe)
	ROUND(R2, R3, R4, R5, R6, R7, R0, R1, 14, 0x9bdc06a7)
	ROUND(R1, R2, R3, R4, R5, R6, R7, R0, 15, 0xc19bf174)
	SCHEDULE(0, 14, 9, 1)
	ROUND(R0, R1, R2, R3, R4, R5, R6, R7, 0, 0xe49b69c1)
	SCHEDULE(1, 15, 10, 2)
	ROUND(R7, R0, R1, R2, R3, R4, R5, R6, 1, 0xefbe4786)
	SCHEDULE(2, 0, 11, 3)
	ROUND(R6, R7, R0, R1, R2, R3, R4, R5, 2, 0x0fc19dc6)
	SCHEDULE(3, 1, 12, 4)
	ROUND(R5, R6, R7, R0, R1, R2, R3, R4, 3, 0x240ca1cc)
	SCHEDULE(4, 2, 13, 5)
	ROUND(R4, R5, R6, R7, R0, R1, R2, R3, 4, 0x2de92c6f)
	SCHEDULE(5, 3, 14, 6)
	ROUND(R3, R4, R5, R6, R7, R0, R1, R2, 5, 0x4a7484aa)
	SCHEDULE(6, 4, 15, 7)
	ROUND(R2, R3, R4, R5, R6, R7, R0, R1, 6, 0x5cb0a9dc)
	SCHEDULE(7, 5, 0, 8)
	ROUND(R1, R2, R3, R4, R5, R6, R7, R0, 7, 0x76f988da)
	SCHEDULE(8, 6, 1, 9)
	ROUND(R0, R1, R2, R3, R4, R5, R6, R7, 8, 0x983e5152)
	SCHEDULE(9, 7, 2, 10)
	ROUND(R7, R0, R1, R2, R3, R4, R5, R6, 9, 0xa831c66d)
	SCHEDULE(10, 8, 3, 11)
	ROUND(R6, R7, R0, R1, R2, R3, R4, R5, 10, 0xb00327c8)
	SCHEDULE(11, 9, 4, 12)
	ROUND(R5, R6, R7, R0, R1, R2, R3, R4, 11, 0xbf597fc7)
	SCHEDULE(12, 10, 5, 13)
	ROUND(R4, R5, R6, R7, R0, R1, R2, R3, 12, 0xc6e00bf3)
	SCHEDULE(13, 11, 6, 14)
	ROUND(R3, R4, R5, R6, R7, R0, R1, R2, 13, 0xd5a79147)
	SCHEDULE(14, 12, 7, 15)
	ROUND(R2, R3, R4, R5, R6, R7, R0, R1, 14, 0x06ca6351)
	SCHEDULE(15, 13, 8, 0)
	ROUND(R1, R2, R3, R4, R5, R6, R7, R0, 15, 0x14292967)
	SCHEDULE(0, 14, 9, 1)
	ROUND(R0, R1, R2, R3, R4, R5, R6, R7, 0, 0x27b70a85)
	SCHEDULE(1, 15, 10, 2)
	ROUND(R7, R0, R1, R2, R3, R4, R5, R6, 1, 0x2e1b2138)
	SCHEDULE(2, 0, 11, 3)
	ROUND(R6, R7, R0, R1, R2, R3, R4, R5, 2, 0x4d2c6dfc)
	SCHEDULE(3, 1, 12, 4)
	ROUND(R5, R6, R7, R0, R1, R2, R3, R4, 3, 0x53380d13)
	SCHEDULE(4, 2, 13, 5)
	ROUND(R4, R5, R6, R7, R0, R1, R2, R3, 4, 0x650a7354)
	SCHEDULE(5, 3, 14, 6)
	ROUND(R3, R4, R5, R6, R7, R0, R1, R2, 5, 0x766a0abb)
	SCHEDULE(6, 4, 15, 7)
	ROUND(R2, R3, R4, R5, R6, R7, R0, R1, 6, 0x81c2c92e)
	SCHEDULE(7, 5, 0, 8)
	ROUND(R1, R2, R3, R4, R5, R6, R7, R0, 7, 0x92722c85)
	SCHEDULE(8, 6, 1, 9)
	ROUND(R0, R1, R2, R3, R4, R5, R6, R7, 8, 0xa2bfe8a1)
	SCHEDULE(9, 7, 2, 10)
	ROUND(R7, R0, R1, R2, R3, R4, R5, R6, 9, 0xa81a664b)
	SCHEDULE(10, 8, 3, 11)
	ROUND(R6, R7, R0, R1, R2, R3, R4, R5, 10, 0xc24b8b70)
	SCHEDULE(11, 9, 4, 12)
	ROUND(R5, R6, R7, R0, R1, R2, R3, R4, 11, 0xc76c51a3)
	SCHEDULE(12, 10, 5, 13)
	ROUND(R4, R5, R6, R7, R0, R1, R2, R3, 12, 0xd192e819)
	SCHEDULE(13, 11, 6, 14)
	ROUND(R3, R4, R5, R6, R7, R0, R1, R2, 13, 0xd6990624)
	SCHEDULE(14, 12, 7, 15)
	ROUND(R2, R3, R4, R5, R6, R7, R0, R1, 14, 0xf40e3585)
	SCHEDULE(15, 13, 8, 0)
	ROUND(R1, R2, R3, R4, R5, R6, R7, R0, 15, 0x106aa070)
	SCHEDULE(0, 14, 9, 1)
	ROUND(R0, R1, R2, R3, R4, R5, R6, R7, 0, 0x19a4c116)
	SCHEDULE(1, 15, 10, 2)
	ROUND(R7, R0, R1, R2, R3, R4, R5, R6, 1, 0x1e376c08)
	SCHEDULE(2, 0, 11, 3)
	ROUND(R6, R7, R0, R1, R2, R3, R4, R5, 2, 0x2748774c)
	SCHEDULE(3, 1, 12, 4)
	ROUND(R5, R6, R7, R0, R1, R2, R3, R4, 3, 0x34b0bcb5)
	SCHEDULE(4, 2, 13, 5)
	ROUND(R4, R5, R6, R7, R0, R1, R2, R3, 4, 0x391c0cb3)
	SCHEDULE(5, 3, 14, 6)
	ROUND(R3, R4, R5, R6, R7, R0, R1, R2, 5, 0x4ed8aa4a)
	SCHEDULE(6, 4, 15, 7)
	ROUND(R2, R3, R4, R5, R6, R7, R0, R1, 6, 0x5b9cca4f)
	SCHEDULE(7, 5, 0, 8)
	ROUND(R1, R2, R3, R4, R5, R6, R7, R0, 7, 0x682e6ff3)
	SCHEDULE(8, 6, 1, 9)
	ROUND(R0, R1, R2, R3, R4, R5, R6, R7, 8, 0x748f82ee)
	SCHEDULE(9, 7, 2, 10)
	ROUND(R7, R0, R1, R2, R3, R4, R5, R6, 9, 0x78a5636f)
	SCHEDULE(10, 8, 3, 11)
	ROUND(R6, R7, R0, R1, R2, R3, R4, R5, 10, 0x84c87814)
	SCHEDULE(11, 9, 4, 12)
	ROUND(R5, R6, R7, R0, R1, R2, R3, R4, 11, 0x8cc70208)
	SCHEDULE(12, 10, 5, 13)
	ROUND(R4, R5, R6, R7, R0, R1, R2, R3, 12, 0x90befffa)
	SCHEDULE(13, 11, 6, 14)
	ROUND(R3, R4, R5, R6, R7, R0, R1, R2, 13, 0xa4506ceb)
	SCHEDULE(14, 12, 7, 15)
	ROUND(R2, R3, R4, R5, R6, R7, R0, R1, 14, 0xbef9a3f7)
	SCHEDULE(15, 13, 8, 0)
	ROUND(R1, R2, R3, R4, R5, R6, R7, R0, 15, 0xc67178f2)
	ADDTO(R0, 0)
	ADDTO(R1, 1)
	ADDTO(R2, 2)
	ADDTO(R3, 3)
	ADDTO(R4, 4)
	ADDTO(R5, 5)
	ADDTO(R6, 6)
	ADDTO(R7, 7)
	Get R9; I64Const $64; I64Add; Set R9
	Get R10; I64Const $1; I64Sub; Tee R10; I64Eqz; I32Eqz; BrIf $0
	End
	RET
