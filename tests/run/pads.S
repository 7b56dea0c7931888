// pads.S: two functions for faults.c, in the section whose pages call.c guards:
// one begins with a branch target, as every export must, the other does not.

    .section kernels,"ax",%progbits
    .p2align 12
    .globl lands
    .type lands, %function
lands:
    hint #34                            // bti c
    ret
    .size lands, . - lands

    .globl stumbles
    .type stumbles, %function
stumbles:
    mov x0, #1
    ret
    .size stumbles, . - stumbles

    .section .note.GNU-stack,"",%progbits
