/* neoverse-n1.c: Arm Neoverse N1 and Cortex-A76, out of order.
 *
 * Sources: LLVM 22's scheduling model of it (latency, micro-operations, resources),
 * one instruction of each class, measured with llvm-mca-22. The window is LLVM's
 * micro-operation buffer, the fused pairs are those of Arm's Software Optimization
 * Guide.
 *
 * It dispatches three a cycle; SLOTHY's model has four, two of them for vectors. Where
 * SLOTHY's latency is another the row says so. LLVM's figures are kept: they are what
 * figures are compared with.
 */
#include "core/rows.h"

enum {
    P_BRANCH, P_DATA0, P_DATA1, P_LOAD0, P_LOAD1, P_MULTI, P_INT0, P_INT1, P_VEC0, P_VEC1
};

#define ON_BRANCH (1u << P_BRANCH)
#define ON_DATA (1u << P_DATA0 | 1u << P_DATA1)
#define ON_INT (1u << P_MULTI | 1u << P_INT0 | 1u << P_INT1)
#define ON_LOAD (1u << P_LOAD0 | 1u << P_LOAD1)
#define ON_MULTI (1u << P_MULTI)
#define ON_VEC0 (1u << P_VEC0)
#define ON_VEC1 (1u << P_VEC1)
#define ON_VECTOR (1u << P_VEC0 | 1u << P_VEC1)

static const struct timing neoverse_n1_timing[TIME_COUNT] = {
    ROW(ALU, 1, 1, ON_INT, 1),                         /* add x1, x2, x3 */
    ROW(ALU_SHIFT, 1, 1, ON_INT, 1),                   /* eor x1, x2, x3, ror #4; SLOTHY has 2 */
    ROW(ALU_FLAGS, 1, 1, ON_INT, 1),                   /* subs x1, x2, #3 */
    ROW(ALU_FLAGS_SHIFT, 2, 1, ON_MULTI, 1),           /* subs x1, x2, x3, lsl #3 */
    ROW(ADC, 1, 1, ON_INT, 1),                         /* adcs x1, x2, x3 */
    ROW(SELECT, 1, 1, ON_INT, 1),                      /* csel x1, x2, x3, gt */
    ROW(SHIFT, 1, 1, ON_INT, 1),                       /* lsl x1, x2, #3 */
    ROW(BITFIELD, 1, 1, ON_INT, 1),                    /* ubfx x1, x2, #4, #3 */
    ROW(EXTRACT, 3, 2, ON_MULTI, 1, AND(ON_INT, 1)),   /* extr x1, x2, x3, #3; SLOTHY has 1 */
    ROW(MOVE_IMM, 1, 1, ON_INT, 1),                    /* movz x1, #1 */
    ROW(MOVE, 1, 1, ON_INT, 1),                        /* mov x1, x2 */
    ROW(REVERSE, 1, 1, ON_INT, 1),                     /* rev x1, x2 */
    ROW(ADDRESS, 1, 1, ON_INT, 1),                     /* adrp x1, f */
    ROW(MUL_W, 2, 1, ON_MULTI, 1),                     /* madd w1, w2, w3, w4 */
    ROW(MUL_X, 4, 1, ON_MULTI, 3),                     /* madd x1, x2, x3, x4 */
    ROW(MUL_HIGH, 5, 1, ON_MULTI, 3),                  /* umulh x1, x2, x3 */
    ROW(MUL_LONG, 2, 1, ON_MULTI, 1),                  /* umaddl x1, w2, w3, x4 */
    ROW(DIV, 20, 1, ON_MULTI, 5),                      /* udiv x1, x2, x3 */
    ROW(LOAD, 4, 1, ON_LOAD, 1),                       /* ldr x1, [x2] */
    ROW(LOAD_INDEX, 4, 1, ON_LOAD, 1),                 /* ldr x1, [x2, x3, lsl #3] */
    ROW(LOAD_PAIR, 4, 2, ON_LOAD, 2),                  /* ldp x1, x2, [x3] */
    /* ldr q1, [x2]; SLOTHY has 4 */
    ROW(LOAD_V, 5, 2, ON_LOAD, 1, AND(ON_INT, 1), .writeback_uops = NOTHING,
        .writeback_busy = NOTHING),
    /* ldr q1, [x2, x3, lsl #4] */
    ROW(LOAD_V_INDEX, 6, 2, ON_LOAD, 1, AND(ON_INT, 1)),
    /* ldp q1, q2, [x3]; SLOTHY has 4 */
    ROW(LOAD_V_PAIR, 7, 3, ON_LOAD, 2, AND(ON_INT, 1), .second_latency = 4,
        .writeback_uops = NOTHING, .writeback_busy = NOTHING),
    ROW(LOAD_LIST_1, 5, 1, ON_LOAD, 1),                /* ld1 {v1.16b}, [x2]; SLOTHY has 4 */
    ROW(LOAD_LIST_2, 5, 2, ON_LOAD, 2),                /* ld1 {v10.16b, v11.16b}, [x3] */
    ROW(LOAD_LIST_3, 6, 3, ON_LOAD, 3),                /* ld1 {v10.16b .. v12.16b}, [x4] */
    ROW(LOAD_LIST_4, 6, 4, ON_LOAD, 4),                /* ld1 {v10.16b .. v13.16b}, [x5] */
    /* ld1r {v1.4s}, [x2] */
    ROW(LOAD_LANE, 7, 2, ON_LOAD, 1, AND(ON_VECTOR, 1)),
    ROW(STORE, 1, 2, ON_DATA, 1, AND(ON_LOAD, 1)),     /* str x1, [x2] */
    /* str x1, [x2, x3] */
    ROW(STORE_INDEX, 1, 2, ON_DATA, 1, AND(ON_LOAD, 1)),
    /* stp x1, x2, [x3] */
    ROW(STORE_PAIR, 1, 3, ON_LOAD, 2, AND(ON_DATA, 1)),
    /* str q1, [x2] */
    ROW(STORE_V, 2, 4, ON_LOAD, 2, AND(ON_VECTOR, 2)),
    /* str q1, [x2, x3] */
    ROW(STORE_V_INDEX, 2, 4, ON_LOAD, 2, AND(ON_VECTOR, 2)),
    /* stp q1, q2, [x3] */
    ROW(STORE_V_PAIR, 3, 6, ON_LOAD, 4, AND(ON_VECTOR, 2)),
    /* st1 {v1.16b}, [x2] */
    ROW(STORE_LIST_1, 2, 2, ON_LOAD, 1, AND(ON_VECTOR, 1)),
    /* st1 {v10.16b, v11.16b}, [x3] */
    ROW(STORE_LIST_2, 2, 4, ON_LOAD, 2, AND(ON_VECTOR, 2)),
    /* st1 {v10.16b .. v12.16b}, [x4] */
    ROW(STORE_LIST_3, 4, 6, ON_LOAD, 3, AND(ON_VECTOR, 3)),
    /* st1 {v10.16b .. v13.16b}, [x5] */
    ROW(STORE_LIST_4, 5, 8, ON_LOAD, 4, AND(ON_VECTOR, 4)),
    /* st1 {v1.d}[1], [x3] */
    ROW(STORE_LANE, 4, 2, ON_LOAD, 1, AND(ON_VECTOR, 1)),
    ROW(BRANCH, 1, 1, ON_BRANCH, 1),                   /* b.ge l */
    ROW(CALL, 1, 2, ON_BRANCH, 1, AND(ON_INT, 1)),     /* bl f */
    ROW(HINT, 1, 1, 0, 1),                             /* nop */
    ROW(V_LOGIC, 2, 1, ON_VECTOR, 1),                  /* eor v1.16b, v2.16b, v3.16b */
    ROW(V_ADD, 2, 1, ON_VECTOR, 1),                    /* add v1.4s, v2.4s, v3.4s */
    ROW(V_COMPARE, 2, 1, ON_VECTOR, 1),                /* cmeq v1.16b, v2.16b, v3.16b */
    ROW(V_SHIFT, 2, 1, ON_VEC1, 1),                    /* ushr v1.16b, v2.16b, #2 */
    ROW(V_SHIFT_INSERT, 2, 1, ON_VEC1, 1),             /* sri v1.4s, v2.4s, #3 */
    ROW(V_SHIFT_LONG, 2, 1, ON_VEC1, 1),               /* ushll v1.8h, v2.8b, #3 */
    ROW(V_MUL, 5, 2, ON_VEC0, 2),                      /* mla v1.4s, v2.4s, v3.4s */
    ROW(V_MUL_LONG, 4, 1, ON_VEC0, 1),                 /* umlal v1.2d, v2.2s, v3.2s */
    ROW(V_ADD_LONG, 2, 1, ON_VECTOR, 1),               /* uaddl v1.8h, v2.8b, v3.8b */
    ROW(V_PERMUTE, 2, 1, ON_VECTOR, 1),                /* zip1 v1.4s, v2.4s, v3.4s */
    ROW(V_EXTRACT, 2, 1, ON_VECTOR, 1),                /* ext v1.16b, v2.16b, v3.16b, #6 */
    ROW(V_REVERSE, 2, 1, ON_VECTOR, 1),                /* rev32 v1.16b, v2.16b */
    ROW(V_TABLE_1, 2, 1, ON_VECTOR, 1),                /* tbl v1.16b, {v2.16b}, v3.16b */
    ROW(V_TABLE_2, 2, 1, ON_VECTOR, 1),                /* tbl v1.16b .. v11.16b}, v4.16b */
    ROW(V_TABLE_3, 4, 4, ON_VECTOR, 4),                /* tbl v1.16b .. v12.16b}, v5.16b */
    ROW(V_TABLE_4, 4, 3, ON_VECTOR, 3),                /* tbl v1.16b .. v13.16b}, v6.16b */
    ROW(V_MOVE, 2, 1, ON_VECTOR, 1),                   /* mov v1.16b, v2.16b */
    ROW(V_MOVE_IMM, 2, 1, ON_VECTOR, 1),               /* movi v1.16b, #1 */
    ROW(V_DUP_GENERAL, 3, 1, ON_MULTI, 1),             /* dup v1.4s, w2 */
    ROW(V_INSERT_LANE, 2, 1, ON_VECTOR, 1),            /* ins v1.d[0], v3.d[1] */
    /* ins v1.d[0], x3 */
    ROW(V_INSERT_GENERAL, 5, 2, ON_MULTI, 1, AND(ON_VECTOR, 1)),
    ROW(V_TO_GENERAL, 2, 1, ON_VECTOR, 1),             /* umov x1, v2.d[0] */
    ROW(PMULL, 2, 1, ON_VEC0, 1),                      /* pmull v1.1q, v2.1d, v3.1d */
    ROW(AES, 2, 1, ON_VEC0, 1),                        /* aese v1.16b, v2.16b */
    ROW(AES_MIX, 2, 1, ON_VEC0, 1),                    /* aesmc v1.16b, v2.16b */
    ROW(SHA1, 4, 1, ON_VEC0, 1),                       /* sha1c q1, s2, v3.4s */
    ROW(SHA1_FAST, 2, 1, ON_VEC0, 1),                  /* sha1h s1, s2 */
    ROW(SHA256, 4, 1, ON_VEC0, 1),                     /* sha256h q1, q2, v3.4s */
    ROW(SHA256_FAST, 2, 1, ON_VEC0, 1),                /* sha256su0 v1.4s, v2.4s */
    ROW(SHA512, 2, 1, ON_VECTOR, 1),                   /* sha512h q1, q2, v3.2d */
    ROW(SHA3, 2, 1, ON_VECTOR, 1),                     /* eor3 v1.16b, v2.16b, v3.16b, v4.16b */
};

static const struct timing_exception neoverse_n1_exceptions[] = {
    EXCEPT(add_x_lsl, 2, 1, ON_MULTI, 1),
    EXCEPT(add_x_lsr, 2, 1, ON_MULTI, 1),
    EXCEPT(sub_x_lsl, 2, 1, ON_MULTI, 1),
    EXCEPT(sub_x_lsr, 2, 1, ON_MULTI, 1),
    EXCEPT(add_x_uxtw, 2, 1, ON_MULTI, 1),
    EXCEPT(add_x_sxtw, 2, 1, ON_MULTI, 1),
    EXCEPT(sub_x_uxtw, 2, 1, ON_MULTI, 1),
    EXCEPT(sub_x_sxtw, 2, 1, ON_MULTI, 1),
    EXCEPT(ands_x, 2, 1, ON_MULTI, 1),
    EXCEPT(ands_w, 2, 1, ON_MULTI, 1),
    EXCEPT(bics_x, 2, 1, ON_MULTI, 1),
    EXCEPT(bics_w, 2, 1, ON_MULTI, 1),
    EXCEPT(tst_x, 2, 1, ON_MULTI, 1),
    EXCEPT(tst_w, 2, 1, ON_MULTI, 1),
    EXCEPT(udiv_w, 12, 1, ON_MULTI, 5),
    EXCEPT(sdiv_w, 12, 1, ON_MULTI, 5),
    EXCEPT(ror_x_imm, 1, 1, ON_INT, 1),
    EXCEPT(ror_w_imm, 1, 1, ON_INT, 1),
    EXCEPT(bfi_x, 2, 1, ON_MULTI, 1),
    EXCEPT(bfi_w, 2, 1, ON_MULTI, 1),
    EXCEPT(bfxil_x, 2, 1, ON_MULTI, 1),
    EXCEPT(bfxil_w, 2, 1, ON_MULTI, 1),
    EXCEPT(ldur_b, 5, 1, ON_LOAD, 1, .writeback_uops = NOTHING, .writeback_busy = NOTHING),
    EXCEPT(ldur_h, 5, 1, ON_LOAD, 1, .writeback_uops = NOTHING, .writeback_busy = NOTHING),
    EXCEPT(ldur_s, 5, 1, ON_LOAD, 1, .writeback_uops = NOTHING, .writeback_busy = NOTHING),
    EXCEPT(ldur_d, 5, 1, ON_LOAD, 1, .writeback_uops = NOTHING, .writeback_busy = NOTHING),
    EXCEPT(ldur_q, 5, 1, ON_LOAD, 1, .writeback_uops = NOTHING, .writeback_busy = NOTHING),
    EXCEPT(str_b, 2, 2, ON_LOAD, 1, AND(ON_VECTOR, 1)),
    EXCEPT(stur_b, 2, 2, ON_LOAD, 1, AND(ON_INT, 1)),
    EXCEPT(str_h, 2, 2, ON_LOAD, 1, AND(ON_VECTOR, 1)),
    EXCEPT(stur_h, 2, 2, ON_LOAD, 1, AND(ON_INT, 1)),
    EXCEPT(str_s, 2, 2, ON_LOAD, 1, AND(ON_VECTOR, 1)),
    EXCEPT(stur_s, 2, 2, ON_LOAD, 1, AND(ON_INT, 1)),
    EXCEPT(str_d, 2, 2, ON_LOAD, 1, AND(ON_VECTOR, 1)),
    EXCEPT(str_d_post, 2, 2, ON_LOAD, 1, AND(ON_VECTOR, 1)),
    EXCEPT(str_d_pre, 2, 2, ON_LOAD, 1, AND(ON_VECTOR, 1)),
    EXCEPT(stur_d, 2, 2, ON_LOAD, 1, AND(ON_INT, 1)),
    EXCEPT(stur_q, 2, 4, ON_LOAD, 2, AND(ON_INT, 2)),
    EXCEPT(ldr_d_index, 5, 2, ON_LOAD, 1, AND(ON_INT, 1)),
    EXCEPT(ldr_d_uxtw, 5, 2, ON_LOAD, 1, AND(ON_INT, 1)),
    EXCEPT(str_d_index, 2, 2, ON_LOAD, 1, AND(ON_VECTOR, 1)),
    EXCEPT(str_d_uxtw, 2, 2, ON_LOAD, 1, AND(ON_VECTOR, 1)),
    EXCEPT(ldp_w, 4, 1, ON_LOAD, 1),
    EXCEPT(ldp_w_post, 4, 3, ON_LOAD, 2, AND(ON_INT, 1), .writeback_uops = NOTHING,
            .writeback_busy = NOTHING),
    EXCEPT(ldp_w_pre, 4, 3, ON_LOAD, 2, AND(ON_INT, 1), .writeback_uops = NOTHING,
            .writeback_busy = NOTHING),
    EXCEPT(ldp_d, 5, 3, ON_LOAD, 2, AND(ON_INT, 1), .second_latency = 4,
            .writeback_uops = NOTHING, .writeback_busy = NOTHING),
    EXCEPT(ldp_d_post, 5, 3, ON_LOAD, 2, AND(ON_INT, 1), .second_latency = 4,
            .writeback_uops = NOTHING, .writeback_busy = NOTHING),
    EXCEPT(ldp_d_pre, 5, 3, ON_LOAD, 2, AND(ON_INT, 1), .second_latency = 4,
            .writeback_uops = NOTHING, .writeback_busy = NOTHING),
    EXCEPT(stp_w, 1, 2, ON_DATA, 1, AND(ON_LOAD, 1)),
    EXCEPT(stp_w_post, 1, 4, ON_LOAD, 2, AND_2(ON_DATA, 1, ON_INT, 1),
            .writeback_uops = NOTHING, .writeback_busy = NOTHING),
    EXCEPT(stp_w_pre, 1, 4, ON_LOAD, 2, AND_2(ON_DATA, 1, ON_INT, 1),
            .writeback_uops = NOTHING, .writeback_busy = NOTHING),
    EXCEPT(stp_d, 2, 4, ON_LOAD, 2, AND(ON_VECTOR, 2)),
    EXCEPT(stp_d_post, 2, 4, ON_LOAD, 2, AND(ON_VECTOR, 2)),
    EXCEPT(stp_d_pre, 2, 4, ON_LOAD, 2, AND(ON_VECTOR, 2)),
    EXCEPT(stp_q_post, 3, 6, ON_LOAD, 4, AND(ON_VECTOR, 2), .writeback_latency = 2),
    EXCEPT(stp_q_pre, 3, 6, ON_LOAD, 4, AND(ON_VECTOR, 2), .writeback_latency = 2),
    EXCEPT(mul_4s_lane, 2, 1, ON_VECTOR, 1),
    EXCEPT(mla_4s_lane, 2, 1, ON_VECTOR, 1),
    EXCEPT(mls_4s_lane, 2, 1, ON_VECTOR, 1),
    EXCEPT(addv_16b, 6, 2, ON_VEC1, 2),
    EXCEPT(addv_4s, 3, 1, ON_VEC1, 1),
    EXCEPT(shl_d, 2, 1, ON_VECTOR, 1),
    EXCEPT(ushr_d, 2, 1, ON_VECTOR, 1),
    EXCEPT(usra_16b, 4, 1, ON_VEC1, 1),
    EXCEPT(usra_8h, 4, 1, ON_VEC1, 1),
    EXCEPT(usra_4s, 4, 1, ON_VEC1, 1),
    EXCEPT(usra_2d, 4, 1, ON_VEC1, 1),
    EXCEPT(xtn_8b, 2, 1, ON_VECTOR, 1),
    EXCEPT(xtn_4h, 2, 1, ON_VECTOR, 1),
    EXCEPT(xtn_2s, 2, 1, ON_VECTOR, 1),
    EXCEPT(xtn2_16b, 2, 1, ON_VECTOR, 1),
    EXCEPT(xtn2_8h, 2, 1, ON_VECTOR, 1),
    EXCEPT(xtn2_4s, 2, 1, ON_VECTOR, 1),
    EXCEPT(tbxx2_16b, 4, 4, ON_VECTOR, 4),
    EXCEPT(tbxx3_16b, 6, 3, ON_VECTOR, 3),
    EXCEPT(tbxx4_16b, 6, 5, ON_VECTOR, 5),
    EXCEPT(umov_b, 2, 1, ON_VEC1, 1),
    EXCEPT(umov_h, 2, 1, ON_VEC1, 1),
    EXCEPT(umov_s, 2, 1, ON_VEC1, 1),
    EXCEPT(fmov_d_x, 3, 1, ON_MULTI, 1),
    EXCEPT(fmov_x_d, 2, 1, ON_VEC1, 1),
    EXCEPT(fmov_s_w, 3, 1, ON_MULTI, 1),
    EXCEPT(fmov_w_s, 2, 1, ON_VEC1, 1),
    EXCEPT(pmul_16b, 4, 2, ON_VEC0, 2),
    EXCEPT(pmull_8h, 3, 1, ON_VEC0, 1),
    EXCEPT(pmull2_8h, 4, 2, ON_VEC0, 2),
    EXCEPT(sha256su1, 2, 1, ON_VEC0, 1),
    { 0 },
};

const struct core core_neoverse_n1 = {
    .name = "neoverse-n1",
    .mca_cpu = "neoverse-n1",
    .in_order = false,
    .order_slack = 25,
    .issue_width = 3,
    .window = 128,
    .port_count = 10,
    .port_names = {
        "BRANCH", "DATA0", "DATA1", "LOAD0", "LOAD1", "MULTI", "INT0", "INT1", "VEC0", "VEC1"
    },
    .writeback = { .latency = 1, .uops = 1, .ports = ON_INT, .busy = 1 },
    .timing = neoverse_n1_timing,
    .exceptions = neoverse_n1_exceptions,
    .aes_pair_latency = 2,
    .free_shift = 4,
    .overlaps_iterations = true,
    .fuses_aes_pair = true,
    .fuses_compare_branch = true,
    .prefers_post_index = false,
};
