# LLVM-MCA-BEGIN r0
add x0, x0, x9
add x0, x0, x9
# LLVM-MCA-END
# LLVM-MCA-BEGIN r1
add x0, x9, x0, lsl #3
# LLVM-MCA-END
# LLVM-MCA-BEGIN r2
adcs x0, x9, x8
adcs x1, x9, x8
# LLVM-MCA-END
# LLVM-MCA-BEGIN r3
add x0, x0, #8
ldr x0, [x0]
# LLVM-MCA-END
# LLVM-MCA-BEGIN r4
eor v0.16b, v1.16b, v2.16b
add x0, x9, #1
cbnz x9, .L0
# LLVM-MCA-END
# LLVM-MCA-BEGIN r5
ldr x1, [x0], #8
eor v0.16b, v1.16b, v2.16b
# LLVM-MCA-END
# LLVM-MCA-BEGIN r6
mul x1, x8, x9
str x8, [x7]
# LLVM-MCA-END
# LLVM-MCA-BEGIN r7
ushr v0.16b, v8.16b, #4
tbl v1.16b, {v8.16b}, v9.16b
ushr v2.16b, v8.16b, #4
tbl v3.16b, {v8.16b}, v9.16b
# LLVM-MCA-END
# LLVM-MCA-BEGIN r8
tbl v0.16b, {v8.16b}, v9.16b
tbl v1.16b, {v8.16b}, v9.16b
eor v2.16b, v8.16b, v9.16b
# LLVM-MCA-END
# LLVM-MCA-BEGIN r9
aese v0.16b, v9.16b
aesmc v0.16b, v0.16b
# LLVM-MCA-END
# LLVM-MCA-BEGIN r10
aese v0.16b, v9.16b
aesmc v0.16b, v0.16b
aese v1.16b, v9.16b
aesmc v1.16b, v1.16b
aese v2.16b, v9.16b
aesmc v2.16b, v2.16b
aese v3.16b, v9.16b
aesmc v3.16b, v3.16b
# LLVM-MCA-END
# LLVM-MCA-BEGIN r11
madd x0, x9, x8, x0
# LLVM-MCA-END
# LLVM-MCA-BEGIN r12
ldp x1, x2, [x0]
ldp q1, q2, [x0, #32]
stp q3, q4, [x7]
# LLVM-MCA-END
# LLVM-MCA-BEGIN r13
ldp x1, x2, [x0], #16
add x3, x8, x9
# LLVM-MCA-END
# LLVM-MCA-BEGIN r14
eor v0.16b, v0.16b, v9.16b
add v1.4s, v8.4s, v9.4s
add v2.4s, v8.4s, v9.4s
add v3.4s, v8.4s, v9.4s
add v4.4s, v8.4s, v9.4s
ext v5.16b, v8.16b, v9.16b, #8
# LLVM-MCA-END
# LLVM-MCA-BEGIN r15
sub x0, x0, #1
cbnz x0, .L0
# LLVM-MCA-END
