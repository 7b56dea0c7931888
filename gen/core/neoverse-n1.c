/* neoverse-n1.c: Arm Neoverse N1 and Cortex-A76, out of order.
 *
 * Sources: LLVM 22's scheduling model of it (latency, micro-operations, resources),
 * one instruction of each class; it dispatches three a cycle, SLOTHY's model
 * has four (the sources disagree; LLVM's is kept). The window is LLVM's micro-
 * operation buffer, the fused pairs are those of Arm's Software Optimization Guide.
 */
#include "core/cores.h"

enum {
    P_INT0, P_INT1, P_MULTI, P_LOAD0, P_LOAD1, P_VEC0, P_VEC1, P_BRANCH
};

#define ON_BRANCH (1u << P_BRANCH)
#define ON_DIV (1u << P_MULTI)
#define ON_INT (1u << P_INT0 | 1u << P_INT1 | 1u << P_MULTI)
#define ON_MEMORY (1u << P_LOAD0 | 1u << P_LOAD1)
#define ON_MULTI (1u << P_MULTI)
#define ON_VEC0 (1u << P_VEC0)
#define ON_VEC1 (1u << P_VEC1)
#define ON_VEC_ANY (1u << P_VEC0 | 1u << P_VEC1)

#define ROW(class, cycles, slots, on, busy_cycles) \
    [TIME_##class] = { .latency = cycles, .uops = slots, .ports = on, .busy = busy_cycles, \
                       .writeback_latency = 1 }

const struct core core_neoverse_n1 = {
    .name = "neoverse-n1",
    .mca_cpu = "neoverse-n1",
    .in_order = false,
    .order_slack = 25,
    .issue_width = 3,
    .window = 128,
    .port_count = 8,
    .port_names = { "INT0", "INT1", "MULTI", "LOAD0", "LOAD1", "VEC0", "VEC1", "BRANCH" },
    .timing = {
        ROW(ALU, 1, 1, ON_INT, 1),                   /* add x0, x1, x2 */
        ROW(ALU_SHIFT, 1, 1, ON_INT, 1),             /* add x0, x1, x2, lsl #3 */
        ROW(ALU_FLAGS, 1, 1, ON_INT, 1),             /* adds x0, x1, x2 */
        ROW(ALU_FLAGS_SHIFT, 1, 1, ON_INT, 1),       /* add x0, x1, x2, lsl #3: as ALU_SHIFT */
        ROW(ADC, 1, 1, ON_INT, 1),                   /* adcs x0, x1, x2 */
        ROW(SELECT, 1, 1, ON_INT, 1),                /* csel x0, x1, x2, cs */
        ROW(SHIFT, 1, 1, ON_INT, 1),                 /* lsl x0, x1, #3 */
        ROW(BITFIELD, 1, 1, ON_INT, 1),              /* ubfx x0, x1, #3, #7 */
        ROW(MOVE_IMM, 1, 1, ON_INT, 1),              /* movz x0, #1 */
        ROW(MOVE, 1, 1, ON_INT, 1),                  /* mov x0, x1 */
        ROW(REVERSE, 1, 1, ON_INT, 1),               /* rev x0, x1 */
        ROW(ADDRESS, 1, 1, ON_INT, 1),               /* adrp x0, foo */
        ROW(MUL_W, 2, 1, ON_MULTI, 1),               /* umull x0, w1, w2: as MUL_LONG */
        ROW(MUL_X, 4, 1, ON_MULTI, 3),               /* mul x0, x1, x2 */
        ROW(MUL_HIGH, 5, 1, ON_MULTI, 3),            /* umulh x0, x1, x2 */
        ROW(MUL_LONG, 2, 1, ON_MULTI, 1),            /* umull x0, w1, w2 */
        ROW(DIV, 12, 1, ON_DIV, 12),                 /* udiv: an estimate, no source has it */
        ROW(LOAD, 4, 1, ON_MEMORY, 1),               /* ldr x0, [x1] */
        ROW(LOAD_INDEX, 4, 1, ON_MEMORY, 1),         /* ldr x0, [x1, x2, lsl #3] */
        ROW(LOAD_PAIR, 4, 2, ON_MEMORY, 2),          /* ldp x0, x2, [x1] */
        ROW(LOAD_V, 5, 2, ON_MEMORY, 1),             /* ldr q0, [x1] */
        ROW(LOAD_V_INDEX, 6, 2, ON_MEMORY, 1),       /* ldr q0, [x1, x2] */
        ROW(LOAD_V_PAIR, 7, 3, ON_MEMORY, 2),        /* ldp q0, q2, [x1] */
        ROW(LOAD_LIST_1, 5, 1, ON_MEMORY, 1),        /* ld1 {v0}, [x1] */
        ROW(LOAD_LIST_2, 5, 3, ON_MEMORY, 2),        /* ld1 {v0, v1}, [x1] */
        ROW(LOAD_LIST_3, 6, 5, ON_MEMORY, 4),        /* ld1 {v0 .. v3}, [x1]: as LOAD_LIST_4 */
        ROW(LOAD_LIST_4, 6, 5, ON_MEMORY, 4),        /* ld1 {v0 .. v3}, [x1] */
        ROW(LOAD_LANE, 7, 2, ON_MEMORY, 1),          /* ld1r {v0.4s}, [x1] */
        ROW(STORE, 1, 2, ON_MEMORY, 1),              /* str x0, [x1] */
        ROW(STORE_INDEX, 1, 2, ON_MEMORY, 1),        /* str x0, [x1]: as STORE */
        ROW(STORE_PAIR, 1, 3, ON_MEMORY, 2),         /* stp x0, x2, [x1] */
        ROW(STORE_V, 2, 4, ON_MEMORY, 2),            /* str q0, [x1] */
        ROW(STORE_V_INDEX, 2, 4, ON_MEMORY, 2),      /* str q0, [x1]: as STORE_V */
        ROW(STORE_V_PAIR, 3, 6, ON_MEMORY, 4),       /* stp q0, q2, [x1] */
        ROW(STORE_LIST_1, 2, 2, ON_MEMORY, 1),       /* st1 {v0}, [x1] */
        ROW(STORE_LIST_2, 2, 5, ON_MEMORY, 2),       /* st1 {v0, v1}, [x1] */
        ROW(STORE_LIST_3, 2, 5, ON_MEMORY, 2),       /* st1 {v0, v1}, [x1]: as STORE_LIST_2 */
        ROW(STORE_LIST_4, 2, 10, ON_MEMORY, 4),      /* st1 {v0, v1}, [x1]: as STORE_LIST_2, doubled */
        ROW(STORE_LANE, 2, 2, ON_MEMORY, 1),         /* st1 {v0}, [x1]: as STORE_LIST_1 */
        ROW(BRANCH, 1, 1, ON_BRANCH, 1),             /* b foo */
        ROW(CALL, 1, 2, ON_BRANCH, 1),               /* bl foo */
        ROW(HINT, 1, 1, 0, 1),                       /* nop */
        ROW(V_LOGIC, 2, 1, ON_VEC_ANY, 1),           /* eor v0, v1, v2 */
        ROW(V_ADD, 2, 1, ON_VEC_ANY, 1),             /* add v0.4s, v1.4s, v2.4s */
        ROW(V_COMPARE, 2, 1, ON_VEC_ANY, 1),         /* cmtst v0.4s, v1.4s, v2.4s */
        ROW(V_SHIFT, 2, 1, ON_VEC1, 1),              /* ushr v0.4s, v1.4s, #4 */
        ROW(V_SHIFT_INSERT, 2, 1, ON_VEC1, 1),       /* sri v0.4s, v1.4s, #7 */
        ROW(V_SHIFT_LONG, 2, 1, ON_VEC1, 1),         /* ushr v0.4s, v1.4s, #4: as V_SHIFT */
        ROW(V_MUL, 5, 2, ON_VEC0, 2),                /* mul v0.4s, v1.4s, v2.4s */
        ROW(V_MUL_LONG, 4, 1, ON_VEC0, 1),           /* umull v0.2d, v1.2s, v2.2s */
        ROW(V_ADD_LONG, 2, 1, ON_VEC_ANY, 1),        /* sub v0.4s, v1.4s, v2.4s: as sub */
        ROW(V_PERMUTE, 2, 1, ON_VEC_ANY, 1),         /* zip1 v0.4s, v1.4s, v2.4s */
        ROW(V_EXTRACT, 2, 1, ON_VEC_ANY, 1),         /* ext v0, v1, v2, #8 */
        ROW(V_REVERSE, 2, 1, ON_VEC_ANY, 1),         /* rev32 v0, v1 */
        ROW(V_TABLE_1, 2, 1, ON_VEC_ANY, 1),         /* tbl v0, {v1}, v2 */
        ROW(V_TABLE_2, 2, 1, ON_VEC_ANY, 1),         /* tbl v0, {v1, v2}, v3 */
        ROW(V_TABLE_3, 4, 3, ON_VEC_ANY, 3),         /* tbl v0, {v1 .. v4}, v5: as V_TABLE_4 */
        ROW(V_TABLE_4, 4, 3, ON_VEC_ANY, 3),         /* tbl v0, {v1 .. v4}, v5 */
        ROW(V_MOVE, 2, 1, ON_VEC_ANY, 1),            /* mov v0, v1 */
        ROW(V_MOVE_IMM, 2, 1, ON_VEC_ANY, 1),        /* movi v0, #15 */
        ROW(V_DUP_GENERAL, 3, 1, ON_MULTI, 1),       /* dup v0.4s, w1 */
        ROW(V_INSERT_LANE, 2, 1, ON_VEC_ANY, 1),     /* ins v0.d[1], v1.d[0] */
        ROW(V_INSERT_GENERAL, 5, 2, ON_MULTI, 1),    /* ins v0.s[3], w1 */
        ROW(V_TO_GENERAL, 2, 1, ON_VEC1, 1),         /* umov w0, v1.s[3] */
        ROW(PMULL, 2, 1, ON_VEC0, 1),                /* pmull v0.1q, v1.1d, v2.1d */
        ROW(AES, 2, 1, ON_VEC0, 1),                  /* aese v0, v1 */
        ROW(AES_MIX, 2, 1, ON_VEC0, 1),              /* aesmc v0, v1 */
        ROW(SHA1, 4, 1, ON_VEC0, 1),                 /* sha1c q0, s1, v2.4s */
        ROW(SHA1_FAST, 2, 1, ON_VEC0, 1),            /* sha1h s0, s1 */
        ROW(SHA256, 4, 1, ON_VEC0, 1),               /* sha256h q0, q1, v2.4s */
        ROW(SHA256_FAST, 2, 1, ON_VEC0, 1),          /* sha256su0 v0.4s, v1.4s */
        ROW(SHA512, 2, 1, ON_VEC_ANY, 1),            /* sha512h q0, q1, v2.2d */
        ROW(SHA3, 2, 1, ON_VEC_ANY, 1),              /* eor3 v0, v1, v2, v3 */
    },
    .fuses_aes_pair = true,
    .fuses_compare_branch = true,
    .prefers_post_index = false,
};
