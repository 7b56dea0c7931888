/* cortex-a55.c: Arm Cortex-A55, two instructions a cycle in order.
 *
 * Sources: LLVM 22's scheduling model of it (latency, micro-operations, resources,
 * ReadAdvance, RetireOOO for stores), one instruction of each class, measured with
 * llvm-mca-22. A 128-bit vector operation takes one of the two vector units for two
 * cycles and issues only as the first of its cycle (SLOTHY's model: both units for one).
 * ldp of q registers is charged six cycles, two ldr are cheaper. That aese and aesmc fuse
 * is from LLVM's tuning of this core (FeatureFuseAES); llvm-mca does not know it.
 *
 * SLOTHY's model of the core has other latencies, up to half, for much of the vector
 * unit: where a row's is another (behind forwarding), it says so. LLVM's are kept, for a
 * fused pair as well: they are what figures are compared with.
 *
 * The tables are also those of `generic`.
 */
#include "core/rows.h"

enum {
    P_ALU0, P_ALU1, P_BRANCH, P_DIV, P_VEC0, P_VEC1, P_LOAD, P_MAC, P_STORE
};

#define ON_ALU (1u << P_ALU0 | 1u << P_ALU1)
#define ON_BRANCH (1u << P_BRANCH)
#define ON_DIV (1u << P_DIV)
#define ON_LOAD (1u << P_LOAD)
#define ON_MAC (1u << P_MAC)
#define ON_STORE (1u << P_STORE)
#define ON_VECTOR (1u << P_VEC0 | 1u << P_VEC1)

enum { INTEGER = 1 };   /* forwarding networks */

const struct timing cortex_a55_timing[TIME_COUNT] = {
    ROW(ALU, 3, 1, ON_ALU, 1, VIA(INTEGER)),           /* add x1, x2, x3 */
    ROW(ALU_SHIFT, 3, 1, ON_ALU, 1, VIA(INTEGER)),     /* eor x1, x2, x3, ror #4 */
    ROW(ALU_FLAGS, 3, 1, ON_ALU, 1, VIA(INTEGER)),     /* subs x1, x2, #3 */
    /* subs x1, x2, x3, lsl #3 */
    ROW(ALU_FLAGS_SHIFT, 3, 1, ON_ALU, 1, VIA(INTEGER)),
    ROW(ADC, 3, 1, ON_ALU, 1, VIA(INTEGER)),           /* adcs x1, x2, x3 */
    ROW(SELECT, 3, 1, ON_ALU, 1, VIA(INTEGER)),        /* csel x1, x2, x3, gt */
    ROW(SHIFT, 3, 1, ON_ALU, 1, VIA(INTEGER)),         /* lsl x1, x2, #3; SLOTHY has 2 */
    ROW(BITFIELD, 3, 1, ON_ALU, 1, VIA(INTEGER)),      /* ubfx x1, x2, #4, #3 */
    ROW(EXTRACT, 3, 1, ON_ALU, 1),                     /* extr x1, x2, x3, #3 */
    ROW(MOVE_IMM, 3, 1, ON_ALU, 1, VIA(INTEGER)),      /* movz x1, #1 */
    ROW(MOVE, 3, 1, ON_ALU, 1, VIA(INTEGER)),          /* mov x1, x2 */
    ROW(REVERSE, 3, 1, ON_ALU, 1, VIA(INTEGER)),       /* rev x1, x2 */
    ROW(ADDRESS, 3, 1, ON_ALU, 1, VIA(INTEGER)),       /* adrp x1, f */
    ROW(MUL_W, 4, 1, ON_MAC, 1, VIA(INTEGER)),         /* madd w1, w2, w3, w4 */
    ROW(MUL_X, 4, 1, ON_MAC, 1, VIA(INTEGER)),         /* madd x1, x2, x3, x4 */
    ROW(MUL_HIGH, 4, 1, ON_MAC, 1, VIA(INTEGER)),      /* umulh x1, x2, x3 */
    ROW(MUL_LONG, 4, 1, ON_MAC, 1, VIA(INTEGER)),      /* umaddl x1, w2, w3, x4 */
    ROW(DIV, 8, 1, ON_DIV, 8, VIA(INTEGER)),           /* udiv x1, x2, x3 */
    ROW(LOAD, 3, 1, ON_LOAD, 1),                       /* ldr x1, [x2]; SLOTHY has 4 */
    ROW(LOAD_INDEX, 4, 1, ON_LOAD, 1),                 /* ldr x1, [x2, x3, lsl #3] */
    /* ldp x1, x2, [x3] */
    ROW(LOAD_PAIR, 4, 2, ON_LOAD, 2, .second_latency = 5),
    ROW(LOAD_V, 3, 1, ON_LOAD, 1),                     /* ldr q1, [x2]; SLOTHY has 4 */
    ROW(LOAD_V_INDEX, 4, 1, ON_LOAD, 1),               /* ldr q1, [x2, x3, lsl #4] */
    /* ldp q1, q2, [x3]; SLOTHY has 6 for both */
    ROW(LOAD_V_PAIR, 4, 2, ON_LOAD, 6, .second_latency = 6),
    ROW(LOAD_LIST_1, 5, 1, ON_LOAD, 2),                /* ld1 {v1.16b}, [x2]; SLOTHY has 4 */
    /* ld1 {v10.16b, v11.16b}, [x3]; SLOTHY has 6 */
    ROW(LOAD_LIST_2, 7, 1, ON_LOAD, 4),
    ROW(LOAD_LIST_3, 9, 1, ON_LOAD, 6),                /* ld1 {v10.16b .. v12.16b}, [x4] */
    ROW(LOAD_LIST_4, 11, 1, ON_LOAD, 8),               /* ld1 {v10.16b .. v13.16b}, [x5] */
    ROW(LOAD_LANE, 4, 1, ON_LOAD, 1),                  /* ld1r {v1.4s}, [x2]; SLOTHY has 3 */
    /* str x1, [x2] */
    ROW(STORE, 1, 1, ON_STORE, 1, .flags = RETIRES_EARLY),
    /* str x1, [x2, x3] */
    ROW(STORE_INDEX, 1, 1, ON_STORE, 1, .flags = RETIRES_EARLY),
    /* stp x1, x2, [x3] */
    ROW(STORE_PAIR, 1, 1, ON_STORE, 1, .flags = RETIRES_EARLY),
    /* str q1, [x2] */
    ROW(STORE_V, 1, 1, ON_STORE, 1, .flags = RETIRES_EARLY),
    /* str q1, [x2, x3] */
    ROW(STORE_V_INDEX, 1, 1, ON_STORE, 1, .flags = RETIRES_EARLY),
    /* stp q1, q2, [x3] */
    ROW(STORE_V_PAIR, 1, 1, ON_STORE, 1, .flags = RETIRES_EARLY),
    ROW(STORE_LIST_1, 4, 1, ON_STORE, 1),              /* st1 {v1.16b}, [x2] */
    ROW(STORE_LIST_2, 4, 1, ON_STORE, 1),              /* st1 {v10.16b, v11.16b}, [x3] */
    ROW(STORE_LIST_3, 5, 1, ON_STORE, 2),              /* st1 {v10.16b .. v12.16b}, [x4] */
    ROW(STORE_LIST_4, 5, 1, ON_STORE, 4),              /* st1 {v10.16b .. v13.16b}, [x5] */
    ROW(STORE_LANE, 4, 1, ON_STORE, 1),                /* st1 {v1.d}[1], [x3] */
    ROW(BRANCH, 1, 1, ON_BRANCH, 1),                   /* b.ge l */
    ROW(CALL, 1, 1, ON_BRANCH, 1),                     /* bl f */
    ROW(HINT, 1, 1, ON_BRANCH, 1),                     /* nop */
    ROW(V_LOGIC, 1, 1, ON_VECTOR, 2, FIRST),           /* eor v1.16b, v2.16b, v3.16b */
    ROW(V_ADD, 2, 1, ON_VECTOR, 2, FIRST),             /* add v1.4s, v2.4s, v3.4s; SLOTHY has 3 */
    ROW(V_COMPARE, 2, 1, ON_VECTOR, 2, FIRST),         /* cmeq v1.16b, v2.16b, v3.16b */
    ROW(V_SHIFT, 2, 1, ON_VECTOR, 1),                  /* ushr v1.16b, v2.16b, #2 */
    ROW(V_SHIFT_INSERT, 4, 1, ON_VECTOR, 2, FIRST),    /* sri v1.4s, v2.4s, #3; SLOTHY has 2 */
    ROW(V_SHIFT_LONG, 2, 1, ON_VECTOR, 2, FIRST),      /* ushll v1.8h, v2.8b, #3 */
    ROW(V_MUL, 4, 1, ON_VECTOR, 2, FIRST),             /* mla v1.4s, v2.4s, v3.4s */
    ROW(V_MUL_LONG, 4, 1, ON_VECTOR, 2, FIRST),        /* umlal v1.2d, v2.2s, v3.2s */
    ROW(V_ADD_LONG, 3, 1, ON_VECTOR, 2, FIRST),        /* uaddl v1.8h, v2.8b, v3.8b */
    ROW(V_PERMUTE, 4, 1, ON_VECTOR, 2, FIRST),         /* zip1 v1.4s, v2.4s, v3.4s; SLOTHY has 2 */
    /* ext v1.16b, v2.16b, v3.16b, #6; SLOTHY has 2 */
    ROW(V_EXTRACT, 4, 1, ON_VECTOR, 2, FIRST),
    ROW(V_REVERSE, 4, 1, ON_VECTOR, 2, FIRST),         /* rev32 v1.16b, v2.16b */
    /* tbl v1.16b, {v2.16b}, v3.16b; SLOTHY has 2 */
    ROW(V_TABLE_1, 4, 1, ON_VECTOR, 2, FIRST),
    /* tbl v1.16b .. v11.16b}, v4.16b; SLOTHY has 3 */
    ROW(V_TABLE_2, 4, 1, ON_VECTOR, 2, FIRST),
    ROW(V_TABLE_3, 4, 1, ON_VECTOR, 2, FIRST),         /* tbl v1.16b .. v12.16b}, v5.16b */
    ROW(V_TABLE_4, 4, 1, ON_VECTOR, 2, FIRST),         /* tbl v1.16b .. v13.16b}, v6.16b */
    ROW(V_MOVE, 1, 1, ON_VECTOR, 2, FIRST),            /* mov v1.16b, v2.16b */
    ROW(V_MOVE_IMM, 4, 1, ON_VECTOR, 2, FIRST),        /* movi v1.16b, #1 */
    ROW(V_DUP_GENERAL, 2, 1, ON_VECTOR, 1),            /* dup v1.4s, w2; SLOTHY has 3 */
    ROW(V_INSERT_LANE, 4, 1, ON_VECTOR, 2, FIRST),     /* ins v1.d[0], v3.d[1] */
    ROW(V_INSERT_GENERAL, 4, 1, ON_VECTOR, 2, FIRST),  /* ins v1.d[0], x3; SLOTHY has 2 */
    ROW(V_TO_GENERAL, 4, 1, ON_VECTOR, 2, FIRST),      /* umov x1, v2.d[0]; SLOTHY has 2 */
    ROW(PMULL, 4, 1, ON_VECTOR, 2, FIRST),             /* pmull v1.1q, v2.1d, v3.1d; SLOTHY has 2 */
    ROW(AES, 4, 1, ON_VECTOR, 2, FIRST),               /* aese v1.16b, v2.16b; SLOTHY has 2 */
    ROW(AES_MIX, 4, 1, ON_VECTOR, 2, FIRST),           /* aesmc v1.16b, v2.16b; SLOTHY has 2 */
    ROW(SHA1, 4, 1, ON_VECTOR, 2, FIRST),              /* sha1c q1, s2, v3.4s */
    ROW(SHA1_FAST, 4, 1, ON_VECTOR, 2, FIRST),         /* sha1h s1, s2 */
    ROW(SHA256, 4, 1, ON_VECTOR, 2, FIRST),            /* sha256h q1, q2, v3.4s */
    ROW(SHA256_FAST, 4, 1, ON_VECTOR, 2, FIRST),       /* sha256su0 v1.4s, v2.4s */
    ROW(SHA512, 4, 1, ON_VECTOR, 2, FIRST),            /* sha512h q1, q2, v3.2d */
    ROW(SHA3, 4, 1, ON_VECTOR, 2, FIRST),              /* eor3 v1.16b, v2.16b, v3.16b, v4.16b */
};

const struct timing_exception cortex_a55_exceptions[] = {
    EXCEPT(ldp_w, 4, 2, ON_LOAD, 1),
    EXCEPT(ldp_w_post, 4, 2, ON_LOAD, 1),
    EXCEPT(ldp_w_pre, 4, 2, ON_LOAD, 1),
    EXCEPT(ldp_d, 4, 2, ON_LOAD, 2, .second_latency = 5),
    EXCEPT(ldp_d_post, 4, 2, ON_LOAD, 2, .second_latency = 5),
    EXCEPT(ldp_d_pre, 4, 2, ON_LOAD, 2, .second_latency = 5),
    EXCEPT(and_8b, 1, 1, ON_VECTOR, 1),
    EXCEPT(orr_8b, 1, 1, ON_VECTOR, 1),
    EXCEPT(eor_8b, 1, 1, ON_VECTOR, 1),
    EXCEPT(bic_8b, 1, 1, ON_VECTOR, 1),
    EXCEPT(orn_8b, 1, 1, ON_VECTOR, 1),
    EXCEPT(bsl_8b, 4, 1, ON_VECTOR, 1),
    EXCEPT(bsl_16b, 4, 1, ON_VECTOR, 2, FIRST),
    EXCEPT(bit_8b, 4, 1, ON_VECTOR, 1),
    EXCEPT(bit_16b, 4, 1, ON_VECTOR, 2, FIRST),
    EXCEPT(bif_8b, 4, 1, ON_VECTOR, 1),
    EXCEPT(bif_16b, 4, 1, ON_VECTOR, 2, FIRST),
    EXCEPT(not_8b, 1, 1, ON_VECTOR, 1),
    EXCEPT(mov_8b, 1, 1, ON_VECTOR, 1),
    EXCEPT(mvni_8h_imm, 1, 1, ON_VECTOR, 2, FIRST),
    EXCEPT(mvni_4s_imm, 1, 1, ON_VECTOR, 2, FIRST),
    EXCEPT(mvni_4s_msl, 1, 1, ON_VECTOR, 2, FIRST),
    EXCEPT(movi_d, 4, 1, ON_VECTOR, 1),
    EXCEPT(add_d, 2, 1, ON_VECTOR, 1),
    EXCEPT(sub_d, 2, 1, ON_VECTOR, 1),
    EXCEPT(addp_16b, 3, 1, ON_VECTOR, 2, FIRST),
    EXCEPT(addp_8h, 3, 1, ON_VECTOR, 2, FIRST),
    EXCEPT(addp_4s, 3, 1, ON_VECTOR, 2, FIRST),
    EXCEPT(addp_2d, 3, 1, ON_VECTOR, 2, FIRST),
    EXCEPT(cmtst_16b, 3, 1, ON_VECTOR, 2, FIRST),
    EXCEPT(cmtst_8h, 3, 1, ON_VECTOR, 2, FIRST),
    EXCEPT(cmtst_4s, 3, 1, ON_VECTOR, 2, FIRST),
    EXCEPT(cmtst_2d, 3, 1, ON_VECTOR, 2, FIRST),
    EXCEPT(usra_16b, 3, 1, ON_VECTOR, 2, FIRST),
    EXCEPT(usra_8h, 3, 1, ON_VECTOR, 2, FIRST),
    EXCEPT(usra_4s, 3, 1, ON_VECTOR, 2, FIRST),
    EXCEPT(usra_2d, 3, 1, ON_VECTOR, 2, FIRST),
    EXCEPT(shrn_8b, 2, 1, ON_VECTOR, 1),
    EXCEPT(shrn_4h, 2, 1, ON_VECTOR, 1),
    EXCEPT(shrn_2s, 2, 1, ON_VECTOR, 1),
    EXCEPT(shrn2_16b, 2, 1, ON_VECTOR, 1),
    EXCEPT(shrn2_8h, 2, 1, ON_VECTOR, 1),
    EXCEPT(shrn2_4s, 2, 1, ON_VECTOR, 1),
    EXCEPT(xtn_8b, 2, 1, ON_VECTOR, 1),
    EXCEPT(xtn_4h, 2, 1, ON_VECTOR, 1),
    EXCEPT(xtn_2s, 2, 1, ON_VECTOR, 1),
    EXCEPT(xtn2_16b, 2, 1, ON_VECTOR, 1),
    EXCEPT(xtn2_8h, 2, 1, ON_VECTOR, 1),
    EXCEPT(xtn2_4s, 2, 1, ON_VECTOR, 1),
    EXCEPT(tbl_8b, 4, 1, ON_VECTOR, 1),
    EXCEPT(ext_8b, 4, 1, ON_VECTOR, 1),
    EXCEPT(rev16_8b, 4, 1, ON_VECTOR, 1),
    EXCEPT(rev32_8b, 4, 1, ON_VECTOR, 1),
    EXCEPT(rev64_8b, 4, 1, ON_VECTOR, 1),
    EXCEPT(rbit_8b, 4, 1, ON_VECTOR, 1),
    EXCEPT(cnt_8b, 4, 1, ON_VECTOR, 1),
    EXCEPT(cnt_16b, 4, 1, ON_VECTOR, 2, FIRST),
    EXCEPT(dup_16b_lane, 2, 1, ON_VECTOR, 1),
    EXCEPT(dup_8h_lane, 2, 1, ON_VECTOR, 1),
    EXCEPT(dup_4s_lane, 2, 1, ON_VECTOR, 1),
    EXCEPT(dup_2d_lane, 2, 1, ON_VECTOR, 1),
    EXCEPT(dup_d_lane, 4, 1, ON_VECTOR, 1),
    EXCEPT(umov_b, 4, 1, ON_VECTOR, 1),
    EXCEPT(umov_h, 4, 1, ON_VECTOR, 1),
    EXCEPT(umov_s, 4, 1, ON_VECTOR, 1),
    EXCEPT(fmov_d_x, 3, 1, ON_VECTOR, 1),
    EXCEPT(fmov_x_d, 3, 1, ON_VECTOR, 1),
    EXCEPT(fmov_s_w, 3, 1, ON_VECTOR, 1),
    EXCEPT(fmov_w_s, 3, 1, ON_VECTOR, 1),
    EXCEPT(pmul_16b, 3, 1, ON_VECTOR, 2, FIRST),
    EXCEPT(pmull_8h, 3, 1, ON_VECTOR, 2, FIRST),
    EXCEPT(pmull2_8h, 3, 1, ON_VECTOR, 2, FIRST),
    { 0 },
};

const struct forwarding cortex_a55_forwarding[] = {
    FORWARD(INTEGER, ALU, 2, 2),
    FORWARD(INTEGER, ALU_SHIFT, 2, 1),
    FORWARD(INTEGER, ALU_FLAGS, 2, 2),
    FORWARD(INTEGER, ALU_FLAGS_SHIFT, 2, 1),
    FORWARD(INTEGER, ADC, 2, 2),
    FORWARD(INTEGER, SELECT, 2, 2),
    FORWARD(INTEGER, SHIFT, 2, 2),
    FORWARD(INTEGER, BITFIELD, 2),
    FORWARD(INTEGER, MOVE_IMM, 2),
    FORWARD(INTEGER, MOVE, 2),
    FORWARD(INTEGER, REVERSE, 2),
    FORWARD(INTEGER, ADDRESS, 2),
    FORWARD(INTEGER, MUL_W, 1, 1, 2),
    FORWARD(INTEGER, MUL_X, 1, 1, 2),
    FORWARD(INTEGER, MUL_HIGH, 1, 1),
    FORWARD(INTEGER, MUL_LONG, 1, 1, 2),
    FORWARD(INTEGER, DIV, 1, 1),
    FORWARD(INTEGER, EXTRACT, 1),
    { 0 },
};

const struct core core_cortex_a55 = {
    .name = "cortex-a55",
    .mca_cpu = "cortex-a55",
    CORTEX_A55_PIPELINE,
    .aes_pair_latency = 4,
    .overlaps_iterations = true,
    .fuses_aes_pair = true,
    .fuses_compare_branch = false,
    .prefers_post_index = false,    /* in llvm-mca it waits until all before it is written */
    .load_pair_q_is_slow = true,
};
