// call.S: call a function as C does, with canaries in every register that it
// must keep (AAPCS64 6.1.1, 6.1.2; x18 too, which kernels never touch), and
// garbage in every other one.
//
//     uint64_t call_seen(void *function, const uint64_t arguments[8],
//                        struct call_seen *seen);
//
// `seen` receives x18 to x29, sp before, sp after, and d8 to d15: see call.h.
// Nothing is believed of the function: where we were is kept in memory.

    .bss
    .p2align 3
saved_sp:
    .skip 8
saved_seen:
    .skip 8

    .section .rodata
    .p2align 4
    .globl call_canaries
call_canaries:                          // x18 … x29, then d8 … d15
    .quad 0x18a5c3f00d180118, 0x19a5c3f00d190119, 0x20a5c3f00d200120, 0x21a5c3f00d210121
    .quad 0x22a5c3f00d220122, 0x23a5c3f00d230123, 0x24a5c3f00d240124, 0x25a5c3f00d250125
    .quad 0x26a5c3f00d260126, 0x27a5c3f00d270127, 0x28a5c3f00d280128, 0x29a5c3f00d290129
    .quad 0x08b6d4e11e080108, 0x09b6d4e11e090109, 0x10b6d4e11e100110, 0x11b6d4e11e110111
    .quad 0x12b6d4e11e120112, 0x13b6d4e11e130113, 0x14b6d4e11e140114, 0x15b6d4e11e150115

    .text
    .p2align 4
    .globl call_seen
    .type call_seen, %function
call_seen:
    stp x29, x30, [sp, #-176]!
    stp x19, x20, [sp, #16]
    stp x21, x22, [sp, #32]
    stp x23, x24, [sp, #48]
    stp x25, x26, [sp, #64]
    stp x27, x28, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    str x18, [sp, #160]

    adrp x9, saved_sp
    mov x10, sp
    str x10, [x9, :lo12:saved_sp]
    adrp x9, saved_seen
    str x2, [x9, :lo12:saved_seen]
    str x10, [x2, #96]

    mov x16, x0
    mov x17, x1
    adrp x9, call_canaries
    add x9, x9, :lo12:call_canaries
    ldp x18, x19, [x9]
    ldp x20, x21, [x9, #16]
    ldp x22, x23, [x9, #32]
    ldp x24, x25, [x9, #48]
    ldp x26, x27, [x9, #64]
    ldp x28, x29, [x9, #80]
    ldp d8, d9, [x9, #96]
    ldp d10, d11, [x9, #112]
    ldp d12, d13, [x9, #128]
    ldp d14, d15, [x9, #144]

    ldp q0, q1, [x9]
    ldp q2, q3, [x9, #32]
    ldp q4, q5, [x9, #64]
    ldp q6, q7, [x9, #96]
    ldp q16, q17, [x9, #16]
    ldp q18, q19, [x9, #48]
    ldp q20, q21, [x9, #80]
    ldp q22, q23, [x9, #112]
    ldp q24, q25, [x9]
    ldp q26, q27, [x9, #32]
    ldp q28, q29, [x9, #64]
    ldp q30, q31, [x9, #96]

    ldp x0, x1, [x17]
    ldp x2, x3, [x17, #16]
    ldp x4, x5, [x17, #32]
    ldp x6, x7, [x17, #48]
    mvn x8, x19
    mvn x10, x20
    mvn x11, x21
    mvn x12, x22
    mvn x13, x23
    mvn x14, x24
    mvn x15, x25
    mvn x17, x26
    mvn x9, x27
    cmp x27, x28                        // some flags or other
    blr x16

    adrp x9, saved_seen
    ldr x9, [x9, :lo12:saved_seen]
    stp x18, x19, [x9]
    stp x20, x21, [x9, #16]
    stp x22, x23, [x9, #32]
    stp x24, x25, [x9, #48]
    stp x26, x27, [x9, #64]
    stp x28, x29, [x9, #80]
    mov x10, sp
    str x10, [x9, #104]
    stp d8, d9, [x9, #112]
    stp d10, d11, [x9, #128]
    stp d12, d13, [x9, #144]
    stp d14, d15, [x9, #160]

    adrp x9, saved_sp
    ldr x9, [x9, :lo12:saved_sp]
    mov sp, x9
    ldr x18, [sp, #160]
    ldp x19, x20, [sp, #16]
    ldp x21, x22, [sp, #32]
    ldp x23, x24, [sp, #48]
    ldp x25, x26, [sp, #64]
    ldp x27, x28, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    ldp x29, x30, [sp], #176
    ret
    .size call_seen, . - call_seen

    .section .note.GNU-stack,"",%progbits
