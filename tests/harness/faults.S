// faults.S: functions that each break one promise to their caller.
//
// harness_test.c runs them in the emulator, run/faults.c under qemu: a harness
// that accepts one of them would accept a faulty kernel. `sound` breaks none.

#if defined(__APPLE__)
.macro function name
    .globl _\name
    .p2align 2
_\name:
.endm
#else
.macro function name
    .globl \name
    .p2align 2
\name:
.endm
#endif

.macro breaks_x n
    function breaks_x\n
    mov x\n, #1
    ret
.endm

.macro breaks_d n
    function breaks_d\n
    movi v\n\().16b, #1
    ret
.endm

    .text

    function sound                      // uses everything that it may
    str x19, [sp, #-32]!
    str d8, [sp, #16]
    mov x19, x0
    movi v8.16b, #1
    movi v31.16b, #2
    mov x17, #3
    ldr x9, [x0]
    add x9, x9, #1
    str x9, [x0]
    mov x0, x9
    ldr d8, [sp, #16]
    ldr x19, [sp], #32
    ret

    breaks_x 18
    breaks_x 19
    breaks_x 20
    breaks_x 21
    breaks_x 22
    breaks_x 23
    breaks_x 24
    breaks_x 25
    breaks_x 26
    breaks_x 27
    breaks_x 28
    breaks_x 29
    breaks_d 8
    breaks_d 9
    breaks_d 10
    breaks_d 11
    breaks_d 12
    breaks_d 13
    breaks_d 14
    breaks_d 15

    function breaks_sp
    sub sp, sp, #16
    ret

    function breaks_half_of_d8          // only the low half of v8 is the caller's
    mov v8.d[1], x0
    ret

    function stores_before              // the byte before the buffer at x0
    sturb wzr, [x0, #-1]
    ret

    function stores_after               // the byte after the x1 bytes at x0
    strb wzr, [x0, x1]
    ret

    function loads_before
    ldurb w0, [x0, #-1]
    ret

    function loads_after
    ldrb w0, [x0, x1]
    ret

    function stores_below_sp
    str xzr, [sp, #-8]
    ret

    function stores_to_caller           // the caller's stack
    str xzr, [sp]
    ret

    function returns_elsewhere
    add x30, x30, #16
    ret

    function never_returns
    b .

    function returns_signed             // a return address that is not authenticated
    hint #25                            // paciasp
    ret

    function authenticates_elsewhere    // … or with another sp than it was signed with
    hint #25
    sub sp, sp, #16
    hint #29                            // autiasp
    add sp, sp, #16
    ret

    function skips_guard_page           // Windows: pages of the stack in order only
    sub sp, sp, #4, lsl #12
    str xzr, [sp]
    add sp, sp, #4, lsl #12
    ret

    function misaligns_sp
    sub sp, sp, #8
    add sp, sp, #8
    ret

#if defined(__ELF__)
    .section .note.GNU-stack,"",%progbits
#endif
