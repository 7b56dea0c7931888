/* apple-m1.c: Apple M1 (Firestorm), out of order.
 *
 * Sources: LLVM 22, which uses its Cyclone model for this core (latency, micro-
 * operations, resources, buffers), one instruction of each class, measured with
 * llvm-mca-22. There a shifter, a multiplier or an AES instruction takes its own unit
 * beside one of the general ones, and an operation of two registers counts as a
 * shift. SLOTHY's Firestorm model, from dougallj.github.io/applecpu, has eight
 * instructions a cycle, six integer and four vector units; where its latency is another
 * the row says so (many of them it calls guessed). The figures that llvm-mca counts with
 * are kept. The fused pairs are from the same measurements.
 */
#include "core/rows.h"

enum {
    P_BRANCH0, P_BRANCH1, P_INDIRECT, P_INT0, P_INT1, P_INT2, P_INT3, P_DIVIDE, P_MULTIPLY,
    P_SHIFT0, P_SHIFT1, P_DIVIDER, P_MEMORY0, P_MEMORY1, P_VEC0, P_VEC1, P_VEC2, P_AES, P_VMUL0,
    P_VMUL1
};

#define ON_AES (1u << P_AES)
#define ON_BRANCH (1u << P_BRANCH0 | 1u << P_BRANCH1)
#define ON_DIVIDE (1u << P_DIVIDE)
#define ON_DIVIDER (1u << P_DIVIDER)
#define ON_INDIRECT (1u << P_INDIRECT)
#define ON_INT (1u << P_INT0 | 1u << P_INT1 | 1u << P_INT2 | 1u << P_INT3)
#define ON_MEMORY (1u << P_MEMORY0 | 1u << P_MEMORY1)
#define ON_MULTIPLY (1u << P_MULTIPLY)
#define ON_SHIFT (1u << P_SHIFT0 | 1u << P_SHIFT1)
#define ON_VECTOR (1u << P_VEC0 | 1u << P_VEC1 | 1u << P_VEC2)
#define ON_VMUL (1u << P_VMUL0 | 1u << P_VMUL1)

enum { V_MULTIPLY = 1, V_SHIFT };   /* forwarding networks */

static const struct timing apple_m1_timing[TIME_COUNT] = {
    ROW(ALU, 2, 1, ON_SHIFT, 2, AND(ON_INT, 2)),       /* add x1, x2, x3; SLOTHY has 1 */
    /* eor x1, x2, x3, ror #4 */
    ROW(ALU_SHIFT, 2, 1, ON_SHIFT, 2, AND(ON_INT, 2)),
    ROW(ALU_FLAGS, 1, 1, ON_INT, 1),                   /* subs x1, x2, #3 */
    /* subs x1, x2, x3, lsl #3 */
    ROW(ALU_FLAGS_SHIFT, 2, 1, ON_SHIFT, 2, AND(ON_INT, 2)),
    ROW(ADC, 1, 1, ON_INT, 1),                         /* adcs x1, x2, x3 */
    ROW(SELECT, 1, 1, ON_INT, 1),                      /* csel x1, x2, x3, gt */
    ROW(SHIFT, 1, 1, ON_SHIFT, 1, AND(ON_INT, 1)),     /* lsl x1, x2, #3 */
    ROW(BITFIELD, 1, 1, ON_SHIFT, 1, AND(ON_INT, 1)),  /* ubfx x1, x2, #4, #3 */
    ROW(EXTRACT, 2, 2, ON_SHIFT, 2, AND(ON_INT, 2)),   /* extr x1, x2, x3, #3 */
    ROW(MOVE_IMM, 1, 1, ON_INT, 1),                    /* movz x1, #1 */
    ROW(MOVE, 2, 1, ON_SHIFT, 2, AND(ON_INT, 2)),      /* mov x1, x2 */
    ROW(REVERSE, 1, 1, ON_INT, 1),                     /* rev x1, x2 */
    ROW(ADDRESS, 1, 1, ON_INT, 1),                     /* adrp x1, f */
    /* madd w1, w2, w3, w4 */
    ROW(MUL_W, 4, 1, ON_INDIRECT, 1, AND_3(ON_MULTIPLY, 1, ON_BRANCH, 1, ON_INT, 1)),
    /* madd x1, x2, x3, x4 */
    ROW(MUL_X, 5, 1, ON_INDIRECT, 1, AND_3(ON_MULTIPLY, 1, ON_BRANCH, 1, ON_INT, 1)),
    /* umulh x1, x2, x3 */
    ROW(MUL_HIGH, 5, 1, ON_INDIRECT, 1, AND_3(ON_MULTIPLY, 1, ON_BRANCH, 1, ON_INT, 1)),
    /* umaddl x1, w2, w3, x4; SLOTHY has 3 */
    ROW(MUL_LONG, 4, 1, ON_INDIRECT, 1, AND_3(ON_MULTIPLY, 1, ON_BRANCH, 1, ON_INT, 1)),
    /* udiv x1, x2, x3 */
    ROW(DIV, 13, 1, ON_DIVIDER, 13, AND_3(ON_DIVIDE, 2, ON_BRANCH, 2, ON_INT, 2)),
    ROW(LOAD, 4, 1, ON_MEMORY, 1),                     /* ldr x1, [x2]; SLOTHY has 3 */
    /* ldr x1, [x2, x3, lsl #3] */
    ROW(LOAD_INDEX, 5, 2, ON_SHIFT, 1, AND_2(ON_MEMORY, 1, ON_INT, 1)),
    ROW(LOAD_PAIR, 4, 2, ON_MEMORY, 1),                /* ldp x1, x2, [x3] */
    ROW(LOAD_V, 4, 1, ON_MEMORY, 1),                   /* ldr q1, [x2] */
    /* ldr q1, [x2, x3, lsl #4] */
    ROW(LOAD_V_INDEX, 5, 2, ON_SHIFT, 1, AND_2(ON_MEMORY, 1, ON_INT, 1)),
    ROW(LOAD_V_PAIR, 4, 2, ON_MEMORY, 1),              /* ldp q1, q2, [x3] */
    ROW(LOAD_LIST_1, 5, 1, ON_MEMORY, 1),              /* ld1 {v1.16b}, [x2]; SLOTHY has 4 */
    ROW(LOAD_LIST_2, 5, 2, ON_MEMORY, 2),              /* ld1 {v10.16b, v11.16b}, [x3] */
    ROW(LOAD_LIST_3, 5, 3, ON_MEMORY, 3),              /* ld1 {v10.16b .. v12.16b}, [x4] */
    ROW(LOAD_LIST_4, 5, 4, ON_MEMORY, 4),              /* ld1 {v10.16b .. v13.16b}, [x5] */
    /* ld1r {v1.4s}, [x2] */
    ROW(LOAD_LANE, 7, 2, ON_MEMORY, 1, AND(ON_VECTOR, 1)),
    ROW(STORE, 4, 1, ON_MEMORY, 1),                    /* str x1, [x2] */
    /* str x1, [x2, x3] */
    ROW(STORE_INDEX, 5, 2, ON_SHIFT, 1, AND_2(ON_MEMORY, 1, ON_INT, 1)),
    /* stp x1, x2, [x3] */
    ROW(STORE_PAIR, 6, 2, ON_MEMORY, 1, AND(ON_VECTOR, 1)),
    ROW(STORE_V, 4, 1, ON_MEMORY, 1),                  /* str q1, [x2] */
    /* str q1, [x2, x3] */
    ROW(STORE_V_INDEX, 5, 2, ON_SHIFT, 1, AND_2(ON_MEMORY, 1, ON_INT, 1)),
    ROW(STORE_V_PAIR, 4, 2, ON_MEMORY, 2),             /* stp q1, q2, [x3] */
    ROW(STORE_LIST_1, 4, 1, ON_MEMORY, 1),             /* st1 {v1.16b}, [x2] */
    ROW(STORE_LIST_2, 4, 2, ON_MEMORY, 2),             /* st1 {v10.16b, v11.16b}, [x3] */
    ROW(STORE_LIST_3, 4, 3, ON_MEMORY, 3),             /* st1 {v10.16b .. v12.16b}, [x4] */
    ROW(STORE_LIST_4, 4, 4, ON_MEMORY, 4),             /* st1 {v10.16b .. v13.16b}, [x5] */
    /* st1 {v1.d}[1], [x3] */
    ROW(STORE_LANE, 6, 2, ON_MEMORY, 1, AND(ON_VECTOR, 1)),
    ROW(BRANCH, 0, 1, ON_BRANCH, 1, AND(ON_INT, 1)),   /* b.ge l */
    ROW(CALL, 0, 1, ON_BRANCH, 1, AND(ON_INT, 1)),     /* bl f */
    ROW(HINT, 0, 1, 0, 1),                             /* nop */
    ROW(V_LOGIC, 2, 1, ON_VECTOR, 1),                  /* eor v1.16b, v2.16b, v3.16b */
    ROW(V_ADD, 2, 1, ON_VECTOR, 1),                    /* add v1.4s, v2.4s, v3.4s */
    /* cmeq v1.16b, v2.16b, v3.16b; SLOTHY has 2 */
    ROW(V_COMPARE, 3, 1, ON_VECTOR, 1),
    ROW(V_SHIFT, 2, 1, ON_VECTOR, 1, VIA(V_SHIFT)),    /* ushr v1.16b, v2.16b, #2 */
    ROW(V_SHIFT_INSERT, 2, 1, ON_VECTOR, 1),           /* sri v1.4s, v2.4s, #3 */
    ROW(V_SHIFT_LONG, 2, 1, ON_VECTOR, 1),             /* ushll v1.8h, v2.8b, #3 */
    /* mla v1.4s, v2.4s, v3.4s */
    ROW(V_MUL, 4, 1, ON_VMUL, 1, AND(ON_VECTOR, 1), VIA(V_MULTIPLY)),
    /* umlal v1.2d, v2.2s, v3.2s; SLOTHY has 3 */
    ROW(V_MUL_LONG, 4, 1, ON_VMUL, 1, AND(ON_VECTOR, 1), VIA(V_MULTIPLY)),
    ROW(V_ADD_LONG, 2, 1, ON_VECTOR, 1),               /* uaddl v1.8h, v2.8b, v3.8b */
    ROW(V_PERMUTE, 2, 1, ON_VECTOR, 1),                /* zip1 v1.4s, v2.4s, v3.4s */
    ROW(V_EXTRACT, 2, 1, ON_VECTOR, 1),                /* ext v1.16b, v2.16b, v3.16b, #6 */
    ROW(V_REVERSE, 2, 1, ON_VECTOR, 1),                /* rev32 v1.16b, v2.16b */
    ROW(V_TABLE_1, 2, 1, ON_VECTOR, 1),                /* tbl v1.16b, {v2.16b}, v3.16b */
    ROW(V_TABLE_2, 2, 1, ON_VECTOR, 1),                /* tbl v1.16b .. v11.16b}, v4.16b */
    ROW(V_TABLE_3, 2, 1, ON_VECTOR, 1),                /* tbl v1.16b .. v12.16b}, v5.16b */
    ROW(V_TABLE_4, 2, 1, ON_VECTOR, 1),                /* tbl v1.16b .. v13.16b}, v6.16b */
    ROW(V_MOVE, 2, 1, ON_VECTOR, 1),                   /* mov v1.16b, v2.16b */
    ROW(V_MOVE_IMM, 2, 1, ON_VECTOR, 1),               /* movi v1.16b, #1 */
    /* dup v1.4s, w2 */
    ROW(V_DUP_GENERAL, 7, 2, ON_MEMORY, 1, AND(ON_VECTOR, 1)),
    /* ins v1.d[0], v3.d[1] */
    ROW(V_INSERT_LANE, 7, 2, ON_MEMORY, 1, AND(ON_VECTOR, 1)),
    /* ins v1.d[0], x3; SLOTHY has 5 */
    ROW(V_INSERT_GENERAL, 7, 2, ON_MEMORY, 1, AND(ON_VECTOR, 1)),
    /* umov x1, v2.d[0] */
    ROW(V_TO_GENERAL, 5, 2, ON_MEMORY, 1, AND(ON_INT, 1)),
    ROW(PMULL, 3, 1, ON_AES, 1, AND(ON_VECTOR, 1)),    /* pmull v1.1q, v2.1d, v3.1d */
    ROW(AES, 2, 1, ON_AES, 1, AND(ON_VECTOR, 1)),      /* aese v1.16b, v2.16b */
    ROW(AES_MIX, 2, 1, ON_AES, 1, AND(ON_VECTOR, 1)),  /* aesmc v1.16b, v2.16b */
    ROW(SHA1, 6, 1, ON_AES, 1, AND(ON_VECTOR, 1)),     /* sha1c q1, s2, v3.4s */
    /* sha1h s1, s2 */
    ROW(SHA1_FAST, 2, 1, ON_AES, 1, AND(ON_VECTOR, 1)),
    ROW(SHA256, 6, 1, ON_AES, 1, AND(ON_VECTOR, 1)),   /* sha256h q1, q2, v3.4s */
    /* sha256su0 v1.4s, v2.4s */
    ROW(SHA256_FAST, 2, 1, ON_AES, 1, AND(ON_VECTOR, 1)),
    ROW(SHA512, 2, 1, ON_VECTOR, 1),                   /* sha512h q1, q2, v3.2d */
    ROW(SHA3, 2, 1, ON_VECTOR, 1),                     /* eor3 v1.16b, v2.16b, v3.16b, v4.16b */
};

static const struct timing_exception apple_m1_exceptions[] = {
    EXCEPT(add_x_imm, 1, 1, ON_INT, 1),
    EXCEPT(add_x_imm12, 1, 1, ON_INT, 1),
    EXCEPT(add_w_imm, 1, 1, ON_INT, 1),
    EXCEPT(add_w_imm12, 1, 1, ON_INT, 1),
    EXCEPT(sub_x_imm, 1, 1, ON_INT, 1),
    EXCEPT(sub_x_imm12, 1, 1, ON_INT, 1),
    EXCEPT(sub_w_imm, 1, 1, ON_INT, 1),
    EXCEPT(sub_w_imm12, 1, 1, ON_INT, 1),
    EXCEPT(adds_x, 2, 1, ON_SHIFT, 2, AND(ON_INT, 2)),
    EXCEPT(adds_w, 2, 1, ON_SHIFT, 2, AND(ON_INT, 2)),
    EXCEPT(subs_x, 2, 1, ON_SHIFT, 2, AND(ON_INT, 2)),
    EXCEPT(subs_w, 2, 1, ON_SHIFT, 2, AND(ON_INT, 2)),
    EXCEPT(cmp_x, 2, 1, ON_SHIFT, 2, AND(ON_INT, 2)),
    EXCEPT(cmp_w, 2, 1, ON_SHIFT, 2, AND(ON_INT, 2)),
    EXCEPT(cmn_x, 2, 1, ON_SHIFT, 2, AND(ON_INT, 2)),
    EXCEPT(cmn_w, 2, 1, ON_SHIFT, 2, AND(ON_INT, 2)),
    EXCEPT(negs_x, 2, 1, ON_SHIFT, 2, AND(ON_INT, 2)),
    EXCEPT(negs_w, 2, 1, ON_SHIFT, 2, AND(ON_INT, 2)),
    EXCEPT(ands_x, 2, 1, ON_SHIFT, 2, AND(ON_INT, 2)),
    EXCEPT(ands_w, 2, 1, ON_SHIFT, 2, AND(ON_INT, 2)),
    EXCEPT(bics_x, 2, 1, ON_SHIFT, 2, AND(ON_INT, 2)),
    EXCEPT(bics_w, 2, 1, ON_SHIFT, 2, AND(ON_INT, 2)),
    EXCEPT(and_x_imm, 1, 1, ON_INT, 1),
    EXCEPT(and_w_imm, 1, 1, ON_INT, 1),
    EXCEPT(orr_x_imm, 1, 1, ON_INT, 1),
    EXCEPT(orr_w_imm, 1, 1, ON_INT, 1),
    EXCEPT(eor_x_imm, 1, 1, ON_INT, 1),
    EXCEPT(eor_w_imm, 1, 1, ON_INT, 1),
    EXCEPT(tst_x, 2, 1, ON_SHIFT, 2, AND(ON_INT, 2)),
    EXCEPT(tst_w, 2, 1, ON_SHIFT, 2, AND(ON_INT, 2)),
    EXCEPT(udiv_w, 10, 1, ON_DIVIDER, 10, AND_3(ON_DIVIDE, 2, ON_BRANCH, 2, ON_INT, 2)),
    EXCEPT(sdiv_w, 10, 1, ON_DIVIDER, 10, AND_3(ON_DIVIDE, 2, ON_BRANCH, 2, ON_INT, 2)),
    EXCEPT(ret, 0, 1, ON_INDIRECT, 1, AND_2(ON_BRANCH, 1, ON_INT, 1)),
    EXCEPT(stp_d, 6, 2, ON_MEMORY, 1, AND(ON_VECTOR, 1)),
    EXCEPT(stp_d_post, 6, 2, ON_MEMORY, 1, AND(ON_VECTOR, 1)),
    EXCEPT(stp_d_pre, 6, 2, ON_MEMORY, 1, AND(ON_VECTOR, 1)),
    EXCEPT(stp_q_post, 6, 3, ON_MEMORY, 1, AND_2(ON_VECTOR, 1, ON_INT, 1),
            .writeback_uops = NOTHING, .writeback_busy = NOTHING),
    EXCEPT(stp_q_pre, 6, 3, ON_MEMORY, 1, AND_2(ON_VECTOR, 1, ON_INT, 1),
            .writeback_uops = NOTHING, .writeback_busy = NOTHING),
    EXCEPT(addv_16b, 3, 1, ON_VECTOR, 1),
    EXCEPT(addv_4s, 3, 1, ON_VECTOR, 1),
    EXCEPT(cmtst_16b, 2, 1, ON_VECTOR, 1),
    EXCEPT(cmtst_8h, 2, 1, ON_VECTOR, 1),
    EXCEPT(cmtst_4s, 2, 1, ON_VECTOR, 1),
    EXCEPT(cmtst_2d, 2, 1, ON_VECTOR, 1),
    EXCEPT(shl_16b, 2, 1, ON_VECTOR, 1),
    EXCEPT(shl_8h, 2, 1, ON_VECTOR, 1),
    EXCEPT(shl_4s, 2, 1, ON_VECTOR, 1),
    EXCEPT(shl_2d, 2, 1, ON_VECTOR, 1),
    EXCEPT(shl_d, 2, 1, ON_VECTOR, 1),
    EXCEPT(usra_16b, 3, 1, ON_VMUL, 1, AND(ON_VECTOR, 1), VIA(V_SHIFT)),
    EXCEPT(usra_8h, 3, 1, ON_VMUL, 1, AND(ON_VECTOR, 1), VIA(V_SHIFT)),
    EXCEPT(usra_4s, 3, 1, ON_VMUL, 1, AND(ON_VECTOR, 1), VIA(V_SHIFT)),
    EXCEPT(usra_2d, 3, 1, ON_VMUL, 1, AND(ON_VECTOR, 1), VIA(V_SHIFT)),
    EXCEPT(shrn_8b, 4, 1, ON_VECTOR, 1),
    EXCEPT(shrn_4h, 4, 1, ON_VECTOR, 1),
    EXCEPT(shrn_2s, 4, 1, ON_VECTOR, 1),
    EXCEPT(shrn2_16b, 4, 1, ON_VECTOR, 1),
    EXCEPT(shrn2_8h, 4, 1, ON_VECTOR, 1),
    EXCEPT(shrn2_4s, 4, 1, ON_VECTOR, 1),
    EXCEPT(dup_16b_lane, 7, 2, ON_MEMORY, 1, AND(ON_VECTOR, 1)),
    EXCEPT(dup_8h_lane, 7, 2, ON_MEMORY, 1, AND(ON_VECTOR, 1)),
    EXCEPT(dup_4s_lane, 7, 2, ON_MEMORY, 1, AND(ON_VECTOR, 1)),
    EXCEPT(dup_2d_lane, 7, 2, ON_MEMORY, 1, AND(ON_VECTOR, 1)),
    EXCEPT(fmov_d_x, 5, 1, ON_MEMORY, 1),
    EXCEPT(fmov_x_d, 4, 1, ON_MEMORY, 1),
    EXCEPT(fmov_s_w, 5, 1, ON_MEMORY, 1),
    EXCEPT(fmov_w_s, 4, 1, ON_MEMORY, 1),
    EXCEPT(pmul_16b, 3, 1, ON_AES, 1, AND(ON_VECTOR, 1)),
    EXCEPT(sha256su1, 3, 1, ON_AES, 1, AND(ON_VECTOR, 1)),
    { 0 },
};

static const struct forwarding apple_m1_forwarding[] = {
    FORWARD_TIED(V_MULTIPLY, V_MUL, 1),
    FORWARD_TIED(V_MULTIPLY, V_MUL_LONG, 1),
    FORWARD_TIED(V_SHIFT, V_SHIFT_INSERT, 1),
    { 0 },
};

static const struct buffer apple_m1_buffers[] = {
    { ON_INT, 48 }, { ON_BRANCH, 24 }, { ON_SHIFT, 24 }, { ON_MULTIPLY, 32 }, { ON_DIVIDE, 16 },
    { ON_MEMORY, 28 }, { ON_VECTOR, 48 }, { ON_VMUL, 32 }, { ON_AES, 16 }, { 0 },
};

const struct core core_apple_m1 = {
    .name = "apple-m1",
    .mca_cpu = "apple-m1",
    .in_order = false,
    .order_slack = 25,
    .issue_width = 6,
    .window = 192,
    .port_count = 20,
    .port_names = {
        "BRANCH0", "BRANCH1", "INDIRECT", "INT0", "INT1", "INT2", "INT3", "DIVIDE", "MULTIPLY",
        "SHIFT0", "SHIFT1", "DIVIDER", "MEMORY0", "MEMORY1", "VEC0", "VEC1", "VEC2", "AES",
        "VMUL0", "VMUL1"
    },
    .writeback = { .latency = 1, .uops = 1, .ports = ON_INT, .busy = 1 },
    .timing = apple_m1_timing,
    .exceptions = apple_m1_exceptions,
    .forwarding = apple_m1_forwarding,
    .buffers = apple_m1_buffers,
    .aes_pair_latency = 2,
    .overlaps_iterations = true,
    .fuses_aes_pair = true,
    .fuses_compare_branch = true,
    .prefers_post_index = false,
};
