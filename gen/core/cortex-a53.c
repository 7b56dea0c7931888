/* cortex-a53.c: Arm Cortex-A53, two instructions a cycle in order.
 *
 * Sources: LLVM 22's scheduling model of it (latency, micro-operations, resources,
 * ReadAdvance), one instruction of each class, measured with llvm-mca-22. An
 * instruction is not written before an older one (that model has no RetireOOO); an
 * updated base register counts as written at once, so that a post-index access waits
 * until everything before it is written. A vector operation takes 6 and is not
 * forwarded in that model. That aese and aesmc fuse is from LLVM's tuning of this core
 * (FeatureFuseAES); llvm-mca does not know it, and no source at hand has the pair's
 * latency: that of one AES instruction is assumed. Erratum 835769: a 64-bit
 * multiply-accumulate right after a memory access may be wrong. There is no second source:
 * SLOTHY has no model of this core.
 */
#include "core/rows.h"

enum {
    P_ALU0, P_ALU1, P_BRANCH, P_DIV, P_VECTOR, P_MEMORY, P_MAC
};

#define ON_ALU (1u << P_ALU0 | 1u << P_ALU1)
#define ON_BRANCH (1u << P_BRANCH)
#define ON_DIV (1u << P_DIV)
#define ON_MAC (1u << P_MAC)
#define ON_MEMORY (1u << P_MEMORY)
#define ON_VECTOR (1u << P_VECTOR)

enum { INTEGER = 1 };   /* forwarding networks */

static const struct timing cortex_a53_timing[TIME_COUNT] = {
    ROW(ALU, 3, 1, ON_ALU, 1, VIA(INTEGER)),           /* add x1, x2, x3 */
    ROW(ALU_SHIFT, 3, 1, ON_ALU, 1, VIA(INTEGER)),     /* eor x1, x2, x3, ror #4 */
    ROW(ALU_FLAGS, 3, 1, ON_ALU, 1, VIA(INTEGER)),     /* subs x1, x2, #3 */
    /* subs x1, x2, x3, lsl #3 */
    ROW(ALU_FLAGS_SHIFT, 3, 1, ON_ALU, 1, VIA(INTEGER)),
    ROW(ADC, 3, 1, ON_ALU, 1, VIA(INTEGER)),           /* adcs x1, x2, x3 */
    ROW(SELECT, 3, 1, ON_ALU, 1, VIA(INTEGER)),        /* csel x1, x2, x3, gt */
    ROW(SHIFT, 2, 1, ON_ALU, 1, VIA(INTEGER)),         /* lsl x1, x2, #3 */
    ROW(BITFIELD, 2, 1, ON_ALU, 1, VIA(INTEGER)),      /* ubfx x1, x2, #4, #3 */
    ROW(EXTRACT, 3, 1, ON_ALU, 1),                     /* extr x1, x2, x3, #3 */
    ROW(MOVE_IMM, 3, 1, ON_ALU, 1, VIA(INTEGER)),      /* movz x1, #1 */
    ROW(MOVE, 3, 1, ON_ALU, 1, VIA(INTEGER)),          /* mov x1, x2 */
    ROW(REVERSE, 3, 1, ON_ALU, 1, VIA(INTEGER)),       /* rev x1, x2 */
    ROW(ADDRESS, 3, 1, ON_ALU, 1, VIA(INTEGER)),       /* adrp x1, f */
    ROW(MUL_W, 4, 1, ON_MAC, 1, VIA(INTEGER)),         /* madd w1, w2, w3, w4 */
    ROW(MUL_X, 4, 1, ON_MAC, 1, VIA(INTEGER)),         /* madd x1, x2, x3, x4 */
    ROW(MUL_HIGH, 4, 1, ON_MAC, 1, VIA(INTEGER)),      /* umulh x1, x2, x3 */
    ROW(MUL_LONG, 4, 1, ON_MAC, 1, VIA(INTEGER)),      /* umaddl x1, w2, w3, x4 */
    ROW(DIV, 4, 1, ON_DIV, 1, VIA(INTEGER)),           /* udiv x1, x2, x3 */
    ROW(LOAD, 4, 1, ON_MEMORY, 1),                     /* ldr x1, [x2] */
    ROW(LOAD_INDEX, 4, 1, ON_MEMORY, 1),               /* ldr x1, [x2, x3, lsl #3] */
    ROW(LOAD_PAIR, 4, 2, ON_MEMORY, 2),                /* ldp x1, x2, [x3] */
    ROW(LOAD_V, 4, 1, ON_MEMORY, 1),                   /* ldr q1, [x2] */
    ROW(LOAD_V_INDEX, 4, 1, ON_MEMORY, 1),             /* ldr q1, [x2, x3, lsl #4] */
    ROW(LOAD_V_PAIR, 4, 2, ON_MEMORY, 2),              /* ldp q1, q2, [x3] */
    ROW(LOAD_LIST_1, 4, 1, ON_MEMORY, 1),              /* ld1 {v1.16b}, [x2] */
    ROW(LOAD_LIST_2, 5, 1, ON_MEMORY, 2),              /* ld1 {v10.16b, v11.16b}, [x3] */
    ROW(LOAD_LIST_3, 6, 1, ON_MEMORY, 3),              /* ld1 {v10.16b .. v12.16b}, [x4] */
    ROW(LOAD_LIST_4, 7, 1, ON_MEMORY, 4),              /* ld1 {v10.16b .. v13.16b}, [x5] */
    ROW(LOAD_LANE, 4, 1, ON_MEMORY, 1),                /* ld1r {v1.4s}, [x2] */
    ROW(STORE, 4, 1, ON_MEMORY, 1),                    /* str x1, [x2] */
    ROW(STORE_INDEX, 4, 1, ON_MEMORY, 1),              /* str x1, [x2, x3] */
    ROW(STORE_PAIR, 4, 1, ON_MEMORY, 1),               /* stp x1, x2, [x3] */
    ROW(STORE_V, 4, 1, ON_MEMORY, 1),                  /* str q1, [x2] */
    ROW(STORE_V_INDEX, 4, 1, ON_MEMORY, 1),            /* str q1, [x2, x3] */
    ROW(STORE_V_PAIR, 4, 1, ON_MEMORY, 1),             /* stp q1, q2, [x3] */
    ROW(STORE_LIST_1, 4, 1, ON_MEMORY, 1),             /* st1 {v1.16b}, [x2] */
    ROW(STORE_LIST_2, 4, 1, ON_MEMORY, 1),             /* st1 {v10.16b, v11.16b}, [x3] */
    ROW(STORE_LIST_3, 5, 1, ON_MEMORY, 2),             /* st1 {v10.16b .. v12.16b}, [x4] */
    ROW(STORE_LIST_4, 5, 1, ON_MEMORY, 2),             /* st1 {v10.16b .. v13.16b}, [x5] */
    ROW(STORE_LANE, 4, 1, ON_MEMORY, 1),               /* st1 {v1.d}[1], [x3] */
    ROW(BRANCH, 1, 1, ON_BRANCH, 1),                   /* b.ge l */
    ROW(CALL, 1, 1, ON_BRANCH, 1),                     /* bl f */
    ROW(HINT, 1, 1, ON_BRANCH, 1),                     /* nop */
    ROW(V_LOGIC, 6, 1, ON_VECTOR, 1),                  /* eor v1.16b, v2.16b, v3.16b */
    ROW(V_ADD, 6, 1, ON_VECTOR, 1),                    /* add v1.4s, v2.4s, v3.4s */
    ROW(V_COMPARE, 6, 1, ON_VECTOR, 1),                /* cmeq v1.16b, v2.16b, v3.16b */
    ROW(V_SHIFT, 6, 1, ON_VECTOR, 1),                  /* ushr v1.16b, v2.16b, #2 */
    ROW(V_SHIFT_INSERT, 6, 1, ON_VECTOR, 1),           /* sri v1.4s, v2.4s, #3 */
    ROW(V_SHIFT_LONG, 6, 1, ON_VECTOR, 1),             /* ushll v1.8h, v2.8b, #3 */
    ROW(V_MUL, 6, 1, ON_VECTOR, 1),                    /* mla v1.4s, v2.4s, v3.4s */
    ROW(V_MUL_LONG, 6, 1, ON_VECTOR, 1),               /* umlal v1.2d, v2.2s, v3.2s */
    ROW(V_ADD_LONG, 6, 1, ON_VECTOR, 1),               /* uaddl v1.8h, v2.8b, v3.8b */
    ROW(V_PERMUTE, 6, 1, ON_VECTOR, 1),                /* zip1 v1.4s, v2.4s, v3.4s */
    ROW(V_EXTRACT, 6, 1, ON_VECTOR, 1),                /* ext v1.16b, v2.16b, v3.16b, #6 */
    ROW(V_REVERSE, 6, 1, ON_VECTOR, 1),                /* rev32 v1.16b, v2.16b */
    ROW(V_TABLE_1, 6, 1, ON_VECTOR, 1),                /* tbl v1.16b, {v2.16b}, v3.16b */
    ROW(V_TABLE_2, 6, 1, ON_VECTOR, 1),                /* tbl v1.16b .. v11.16b}, v4.16b */
    ROW(V_TABLE_3, 6, 1, ON_VECTOR, 1),                /* tbl v1.16b .. v12.16b}, v5.16b */
    ROW(V_TABLE_4, 6, 1, ON_VECTOR, 1),                /* tbl v1.16b .. v13.16b}, v6.16b */
    ROW(V_MOVE, 6, 1, ON_VECTOR, 1),                   /* mov v1.16b, v2.16b */
    ROW(V_MOVE_IMM, 6, 1, ON_VECTOR, 1),               /* movi v1.16b, #1 */
    ROW(V_DUP_GENERAL, 6, 1, ON_VECTOR, 1),            /* dup v1.4s, w2 */
    ROW(V_INSERT_LANE, 6, 1, ON_VECTOR, 1),            /* ins v1.d[0], v3.d[1] */
    ROW(V_INSERT_GENERAL, 6, 1, ON_VECTOR, 1),         /* ins v1.d[0], x3 */
    ROW(V_TO_GENERAL, 6, 1, ON_VECTOR, 1),             /* umov x1, v2.d[0] */
    ROW(PMULL, 6, 1, ON_VECTOR, 1),                    /* pmull v1.1q, v2.1d, v3.1d */
    ROW(AES, 6, 1, ON_VECTOR, 1),                      /* aese v1.16b, v2.16b */
    ROW(AES_MIX, 6, 1, ON_VECTOR, 1),                  /* aesmc v1.16b, v2.16b */
    ROW(SHA1, 6, 1, ON_VECTOR, 1),                     /* sha1c q1, s2, v3.4s */
    ROW(SHA1_FAST, 6, 1, ON_VECTOR, 1),                /* sha1h s1, s2 */
    ROW(SHA256, 6, 1, ON_VECTOR, 1),                   /* sha256h q1, q2, v3.4s */
    ROW(SHA256_FAST, 6, 1, ON_VECTOR, 1),              /* sha256su0 v1.4s, v2.4s */
    ROW(SHA512, 6, 1, ON_VECTOR, 1),                   /* sha512h q1, q2, v3.2d */
    ROW(SHA3, 6, 1, ON_VECTOR, 1),                     /* eor3 v1.16b, v2.16b, v3.16b, v4.16b */
};

static const struct forwarding cortex_a53_forwarding[] = {
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
    { 0 },
};

const struct core core_cortex_a53 = {
    .name = "cortex-a53",
    .mca_cpu = "cortex-a53",
    .in_order = true,
    .issue_width = 2,
    .window = 0,
    .port_count = 7,
    .port_names = {
        "ALU0", "ALU1", "BRANCH", "DIV", "VECTOR", "MEMORY", "MAC"
    },
    .writeback = { .latency = 0, .uops = 1 },
    .timing = cortex_a53_timing,
    .forwarding = cortex_a53_forwarding,
    .aes_pair_latency = 6,
    .overlaps_iterations = true,
    .fuses_aes_pair = true,
    .fuses_compare_branch = false,
    .prefers_post_index = false,    /* in llvm-mca it waits until all before it is written */
    .erratum_835769 = true,
};
