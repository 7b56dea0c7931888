/* neoverse-v2.c: Arm Neoverse V2, out of order.
 *
 * Sources: LLVM 22's scheduling model of it (latency, micro-operations, resources,
 * ReadAdvance), one instruction of each class, measured with llvm-mca-22. The window
 * is LLVM's micro-operation buffer, the fused pairs are those of Arm's Software
 * Optimization Guide. There is no second source: SLOTHY has no model of a V core but one
 * that it says is copied from Neoverse N1's.
 */
#include "core/rows.h"

enum {
    P_BRANCH0, P_BRANCH1, P_DATA0, P_DATA1, P_FLAG0, P_FLAG1, P_FLAG2, P_LOAD2, P_LOAD0, P_LOAD1,
    P_MULTI0, P_MULTI1, P_INT0, P_INT1, P_INT2, P_INT3, P_VEC0, P_VEC1, P_VEC2, P_VEC3
};

#define ON_BRANCH (1u << P_BRANCH0 | 1u << P_BRANCH1)
#define ON_DATA (1u << P_DATA0 | 1u << P_DATA1)
#define ON_FLAGS (1u << P_FLAG0 | 1u << P_FLAG1 | 1u << P_FLAG2)
#define ON_INT (1u << P_MULTI0 | 1u << P_MULTI1 | 1u << P_INT0 | \
                1u << P_INT1 | 1u << P_INT2 | 1u << P_INT3)
#define ON_INT01 (1u << P_INT0 | 1u << P_INT1)
#define ON_INT_FLAGS (1u << P_MULTI0 | 1u << P_MULTI1 | 1u << P_INT0 | 1u << P_INT1)
#define ON_LOAD (1u << P_LOAD2 | 1u << P_LOAD0 | 1u << P_LOAD1)
#define ON_MULTI (1u << P_MULTI0 | 1u << P_MULTI1)
#define ON_MULTI0 (1u << P_MULTI0)
#define ON_STORE (1u << P_LOAD0 | 1u << P_LOAD1)
#define ON_VEC0 (1u << P_VEC0)
#define ON_VEC01 (1u << P_VEC0 | 1u << P_VEC1)
#define ON_VEC02 (1u << P_VEC0 | 1u << P_VEC2)
#define ON_VEC13 (1u << P_VEC1 | 1u << P_VEC3)
#define ON_VEC23 (1u << P_VEC2 | 1u << P_VEC3)
#define ON_VECTOR (1u << P_VEC0 | 1u << P_VEC1 | 1u << P_VEC2 | 1u << P_VEC3)

enum { MULTIPLY = 1, V_MULTIPLY, V_SHIFT };   /* forwarding networks */

static const struct timing neoverse_v2_timing[TIME_COUNT] = {
    ROW(ALU, 1, 1, ON_INT, 1),                         /* add x1, x2, x3 */
    ROW(ALU_SHIFT, 1, 1, ON_INT, 1),                   /* eor x1, x2, x3, ror #4 */
    /* subs x1, x2, #3 */
    ROW(ALU_FLAGS, 1, 1, ON_FLAGS, 1, AND(ON_INT_FLAGS, 1)),
    /* subs x1, x2, x3, lsl #3 */
    ROW(ALU_FLAGS_SHIFT, 2, 1, ON_MULTI, 1, AND(ON_FLAGS, 1)),
    /* adcs x1, x2, x3 */
    ROW(ADC, 1, 1, ON_FLAGS, 1, AND(ON_INT_FLAGS, 1)),
    ROW(SELECT, 1, 1, ON_INT, 1),                      /* csel x1, x2, x3, gt */
    ROW(SHIFT, 1, 1, ON_INT, 1),                       /* lsl x1, x2, #3 */
    ROW(BITFIELD, 1, 1, ON_INT, 1),                    /* ubfx x1, x2, #4, #3 */
    ROW(EXTRACT, 3, 2, ON_MULTI, 1, AND(ON_INT, 1)),   /* extr x1, x2, x3, #3 */
    ROW(MOVE_IMM, 1, 1, ON_INT, 1),                    /* movz x1, #1 */
    ROW(MOVE, 0, 1, 0, 1),                             /* mov x1, x2 */
    ROW(REVERSE, 1, 1, ON_INT, 1),                     /* rev x1, x2 */
    ROW(ADDRESS, 1, 1, ON_INT_FLAGS, 1),               /* adrp x1, f */
    ROW(MUL_W, 2, 1, ON_MULTI0, 1, VIA(MULTIPLY)),     /* madd w1, w2, w3, w4 */
    ROW(MUL_X, 2, 1, ON_MULTI0, 1, VIA(MULTIPLY)),     /* madd x1, x2, x3, x4 */
    ROW(MUL_HIGH, 3, 1, ON_MULTI, 1),                  /* umulh x1, x2, x3 */
    ROW(MUL_LONG, 2, 1, ON_MULTI0, 1, VIA(MULTIPLY)),  /* umaddl x1, w2, w3, x4 */
    ROW(DIV, 20, 1, ON_MULTI0, 20),                    /* udiv x1, x2, x3 */
    ROW(LOAD, 4, 1, ON_LOAD, 1),                       /* ldr x1, [x2] */
    ROW(LOAD_INDEX, 4, 1, ON_LOAD, 1),                 /* ldr x1, [x2, x3, lsl #3] */
    ROW(LOAD_PAIR, 4, 2, ON_LOAD, 1),                  /* ldp x1, x2, [x3] */
    /* ldr q1, [x2] */
    ROW(LOAD_V, 6, 1, ON_LOAD, 1, .writeback_uops = 2, .writeback_busy = 2),
    /* ldr q1, [x2, x3, lsl #4] */
    ROW(LOAD_V_INDEX, 7, 2, ON_LOAD, 1, AND(ON_INT, 1)),
    /* ldp q1, q2, [x3] */
    ROW(LOAD_V_PAIR, 6, 3, ON_LOAD, 2, .second_latency = 4, .writeback_uops = 3,
        .writeback_busy = 3),
    ROW(LOAD_LIST_1, 6, 1, ON_LOAD, 1),                /* ld1 {v1.16b}, [x2] */
    ROW(LOAD_LIST_2, 6, 2, ON_LOAD, 2),                /* ld1 {v10.16b, v11.16b}, [x3] */
    ROW(LOAD_LIST_3, 6, 3, ON_LOAD, 3),                /* ld1 {v10.16b .. v12.16b}, [x4] */
    ROW(LOAD_LIST_4, 7, 4, ON_LOAD, 4),                /* ld1 {v10.16b .. v13.16b}, [x5] */
    /* ld1r {v1.4s}, [x2] */
    ROW(LOAD_LANE, 8, 2, ON_LOAD, 1, AND(ON_VECTOR, 1)),
    ROW(STORE, 1, 2, ON_DATA, 1, AND(ON_STORE, 1)),    /* str x1, [x2] */
    /* str x1, [x2, x3] */
    ROW(STORE_INDEX, 1, 2, ON_DATA, 1, AND(ON_STORE, 1)),
    /* stp x1, x2, [x3] */
    ROW(STORE_PAIR, 1, 2, ON_DATA, 1, AND(ON_STORE, 1)),
    /* str q1, [x2] */
    ROW(STORE_V, 2, 2, ON_STORE, 1, AND(ON_VEC01, 1), .writeback_uops = 2, .writeback_busy = 2),
    /* str q1, [x2, x3] */
    ROW(STORE_V_INDEX, 2, 2, ON_STORE, 1, AND(ON_VEC01, 1)),
    /* stp q1, q2, [x3] */
    ROW(STORE_V_PAIR, 2, 3, ON_VEC01, 2, AND(ON_STORE, 1)),
    /* st1 {v1.16b}, [x2] */
    ROW(STORE_LIST_1, 2, 2, ON_STORE, 1, AND(ON_VEC01, 1)),
    /* st1 {v10.16b, v11.16b}, [x3] */
    ROW(STORE_LIST_2, 2, 4, ON_STORE, 2, AND(ON_VEC01, 2)),
    /* st1 {v10.16b .. v12.16b}, [x4] */
    ROW(STORE_LIST_3, 2, 6, ON_STORE, 3, AND(ON_VEC01, 3)),
    /* st1 {v10.16b .. v13.16b}, [x5] */
    ROW(STORE_LIST_4, 2, 8, ON_STORE, 4, AND(ON_VEC01, 4)),
    /* st1 {v1.d}[1], [x3] */
    ROW(STORE_LANE, 4, 3, ON_VEC01, 2, AND(ON_STORE, 1)),
    ROW(BRANCH, 1, 1, ON_BRANCH, 1),                   /* b.ge l */
    ROW(CALL, 1, 2, ON_BRANCH, 1, AND(ON_INT01, 1)),   /* bl f */
    ROW(HINT, 1, 1, 0, 1),                             /* nop */
    ROW(V_LOGIC, 2, 1, ON_VECTOR, 1),                  /* eor v1.16b, v2.16b, v3.16b */
    ROW(V_ADD, 2, 1, ON_VECTOR, 1),                    /* add v1.4s, v2.4s, v3.4s */
    ROW(V_COMPARE, 2, 1, ON_VECTOR, 1),                /* cmeq v1.16b, v2.16b, v3.16b */
    ROW(V_SHIFT, 2, 1, ON_VEC13, 1),                   /* ushr v1.16b, v2.16b, #2 */
    ROW(V_SHIFT_INSERT, 2, 1, ON_VEC13, 1),            /* sri v1.4s, v2.4s, #3 */
    ROW(V_SHIFT_LONG, 2, 1, ON_VEC13, 1),              /* ushll v1.8h, v2.8b, #3 */
    ROW(V_MUL, 4, 1, ON_VEC02, 1, VIA(V_MULTIPLY)),    /* mla v1.4s, v2.4s, v3.4s */
    /* umlal v1.2d, v2.2s, v3.2s */
    ROW(V_MUL_LONG, 4, 1, ON_VEC02, 1, VIA(V_MULTIPLY)),
    ROW(V_ADD_LONG, 2, 1, ON_VECTOR, 1),               /* uaddl v1.8h, v2.8b, v3.8b */
    ROW(V_PERMUTE, 2, 1, ON_VECTOR, 1),                /* zip1 v1.4s, v2.4s, v3.4s */
    ROW(V_EXTRACT, 2, 1, ON_VECTOR, 1),                /* ext v1.16b, v2.16b, v3.16b, #6 */
    ROW(V_REVERSE, 2, 1, ON_VECTOR, 1),                /* rev32 v1.16b, v2.16b */
    ROW(V_TABLE_1, 2, 1, ON_VEC01, 1),                 /* tbl v1.16b, {v2.16b}, v3.16b */
    ROW(V_TABLE_2, 2, 1, ON_VEC01, 1),                 /* tbl v1.16b .. v11.16b}, v4.16b */
    ROW(V_TABLE_3, 4, 2, ON_VEC01, 2),                 /* tbl v1.16b .. v12.16b}, v5.16b */
    ROW(V_TABLE_4, 4, 3, ON_VEC01, 3),                 /* tbl v1.16b .. v13.16b}, v6.16b */
    ROW(V_MOVE, 2, 1, ON_VECTOR, 1),                   /* mov v1.16b, v2.16b */
    ROW(V_MOVE_IMM, 2, 1, ON_VECTOR, 1),               /* movi v1.16b, #1 */
    ROW(V_DUP_GENERAL, 3, 1, ON_MULTI0, 1),            /* dup v1.4s, w2 */
    ROW(V_INSERT_LANE, 2, 1, ON_VECTOR, 1),            /* ins v1.d[0], v3.d[1] */
    /* ins v1.d[0], x3 */
    ROW(V_INSERT_GENERAL, 5, 2, ON_MULTI0, 1, AND(ON_VECTOR, 1)),
    ROW(V_TO_GENERAL, 2, 2, ON_VEC01, 2),              /* umov x1, v2.d[0] */
    ROW(PMULL, 2, 1, ON_VECTOR, 1),                    /* pmull v1.1q, v2.1d, v3.1d */
    ROW(AES, 2, 1, ON_VECTOR, 1),                      /* aese v1.16b, v2.16b */
    ROW(AES_MIX, 2, 1, ON_VECTOR, 1),                  /* aesmc v1.16b, v2.16b */
    ROW(SHA1, 4, 1, ON_VEC0, 1),                       /* sha1c q1, s2, v3.4s */
    ROW(SHA1_FAST, 2, 1, ON_VEC0, 1),                  /* sha1h s1, s2 */
    ROW(SHA256, 4, 1, ON_VEC0, 1),                     /* sha256h q1, q2, v3.4s */
    ROW(SHA256_FAST, 2, 1, ON_VEC0, 1),                /* sha256su0 v1.4s, v2.4s */
    ROW(SHA512, 2, 1, ON_VEC0, 1),                     /* sha512h q1, q2, v3.2d */
    ROW(SHA3, 2, 1, ON_VEC0, 1),                       /* eor3 v1.16b, v2.16b, v3.16b, v4.16b */
};

static const struct timing_exception neoverse_v2_exceptions[] = {
    EXCEPT(add_x_lsl, 2, 1, ON_MULTI, 1),
    EXCEPT(add_x_lsr, 2, 1, ON_MULTI, 1),
    EXCEPT(sub_x_lsl, 2, 1, ON_MULTI, 1),
    EXCEPT(sub_x_lsr, 2, 1, ON_MULTI, 1),
    EXCEPT(add_x_uxtw, 2, 1, ON_MULTI, 1),
    EXCEPT(add_x_sxtw, 2, 1, ON_MULTI, 1),
    EXCEPT(sub_x_uxtw, 2, 1, ON_MULTI, 1),
    EXCEPT(sub_x_sxtw, 2, 1, ON_MULTI, 1),
    EXCEPT(add_x_lo12, 1, 1, ON_INT, 1),
    EXCEPT(adc_x, 1, 1, ON_INT, 1),
    EXCEPT(sbc_x, 1, 1, ON_INT, 1),
    EXCEPT(adc_w, 1, 1, ON_INT, 1),
    EXCEPT(sbc_w, 1, 1, ON_INT, 1),
    EXCEPT(mul_x, 2, 1, ON_MULTI, 1),
    EXCEPT(mneg_x, 2, 1, ON_MULTI, 1),
    EXCEPT(mul_w, 2, 1, ON_MULTI, 1),
    EXCEPT(mneg_w, 2, 1, ON_MULTI, 1),
    EXCEPT(umull_x, 2, 1, ON_MULTI, 1),
    EXCEPT(smull_x, 2, 1, ON_MULTI, 1),
    EXCEPT(udiv_w, 12, 1, ON_MULTI0, 12),
    EXCEPT(sdiv_w, 12, 1, ON_MULTI0, 12),
    EXCEPT(ror_x_imm, 1, 1, ON_INT, 1),
    EXCEPT(ror_w_imm, 1, 1, ON_INT, 1),
    EXCEPT(bfi_x, 2, 1, ON_MULTI, 1),
    EXCEPT(bfi_w, 2, 1, ON_MULTI, 1),
    EXCEPT(bfxil_x, 2, 1, ON_MULTI, 1),
    EXCEPT(bfxil_w, 2, 1, ON_MULTI, 1),
    EXCEPT(ldr_d_index, 6, 1, ON_LOAD, 1),
    EXCEPT(ldr_d_uxtw, 6, 1, ON_LOAD, 1),
    EXCEPT(ldp_d, 6, 2, ON_LOAD, 1, .second_latency = 4, .writeback_uops = 3,
            .writeback_busy = 3),
    EXCEPT(ldp_d_post, 6, 2, ON_LOAD, 1, .second_latency = 4, .writeback_uops = 2,
            .writeback_busy = 2),
    EXCEPT(ldp_d_pre, 6, 2, ON_LOAD, 1, .second_latency = 4, .writeback_uops = 2,
            .writeback_busy = 2),
    EXCEPT(stp_d, 2, 2, ON_STORE, 1, AND(ON_VEC01, 1)),
    EXCEPT(stp_d_post, 2, 2, ON_STORE, 1, AND(ON_VEC01, 1), .writeback_uops = 2,
            .writeback_busy = 2),
    EXCEPT(stp_d_pre, 2, 2, ON_STORE, 1, AND(ON_VEC01, 1), .writeback_uops = 2,
            .writeback_busy = 2),
    EXCEPT(stp_q_post, 2, 3, ON_VEC01, 2, AND(ON_STORE, 1), .writeback_latency = 2),
    EXCEPT(stp_q_pre, 2, 3, ON_VEC01, 2, AND(ON_STORE, 1), .writeback_latency = 2,
            .writeback_uops = 2, .writeback_busy = 2),
    EXCEPT(mul_8h, 4, 1, ON_VEC02, 1),
    EXCEPT(mul_4s, 4, 1, ON_VEC02, 1),
    EXCEPT(mul_4s_lane, 4, 1, ON_VEC02, 1),
    EXCEPT(addv_16b, 6, 2, ON_VEC13, 2),
    EXCEPT(addv_4s, 3, 1, ON_VEC13, 1),
    EXCEPT(usra_16b, 4, 1, ON_VEC13, 1, VIA(V_SHIFT)),
    EXCEPT(usra_8h, 4, 1, ON_VEC13, 1, VIA(V_SHIFT)),
    EXCEPT(usra_4s, 4, 1, ON_VEC13, 1, VIA(V_SHIFT)),
    EXCEPT(usra_2d, 4, 1, ON_VEC13, 1, VIA(V_SHIFT)),
    EXCEPT(xtn_8b, 2, 1, ON_VECTOR, 1),
    EXCEPT(xtn_4h, 2, 1, ON_VECTOR, 1),
    EXCEPT(xtn_2s, 2, 1, ON_VECTOR, 1),
    EXCEPT(xtn2_16b, 2, 1, ON_VECTOR, 1),
    EXCEPT(xtn2_8h, 2, 1, ON_VECTOR, 1),
    EXCEPT(xtn2_4s, 2, 1, ON_VECTOR, 1),
    EXCEPT(umull_4s, 3, 1, ON_VEC02, 1),
    EXCEPT(umull_2d, 3, 1, ON_VEC02, 1),
    EXCEPT(umull2_4s, 3, 1, ON_VEC02, 1),
    EXCEPT(umull2_2d, 3, 1, ON_VEC02, 1),
    EXCEPT(umull_2d_lane, 3, 1, ON_VEC02, 1),
    EXCEPT(umull2_2d_lane, 3, 1, ON_VEC02, 1),
    EXCEPT(tbx_16b, 2, 1, ON_VECTOR, 1),
    EXCEPT(tbxx2_16b, 4, 2, ON_VECTOR, 2),
    EXCEPT(tbxx3_16b, 6, 3, ON_VECTOR, 3),
    EXCEPT(tbxx4_16b, 6, 5, ON_VECTOR, 5),
    EXCEPT(fmov_d_x, 3, 1, ON_MULTI0, 1),
    EXCEPT(fmov_s_w, 3, 1, ON_MULTI0, 1),
    EXCEPT(pmul_16b, 3, 1, ON_VEC23, 1),
    EXCEPT(pmull_8h, 3, 1, ON_VEC23, 1),
    EXCEPT(pmull2_8h, 3, 1, ON_VEC23, 1),
    EXCEPT(sha256su1, 2, 1, ON_VEC0, 1),
    { 0 },
};

static const struct forwarding neoverse_v2_forwarding[] = {
    FORWARD(MULTIPLY, MUL_W, 0, 0, 1),
    FORWARD(MULTIPLY, MUL_X, 0, 0, 1),
    FORWARD(MULTIPLY, MUL_LONG, 0, 0, 1),
    FORWARD_TIED(V_MULTIPLY, V_MUL, 3),
    FORWARD_TIED(V_MULTIPLY, V_MUL_LONG, 3),
    FORWARD_TIED(V_SHIFT, V_SHIFT_INSERT, 3),
    { 0 },
};

const struct core core_neoverse_v2 = {
    .name = "neoverse-v2",
    .mca_cpu = "neoverse-v2",
    .in_order = false,
    .order_slack = 25,
    .issue_width = 6,
    .window = 320,
    .port_count = 20,
    .port_names = {
        "BRANCH0", "BRANCH1", "DATA0", "DATA1", "FLAG0", "FLAG1", "FLAG2", "LOAD2", "LOAD0",
        "LOAD1", "MULTI0", "MULTI1", "INT0", "INT1", "INT2", "INT3", "VEC0", "VEC1", "VEC2",
        "VEC3"
    },
    .writeback = { .latency = 1, .uops = 1, .ports = ON_INT, .busy = 1 },
    .timing = neoverse_v2_timing,
    .exceptions = neoverse_v2_exceptions,
    .forwarding = neoverse_v2_forwarding,
    .aes_pair_latency = 2,
    .free_shift = 4,
    .overlaps_iterations = true,
    .fuses_aes_pair = true,
    .fuses_compare_branch = true,
    .prefers_post_index = false,
};
