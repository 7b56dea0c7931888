/* cortex-a72.c: Arm Cortex-A72, three instructions a cycle out of order.
 *
 * Sources: LLVM 22, which uses its Cortex-A57 model for this core (latency,
 * micro-operations, resources, ReadAdvance), one instruction of each class, measured
 * with llvm-mca-22; the window is that model's micro-operation buffer. That model
 * writes the base of a post-index ldr of q after 5 cycles and the register after 1,
 * which looks like an exchange of the two; it is kept, as what figures are compared
 * with. The fused pairs are those of Arm's Software Optimization Guide for the core.
 *
 * SLOTHY's model of the core calls its own latencies approximate; where a row's is
 * another, it says so, and LLVM's is kept.
 */
#include "core/rows.h"

enum {
    P_BRANCH, P_INT0, P_INT1, P_LOAD, P_MULTI, P_STORE, P_VEC0, P_VEC1
};

#define ON_BRANCH (1u << P_BRANCH)
#define ON_INT (1u << P_INT0 | 1u << P_INT1)
#define ON_LOAD (1u << P_LOAD)
#define ON_MULTI (1u << P_MULTI)
#define ON_STORE (1u << P_STORE)
#define ON_VEC0 (1u << P_VEC0)
#define ON_VEC1 (1u << P_VEC1)
#define ON_VECTOR (1u << P_VEC0 | 1u << P_VEC1)

enum { AES = 1, MULTIPLY, V_MULTIPLY, V_SHIFT };   /* forwarding networks */

static const struct timing cortex_a72_timing[TIME_COUNT] = {
    ROW(ALU, 1, 1, ON_INT, 1),                         /* add x1, x2, x3; SLOTHY has 2 */
    ROW(ALU_SHIFT, 2, 1, ON_MULTI, 1),                 /* eor x1, x2, x3, ror #4 */
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
    ROW(MUL_W, 3, 1, ON_MULTI, 1, VIA(MULTIPLY)),      /* madd w1, w2, w3, w4 */
    ROW(MUL_X, 5, 1, ON_MULTI, 1, VIA(MULTIPLY)),      /* madd x1, x2, x3, x4 */
    ROW(MUL_HIGH, 6, 1, ON_MULTI, 1),                  /* umulh x1, x2, x3 */
    ROW(MUL_LONG, 3, 1, ON_MULTI, 1, VIA(MULTIPLY)),   /* umaddl x1, w2, w3, x4 */
    ROW(DIV, 35, 1, ON_MULTI, 35),                     /* udiv x1, x2, x3 */
    ROW(LOAD, 4, 1, ON_LOAD, 1),                       /* ldr x1, [x2] */
    /* ldr x1, [x2, x3, lsl #3] */
    ROW(LOAD_INDEX, 4, 2, ON_LOAD, 1, AND(ON_INT, 1)),
    ROW(LOAD_PAIR, 4, 2, ON_LOAD, 1),                  /* ldp x1, x2, [x3] */
    ROW(LOAD_V, 5, 1, ON_LOAD, 1),                     /* ldr q1, [x2]; SLOTHY has 4 */
    /* ldr q1, [x2, x3, lsl #4] */
    ROW(LOAD_V_INDEX, 6, 2, ON_LOAD, 1, AND(ON_INT, 1)),
    /* ldp q1, q2, [x3] */
    ROW(LOAD_V_PAIR, 6, 3, ON_LOAD, 2, .second_latency = 4),
    ROW(LOAD_LIST_1, 5, 1, ON_LOAD, 1),                /* ld1 {v1.16b}, [x2]; SLOTHY has 4 */
    ROW(LOAD_LIST_2, 6, 2, ON_LOAD, 2),                /* ld1 {v10.16b, v11.16b}, [x3] */
    ROW(LOAD_LIST_3, 7, 3, ON_LOAD, 3),                /* ld1 {v10.16b .. v12.16b}, [x4] */
    ROW(LOAD_LIST_4, 8, 4, ON_LOAD, 4),                /* ld1 {v10.16b .. v13.16b}, [x5] */
    /* ld1r {v1.4s}, [x2] */
    ROW(LOAD_LANE, 8, 2, ON_LOAD, 1, AND(ON_VECTOR, 1)),
    /* str x1, [x2] */
    ROW(STORE, 1, 1, ON_STORE, 1, .writeback_uops = 2, .writeback_busy = 2),
    /* str x1, [x2, x3] */
    ROW(STORE_INDEX, 1, 2, ON_STORE, 1, AND(ON_INT, 1)),
    /* stp x1, x2, [x3] */
    ROW(STORE_PAIR, 2, 2, ON_STORE, 2, .writeback_uops = 2, .writeback_busy = 2),
    ROW(STORE_V, 2, 3, ON_STORE, 2, AND(ON_INT, 1)),   /* str q1, [x2] */
    /* str q1, [x2, x3] */
    ROW(STORE_V_INDEX, 2, 3, ON_STORE, 2, AND(ON_INT, 1)),
    /* stp q1, q2, [x3] */
    ROW(STORE_V_PAIR, 4, 5, ON_STORE, 4, AND(ON_INT, 1)),
    ROW(STORE_LIST_1, 2, 2, ON_STORE, 2),              /* st1 {v1.16b}, [x2] */
    ROW(STORE_LIST_2, 4, 4, ON_STORE, 4),              /* st1 {v10.16b, v11.16b}, [x3] */
    ROW(STORE_LIST_3, 6, 6, ON_STORE, 6),              /* st1 {v10.16b .. v12.16b}, [x4] */
    ROW(STORE_LIST_4, 8, 8, ON_STORE, 8),              /* st1 {v10.16b .. v13.16b}, [x5] */
    /* st1 {v1.d}[1], [x3] */
    ROW(STORE_LANE, 3, 2, ON_STORE, 1, AND(ON_VECTOR, 1)),
    ROW(BRANCH, 1, 1, ON_BRANCH, 1),                   /* b.ge l */
    ROW(CALL, 1, 2, ON_BRANCH, 1, AND(ON_INT, 1)),     /* bl f */
    ROW(HINT, 1, 1, 0, 1),                             /* nop */
    ROW(V_LOGIC, 3, 1, ON_VECTOR, 1),                  /* eor v1.16b, v2.16b, v3.16b */
    ROW(V_ADD, 3, 1, ON_VECTOR, 1),                    /* add v1.4s, v2.4s, v3.4s */
    ROW(V_COMPARE, 3, 1, ON_VECTOR, 1),                /* cmeq v1.16b, v2.16b, v3.16b */
    ROW(V_SHIFT, 3, 1, ON_VECTOR, 1),                  /* ushr v1.16b, v2.16b, #2 */
    ROW(V_SHIFT_INSERT, 3, 1, ON_VECTOR, 1),           /* sri v1.4s, v2.4s, #3 */
    ROW(V_SHIFT_LONG, 3, 1, ON_VECTOR, 1),             /* ushll v1.8h, v2.8b, #3 */
    ROW(V_MUL, 6, 2, ON_VEC0, 2, VIA(V_MULTIPLY)),     /* mla v1.4s, v2.4s, v3.4s */
    /* umlal v1.2d, v2.2s, v3.2s */
    ROW(V_MUL_LONG, 5, 1, ON_VEC0, 1, VIA(V_MULTIPLY)),
    ROW(V_ADD_LONG, 3, 1, ON_VECTOR, 1),               /* uaddl v1.8h, v2.8b, v3.8b */
    ROW(V_PERMUTE, 6, 3, ON_VECTOR, 3),                /* zip1 v1.4s, v2.4s, v3.4s; SLOTHY has 3 */
    ROW(V_EXTRACT, 3, 1, ON_VECTOR, 1),                /* ext v1.16b, v2.16b, v3.16b, #6 */
    ROW(V_REVERSE, 3, 1, ON_VECTOR, 1),                /* rev32 v1.16b, v2.16b */
    ROW(V_TABLE_1, 6, 3, ON_VECTOR, 3),                /* tbl v1.16b, {v2.16b}, v3.16b */
    ROW(V_TABLE_2, 9, 5, ON_VECTOR, 5),                /* tbl v1.16b .. v11.16b}, v4.16b */
    ROW(V_TABLE_3, 12, 7, ON_VECTOR, 7),               /* tbl v1.16b .. v12.16b}, v5.16b */
    ROW(V_TABLE_4, 15, 9, ON_VECTOR, 9),               /* tbl v1.16b .. v13.16b}, v6.16b */
    ROW(V_MOVE, 3, 1, ON_VECTOR, 1),                   /* mov v1.16b, v2.16b */
    ROW(V_MOVE_IMM, 3, 1, ON_VECTOR, 1),               /* movi v1.16b, #1 */
    /* dup v1.4s, w2 */
    ROW(V_DUP_GENERAL, 8, 2, ON_LOAD, 1, AND(ON_VECTOR, 1)),
    /* ins v1.d[0], v3.d[1] */
    ROW(V_INSERT_LANE, 8, 2, ON_LOAD, 1, AND(ON_VECTOR, 1)),
    /* ins v1.d[0], x3 */
    ROW(V_INSERT_GENERAL, 8, 2, ON_LOAD, 1, AND(ON_VECTOR, 1)),
    /* umov x1, v2.d[0] */
    ROW(V_TO_GENERAL, 6, 2, ON_LOAD, 1, AND(ON_INT, 1)),
    ROW(PMULL, 3, 1, ON_VEC0, 1),                      /* pmull v1.1q, v2.1d, v3.1d */
    ROW(AES, 3, 1, ON_VEC0, 1, VIA(AES)),              /* aese v1.16b, v2.16b */
    ROW(AES_MIX, 3, 1, ON_VEC0, 1, VIA(AES)),          /* aesmc v1.16b, v2.16b */
    ROW(SHA1, 6, 2, ON_VEC0, 2),                       /* sha1c q1, s2, v3.4s */
    ROW(SHA1_FAST, 3, 1, ON_VEC0, 1, VIA(AES)),        /* sha1h s1, s2 */
    ROW(SHA256, 6, 2, ON_VEC0, 2),                     /* sha256h q1, q2, v3.4s */
    ROW(SHA256_FAST, 3, 1, ON_VEC0, 1, VIA(AES)),      /* sha256su0 v1.4s, v2.4s */
    ROW(SHA512, 3, 1, ON_VECTOR, 1),                   /* sha512h q1, q2, v3.2d */
    ROW(SHA3, 3, 1, ON_VECTOR, 1),                     /* eor3 v1.16b, v2.16b, v3.16b, v4.16b */
};

static const struct timing_exception cortex_a72_exceptions[] = {
    EXCEPT(udiv_w, 19, 1, ON_MULTI, 19),
    EXCEPT(sdiv_w, 19, 1, ON_MULTI, 19),
    EXCEPT(ror_w_imm, 1, 1, ON_INT, 1),
    EXCEPT(extr_w, 1, 1, ON_INT, 1),
    EXCEPT(bfi_x, 2, 1, ON_MULTI, 1),
    EXCEPT(bfi_w, 2, 1, ON_MULTI, 1),
    EXCEPT(bfxil_x, 2, 1, ON_MULTI, 1),
    EXCEPT(bfxil_w, 2, 1, ON_MULTI, 1),
    EXCEPT(ldr_d_post, 1, 1, ON_LOAD, 1, .writeback_latency = 5),
    EXCEPT(ldr_q_post, 1, 1, ON_LOAD, 1, .writeback_latency = 5),
    EXCEPT(str_b, 1, 1, ON_STORE, 1),
    EXCEPT(stur_b, 1, 1, ON_STORE, 1),
    EXCEPT(str_h, 1, 1, ON_STORE, 1),
    EXCEPT(stur_h, 1, 1, ON_STORE, 1),
    EXCEPT(str_s, 1, 1, ON_STORE, 1),
    EXCEPT(stur_s, 1, 1, ON_STORE, 1),
    EXCEPT(str_d, 1, 1, ON_STORE, 1),
    EXCEPT(str_d_post, 1, 1, ON_STORE, 1, .writeback_uops = 2, .writeback_busy = 2),
    EXCEPT(str_d_pre, 1, 1, ON_STORE, 1, .writeback_uops = 2, .writeback_busy = 2),
    EXCEPT(stur_d, 1, 1, ON_STORE, 1),
    EXCEPT(stur_q, 2, 2, ON_STORE, 2),
    EXCEPT(ldrh_w_index, 5, 2, ON_LOAD, 1, AND(ON_INT, 1)),
    EXCEPT(ldr_d_index, 5, 1, ON_LOAD, 1),
    EXCEPT(ldr_d_uxtw, 5, 1, ON_LOAD, 1),
    EXCEPT(strh_w_index, 3, 2, ON_STORE, 1, AND(ON_INT, 1)),
    EXCEPT(str_d_index, 1, 2, ON_STORE, 1, AND(ON_INT, 1)),
    EXCEPT(str_d_uxtw, 1, 2, ON_STORE, 1, AND(ON_INT, 1)),
    EXCEPT(ldp_d, 5, 2, ON_LOAD, 1, .second_latency = 4),
    EXCEPT(ldp_d_post, 5, 2, ON_LOAD, 1, .second_latency = 4),
    EXCEPT(ldp_d_pre, 5, 2, ON_LOAD, 1, .second_latency = 4),
    EXCEPT(stp_w, 1, 1, ON_STORE, 1, .writeback_uops = 2, .writeback_busy = 2),
    EXCEPT(stp_w_post, 1, 1, ON_STORE, 1, .writeback_uops = 2, .writeback_busy = 2),
    EXCEPT(stp_w_pre, 1, 1, ON_STORE, 1, .writeback_uops = 2, .writeback_busy = 2),
    EXCEPT(stp_d, 2, 2, ON_STORE, 2),
    EXCEPT(stp_d_post, 2, 2, ON_STORE, 2, .writeback_uops = 2, .writeback_busy = 2),
    EXCEPT(stp_d_pre, 2, 2, ON_STORE, 2, .writeback_uops = 2, .writeback_busy = 2),
    EXCEPT(stp_q_post, 4, 5, ON_STORE, 4, AND(ON_INT, 1), .writeback_latency = 2),
    EXCEPT(stp_q_pre, 4, 5, ON_STORE, 4, AND(ON_INT, 1), .writeback_latency = 2,
            .writeback_uops = 2, .writeback_busy = 2),
    EXCEPT(ld1_d_lane, 5, 1, ON_LOAD, 1),
    EXCEPT(st1_b_lane, 1, 1, ON_STORE, 1),
    EXCEPT(st1_s_lane, 1, 1, ON_STORE, 1),
    EXCEPT(bsl_16b, 3, 2, ON_VECTOR, 2),
    EXCEPT(bit_16b, 3, 2, ON_VECTOR, 2),
    EXCEPT(bif_16b, 3, 2, ON_VECTOR, 2),
    EXCEPT(addv_16b, 8, 2, ON_VEC1, 2),
    EXCEPT(addv_4s, 7, 2, ON_VEC1, 1, AND(ON_VECTOR, 1)),
    EXCEPT(usra_16b, 4, 1, ON_VEC1, 1, VIA(V_SHIFT)),
    EXCEPT(usra_8h, 4, 1, ON_VEC1, 1, VIA(V_SHIFT)),
    EXCEPT(usra_4s, 4, 1, ON_VEC1, 1, VIA(V_SHIFT)),
    EXCEPT(usra_2d, 4, 1, ON_VEC1, 1, VIA(V_SHIFT)),
    EXCEPT(tbl_8b, 3, 1, ON_VECTOR, 1),
    EXCEPT(trn1_16b, 3, 1, ON_VECTOR, 1),
    EXCEPT(trn1_8h, 3, 1, ON_VECTOR, 1),
    EXCEPT(trn1_4s, 3, 1, ON_VECTOR, 1),
    EXCEPT(trn1_2d, 3, 1, ON_VECTOR, 1),
    EXCEPT(trn2_16b, 3, 1, ON_VECTOR, 1),
    EXCEPT(trn2_8h, 3, 1, ON_VECTOR, 1),
    EXCEPT(trn2_4s, 3, 1, ON_VECTOR, 1),
    EXCEPT(trn2_2d, 3, 1, ON_VECTOR, 1),
    EXCEPT(dup_16b_lane, 3, 1, ON_VECTOR, 1),
    EXCEPT(dup_8h_lane, 3, 1, ON_VECTOR, 1),
    EXCEPT(dup_4s_lane, 3, 1, ON_VECTOR, 1),
    EXCEPT(dup_2d_lane, 3, 1, ON_VECTOR, 1),
    EXCEPT(dup_d_lane, 8, 2, ON_LOAD, 1, AND(ON_VECTOR, 1)),
    EXCEPT(fmov_d_x, 5, 1, ON_LOAD, 1),
    EXCEPT(fmov_x_d, 5, 1, ON_LOAD, 1),
    EXCEPT(fmov_s_w, 5, 1, ON_LOAD, 1),
    EXCEPT(fmov_w_s, 5, 1, ON_LOAD, 1),
    EXCEPT(pmul_16b, 6, 2, ON_VEC0, 2),
    EXCEPT(pmull_8h, 5, 1, ON_VEC0, 1),
    EXCEPT(pmull2_8h, 5, 1, ON_VEC0, 1),
    EXCEPT(sha1su0, 6, 2, ON_VECTOR, 2),
    { 0 },
};

static const struct forwarding cortex_a72_forwarding[] = {
    FORWARD(AES, AES_MIX, 3),
    FORWARD(MULTIPLY, MUL_W, 0, 0, 2),
    FORWARD(MULTIPLY, MUL_X, 0, 0, 2),
    FORWARD(MULTIPLY, MUL_LONG, 0, 0, 2),
    FORWARD_TIED(V_MULTIPLY, V_MUL, 4),
    FORWARD_TIED(V_MULTIPLY, V_MUL_LONG, 4),
    FORWARD_TIED(V_SHIFT, V_SHIFT_INSERT, 3),
    { 0 },
};

const struct core core_cortex_a72 = {
    .name = "cortex-a72",
    .mca_cpu = "cortex-a72",
    .in_order = false,
    .order_slack = 25,
    .issue_width = 3,
    .window = 128,
    .port_count = 8,
    .port_names = {
        "BRANCH", "INT0", "INT1", "LOAD", "MULTI", "STORE", "VEC0", "VEC1"
    },
    .writeback = { .latency = 1, .uops = 1, .ports = ON_INT, .busy = 1 },
    .timing = cortex_a72_timing,
    .exceptions = cortex_a72_exceptions,
    .forwarding = cortex_a72_forwarding,
    .aes_pair_latency = 3,
    .fuses_aes_pair = true,
    .fuses_compare_branch = true,
    .prefers_post_index = false,
};
