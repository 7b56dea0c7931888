/* cortex-a72.c: Arm Cortex-A72, three instructions a cycle out of order.
 *
 * Sources: LLVM 22, which uses its Cortex-A57 model for this core (latency,
 * micro-operations, resources), one instruction of each class; the window is that
 * model's micro-operation buffer. The fused pairs are those of Arm's Software
 * Optimization Guide for the core.
 */
#include "core/cores.h"

enum {
    P_INT0, P_INT1, P_MULTI, P_LOAD, P_STORE, P_VEC0, P_VEC1, P_BRANCH
};

#define ON_BRANCH (1u << P_BRANCH)
#define ON_DIV (1u << P_MULTI)
#define ON_INT (1u << P_INT0 | 1u << P_INT1)
#define ON_LOAD (1u << P_LOAD)
#define ON_MULTI (1u << P_MULTI)
#define ON_STORE (1u << P_STORE)
#define ON_VEC0 (1u << P_VEC0)
#define ON_VEC1 (1u << P_VEC1)
#define ON_VEC_ANY (1u << P_VEC0 | 1u << P_VEC1)

#define ROW(class, cycles, slots, on, busy_cycles) \
    [TIME_##class] = { .latency = cycles, .uops = slots, .ports = on, .busy = busy_cycles, \
                       .writeback_latency = 1 }

const struct core core_cortex_a72 = {
    .name = "cortex-a72",
    .mca_cpu = "cortex-a72",
    .in_order = false,
    .order_slack = 25,
    .issue_width = 3,
    .window = 128,
    .port_count = 8,
    .port_names = { "INT0", "INT1", "MULTI", "LOAD", "STORE", "VEC0", "VEC1", "BRANCH" },
    .timing = {
        ROW(ALU, 1, 1, ON_INT, 1),                   /* add x0, x1, x2 */
        ROW(ALU_SHIFT, 2, 1, ON_MULTI, 1),           /* add x0, x1, x2, lsl #3 */
        ROW(ALU_FLAGS, 1, 1, ON_INT, 1),             /* adds x0, x1, x2 */
        ROW(ALU_FLAGS_SHIFT, 2, 1, ON_MULTI, 1),     /* add x0, x1, x2, lsl #3: as ALU_SHIFT */
        ROW(ADC, 1, 1, ON_INT, 1),                   /* adcs x0, x1, x2 */
        ROW(SELECT, 1, 1, ON_INT, 1),                /* csel x0, x1, x2, cs */
        ROW(SHIFT, 1, 1, ON_INT, 1),                 /* lsl x0, x1, #3 */
        ROW(BITFIELD, 1, 1, ON_INT, 1),              /* ubfx x0, x1, #3, #7 */
        ROW(MOVE_IMM, 1, 1, ON_INT, 1),              /* movz x0, #1 */
        ROW(MOVE, 1, 1, ON_INT, 1),                  /* mov x0, x1 */
        ROW(REVERSE, 1, 1, ON_INT, 1),               /* rev x0, x1 */
        ROW(ADDRESS, 1, 1, ON_INT, 1),               /* adrp x0, foo */
        ROW(MUL_W, 3, 1, ON_MULTI, 1),               /* umull x0, w1, w2: as MUL_LONG */
        ROW(MUL_X, 5, 1, ON_MULTI, 1),               /* mul x0, x1, x2 */
        ROW(MUL_HIGH, 6, 1, ON_MULTI, 1),            /* umulh x0, x1, x2 */
        ROW(MUL_LONG, 3, 1, ON_MULTI, 1),            /* umull x0, w1, w2 */
        ROW(DIV, 12, 1, ON_DIV, 12),                 /* udiv: an estimate, no source has it */
        ROW(LOAD, 4, 1, ON_LOAD, 1),                 /* ldr x0, [x1] */
        ROW(LOAD_INDEX, 4, 2, ON_LOAD, 1),           /* ldr x0, [x1, x2, lsl #3] */
        ROW(LOAD_PAIR, 4, 2, ON_LOAD, 1),            /* ldp x0, x2, [x1] */
        ROW(LOAD_V, 5, 1, ON_LOAD, 1),               /* ldr q0, [x1] */
        ROW(LOAD_V_INDEX, 6, 2, ON_LOAD, 1),         /* ldr q0, [x1, x2] */
        ROW(LOAD_V_PAIR, 6, 3, ON_LOAD, 2),          /* ldp q0, q2, [x1] */
        ROW(LOAD_LIST_1, 5, 1, ON_LOAD, 1),          /* ld1 {v0}, [x1] */
        ROW(LOAD_LIST_2, 6, 3, ON_LOAD, 2),          /* ld1 {v0, v1}, [x1] */
        ROW(LOAD_LIST_3, 8, 5, ON_LOAD, 4),          /* ld1 {v0 .. v3}, [x1]: as LOAD_LIST_4 */
        ROW(LOAD_LIST_4, 8, 5, ON_LOAD, 4),          /* ld1 {v0 .. v3}, [x1] */
        ROW(LOAD_LANE, 8, 2, ON_LOAD, 1),            /* ld1r {v0.4s}, [x1] */
        ROW(STORE, 1, 1, ON_STORE, 1),               /* str x0, [x1] */
        ROW(STORE_INDEX, 1, 1, ON_STORE, 1),         /* str x0, [x1]: as STORE */
        ROW(STORE_PAIR, 2, 2, ON_STORE, 2),          /* stp x0, x2, [x1] */
        ROW(STORE_V, 2, 3, ON_STORE, 2),             /* str q0, [x1] */
        ROW(STORE_V_INDEX, 2, 3, ON_STORE, 2),       /* str q0, [x1]: as STORE_V */
        ROW(STORE_V_PAIR, 4, 5, ON_STORE, 4),        /* stp q0, q2, [x1] */
        ROW(STORE_LIST_1, 2, 2, ON_STORE, 2),        /* st1 {v0}, [x1] */
        ROW(STORE_LIST_2, 4, 5, ON_STORE, 4),        /* st1 {v0, v1}, [x1] */
        ROW(STORE_LIST_3, 4, 5, ON_STORE, 4),        /* st1 {v0, v1}, [x1]: as STORE_LIST_2 */
        ROW(STORE_LIST_4, 4, 10, ON_STORE, 8),       /* st1 {v0, v1}, [x1]: as STORE_LIST_2, doubled */
        ROW(STORE_LANE, 2, 2, ON_STORE, 2),          /* st1 {v0}, [x1]: as STORE_LIST_1 */
        ROW(BRANCH, 1, 1, ON_BRANCH, 1),             /* b foo */
        ROW(CALL, 1, 2, ON_BRANCH, 1),               /* bl foo */
        ROW(HINT, 1, 1, 0, 1),                       /* nop */
        ROW(V_LOGIC, 3, 1, ON_VEC_ANY, 1),           /* eor v0, v1, v2 */
        ROW(V_ADD, 3, 1, ON_VEC_ANY, 1),             /* add v0.4s, v1.4s, v2.4s */
        ROW(V_COMPARE, 3, 1, ON_VEC_ANY, 1),         /* cmtst v0.4s, v1.4s, v2.4s */
        ROW(V_SHIFT, 3, 1, ON_VEC_ANY, 1),           /* ushr v0.4s, v1.4s, #4 */
        ROW(V_SHIFT_INSERT, 3, 1, ON_VEC_ANY, 1),    /* sri v0.4s, v1.4s, #7 */
        ROW(V_SHIFT_LONG, 3, 1, ON_VEC_ANY, 1),      /* ushr v0.4s, v1.4s, #4: as V_SHIFT */
        ROW(V_MUL, 6, 2, ON_VEC0, 2),                /* mul v0.4s, v1.4s, v2.4s */
        ROW(V_MUL_LONG, 5, 1, ON_VEC0, 1),           /* umull v0.2d, v1.2s, v2.2s */
        ROW(V_ADD_LONG, 3, 1, ON_VEC_ANY, 1),        /* sub v0.4s, v1.4s, v2.4s: as sub */
        ROW(V_PERMUTE, 6, 3, ON_VEC_ANY, 3),         /* zip1 v0.4s, v1.4s, v2.4s */
        ROW(V_EXTRACT, 3, 1, ON_VEC_ANY, 1),         /* ext v0, v1, v2, #8 */
        ROW(V_REVERSE, 3, 1, ON_VEC_ANY, 1),         /* rev32 v0, v1 */
        ROW(V_TABLE_1, 6, 3, ON_VEC_ANY, 3),         /* tbl v0, {v1}, v2 */
        ROW(V_TABLE_2, 9, 5, ON_VEC_ANY, 5),         /* tbl v0, {v1, v2}, v3 */
        ROW(V_TABLE_3, 15, 9, ON_VEC_ANY, 9),        /* tbl v0, {v1 .. v4}, v5: as V_TABLE_4 */
        ROW(V_TABLE_4, 15, 9, ON_VEC_ANY, 9),        /* tbl v0, {v1 .. v4}, v5 */
        ROW(V_MOVE, 3, 1, ON_VEC_ANY, 1),            /* mov v0, v1 */
        ROW(V_MOVE_IMM, 3, 1, ON_VEC_ANY, 1),        /* movi v0, #15 */
        ROW(V_DUP_GENERAL, 8, 2, ON_LOAD, 1),        /* dup v0.4s, w1 */
        ROW(V_INSERT_LANE, 8, 2, ON_LOAD, 1),        /* ins v0.d[1], v1.d[0] */
        ROW(V_INSERT_GENERAL, 8, 2, ON_LOAD, 1),     /* ins v0.s[3], w1 */
        ROW(V_TO_GENERAL, 6, 2, ON_LOAD, 1),         /* umov w0, v1.s[3] */
        ROW(PMULL, 3, 1, ON_VEC0, 1),                /* pmull v0.1q, v1.1d, v2.1d */
        ROW(AES, 3, 1, ON_VEC0, 1),                  /* aese v0, v1 */
        ROW(AES_MIX, 3, 1, ON_VEC0, 1),              /* aesmc v0, v1 */
        ROW(SHA1, 6, 2, ON_VEC0, 2),                 /* sha1c q0, s1, v2.4s */
        ROW(SHA1_FAST, 3, 1, ON_VEC0, 1),            /* sha1h s0, s1 */
        ROW(SHA256, 6, 2, ON_VEC0, 2),               /* sha256h q0, q1, v2.4s */
        ROW(SHA256_FAST, 3, 1, ON_VEC0, 1),          /* sha256su0 v0.4s, v1.4s */
        ROW(SHA512, 3, 1, ON_VEC_ANY, 1),            /* sha512h q0, q1, v2.2d */
        ROW(SHA3, 3, 1, ON_VEC_ANY, 1),              /* eor3 v0, v1, v2, v3 */
    },
    .fuses_aes_pair = true,
    .fuses_compare_branch = true,
    .prefers_post_index = false,
};
