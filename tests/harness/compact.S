// Frames as Apple's compiler makes them, for the decoder of compact unwind: all
// pairs of registers below a frame record, and a frame without one.

	.text
	.globl	_compact_frame
	.p2align	2
_compact_frame:
	.cfi_startproc
	stp	d15, d14, [sp, #-160]!
	stp	d13, d12, [sp, #16]
	stp	d11, d10, [sp, #32]
	stp	d9, d8, [sp, #48]
	stp	x28, x27, [sp, #64]
	stp	x26, x25, [sp, #80]
	stp	x24, x23, [sp, #96]
	stp	x22, x21, [sp, #112]
	stp	x20, x19, [sp, #128]
	stp	x29, x30, [sp, #144]
	add	x29, sp, #144
	.cfi_def_cfa	x29, 16
	.cfi_offset	x30, -8
	.cfi_offset	x29, -16
	.cfi_offset	x19, -24
	.cfi_offset	x20, -32
	.cfi_offset	x21, -40
	.cfi_offset	x22, -48
	.cfi_offset	x23, -56
	.cfi_offset	x24, -64
	.cfi_offset	x25, -72
	.cfi_offset	x26, -80
	.cfi_offset	x27, -88
	.cfi_offset	x28, -96
	.cfi_offset	d8, -104
	.cfi_offset	d9, -112
	.cfi_offset	d10, -120
	.cfi_offset	d11, -128
	.cfi_offset	d12, -136
	.cfi_offset	d13, -144
	.cfi_offset	d14, -152
	.cfi_offset	d15, -160
	nop
	ret
	.cfi_endproc

	.globl	_compact_frameless
	.p2align	2
_compact_frameless:
	.cfi_startproc
	sub	sp, sp, #4080
	.cfi_def_cfa_offset	4080
	nop
	ret
	.cfi_endproc

// The system's unwinder looks for these registers 8 bytes above where clang says.
	.globl	_compact_saves_frameless
	.p2align	2
_compact_saves_frameless:
	.cfi_startproc
	stp	x20, x19, [sp, #-16]!
	.cfi_def_cfa_offset	16
	.cfi_offset	x19, -8
	.cfi_offset	x20, -16
	nop
	ret
	.cfi_endproc
	.subsections_via_symbols
