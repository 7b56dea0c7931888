/* cortex-a55.c: Arm Cortex-A55, two instructions a cycle in order.
 *
 * Sources: LLVM 22's scheduling model of it (latency, micro-operations, resources),
 * one instruction of each class. Its integer latencies of 3 count to write-back;
 * results are forwarded (ReadAdvance in the same model): 1 is written here. A
 * 128-bit vector operation takes both halves of the vector unit: written as the
 * one port VEC0. ldp of q registers is charged six cycles by the model, two ldr
 * are cheaper. SLOTHY's model has 2 cycles for aese and aesmc and mentions that they
 * issue together; LLVM has 4 for each: its figure is kept, the pair stays adjacent.
 */
#include "core/cores.h"

enum {
    P_ALU0, P_ALU1, P_MAC, P_DIV, P_LOAD, P_STORE, P_VEC0, P_VEC1, P_BRANCH
};

#define ON_ALU (1u << P_ALU0 | 1u << P_ALU1)
#define ON_BRANCH (1u << P_BRANCH)
#define ON_DIV (1u << P_DIV)
#define ON_LOAD (1u << P_LOAD)
#define ON_MAC (1u << P_MAC)
#define ON_STORE (1u << P_STORE)
#define ON_VEC_ANY (1u << P_VEC0 | 1u << P_VEC1)
#define ON_VEC_WIDE (1u << P_VEC0)

#define ROW(class, cycles, slots, on, busy_cycles) \
    [TIME_##class] = { .latency = cycles, .uops = slots, .ports = on, .busy = busy_cycles, \
                       .writeback_latency = 1 }

const struct core core_cortex_a55 = {
    .name = "cortex-a55",
    .mca_cpu = "cortex-a55",
    .in_order = true,
    .issue_width = 2,
    .window = 0,
    .port_count = 9,
    .port_names = { "ALU0", "ALU1", "MAC", "DIV", "LOAD", "STORE", "VEC0", "VEC1", "BRANCH" },
    .timing = {
        ROW(ALU, 1, 1, ON_ALU, 1),                   /* add x0, x1, x2 */
        ROW(ALU_SHIFT, 1, 1, ON_ALU, 1),             /* add x0, x1, x2, lsl #3 */
        ROW(ALU_FLAGS, 1, 1, ON_ALU, 1),             /* adds x0, x1, x2 */
        ROW(ALU_FLAGS_SHIFT, 1, 1, ON_ALU, 1),       /* add x0, x1, x2, lsl #3: as ALU_SHIFT */
        ROW(ADC, 1, 1, ON_ALU, 1),                   /* adcs x0, x1, x2 */
        ROW(SELECT, 1, 1, ON_ALU, 1),                /* csel x0, x1, x2, cs */
        ROW(SHIFT, 1, 1, ON_ALU, 1),                 /* lsl x0, x1, #3 */
        ROW(BITFIELD, 1, 1, ON_ALU, 1),              /* ubfx x0, x1, #3, #7 */
        ROW(MOVE_IMM, 1, 1, ON_ALU, 1),              /* movz x0, #1 */
        ROW(MOVE, 1, 1, ON_ALU, 1),                  /* mov x0, x1 */
        ROW(REVERSE, 1, 1, ON_ALU, 1),               /* rev x0, x1 */
        ROW(ADDRESS, 1, 1, ON_ALU, 1),               /* adrp x0, foo */
        ROW(MUL_W, 4, 1, ON_MAC, 1),                 /* umull x0, w1, w2: as MUL_LONG */
        ROW(MUL_X, 4, 1, ON_MAC, 1),                 /* mul x0, x1, x2 */
        ROW(MUL_HIGH, 4, 1, ON_MAC, 1),              /* umulh x0, x1, x2 */
        ROW(MUL_LONG, 4, 1, ON_MAC, 1),              /* umull x0, w1, w2 */
        ROW(DIV, 12, 1, ON_DIV, 12),                 /* udiv: an estimate, no source has it */
        ROW(LOAD, 3, 1, ON_LOAD, 1),                 /* ldr x0, [x1] */
        ROW(LOAD_INDEX, 4, 1, ON_LOAD, 1),           /* ldr x0, [x1, x2, lsl #3] */
        ROW(LOAD_PAIR, 5, 2, ON_LOAD, 2),            /* ldp x0, x2, [x1] */
        ROW(LOAD_V, 3, 1, ON_LOAD, 1),               /* ldr q0, [x1] */
        ROW(LOAD_V_INDEX, 4, 1, ON_LOAD, 1),         /* ldr q0, [x1, x2] */
        ROW(LOAD_V_PAIR, 6, 2, ON_LOAD, 6),          /* ldp q0, q2, [x1] */
        ROW(LOAD_LIST_1, 5, 1, ON_LOAD, 2),          /* ld1 {v0}, [x1] */
        ROW(LOAD_LIST_2, 7, 2, ON_LOAD, 4),          /* ld1 {v0, v1}, [x1] */
        ROW(LOAD_LIST_3, 11, 2, ON_LOAD, 8),         /* ld1 {v0 .. v3}, [x1]: as LOAD_LIST_4 */
        ROW(LOAD_LIST_4, 11, 2, ON_LOAD, 8),         /* ld1 {v0 .. v3}, [x1] */
        ROW(LOAD_LANE, 4, 1, ON_LOAD, 1),            /* ld1r {v0.4s}, [x1] */
        ROW(STORE, 1, 1, ON_STORE, 1),               /* str x0, [x1] */
        ROW(STORE_INDEX, 1, 1, ON_STORE, 1),         /* str x0, [x1]: as STORE */
        ROW(STORE_PAIR, 1, 1, ON_STORE, 1),          /* stp x0, x2, [x1] */
        ROW(STORE_V, 1, 1, ON_STORE, 1),             /* str q0, [x1] */
        ROW(STORE_V_INDEX, 1, 1, ON_STORE, 1),       /* str q0, [x1]: as STORE_V */
        ROW(STORE_V_PAIR, 1, 1, ON_STORE, 1),        /* stp q0, q2, [x1] */
        ROW(STORE_LIST_1, 4, 1, ON_STORE, 1),        /* st1 {v0}, [x1] */
        ROW(STORE_LIST_2, 4, 2, ON_STORE, 1),        /* st1 {v0, v1}, [x1] */
        ROW(STORE_LIST_3, 4, 2, ON_STORE, 1),        /* st1 {v0, v1}, [x1]: as STORE_LIST_2 */
        ROW(STORE_LIST_4, 4, 4, ON_STORE, 2),        /* st1 {v0, v1}, [x1]: as STORE_LIST_2, doubled */
        ROW(STORE_LANE, 4, 1, ON_STORE, 1),          /* st1 {v0}, [x1]: as STORE_LIST_1 */
        ROW(BRANCH, 1, 1, ON_BRANCH, 1),             /* b foo */
        ROW(CALL, 1, 1, ON_BRANCH, 1),               /* bl foo */
        ROW(HINT, 1, 1, 0, 1),                       /* nop */
        ROW(V_LOGIC, 1, 1, ON_VEC_WIDE, 1),          /* eor v0, v1, v2 */
        ROW(V_ADD, 2, 1, ON_VEC_WIDE, 1),            /* add v0.4s, v1.4s, v2.4s */
        ROW(V_COMPARE, 3, 1, ON_VEC_WIDE, 1),        /* cmtst v0.4s, v1.4s, v2.4s */
        ROW(V_SHIFT, 2, 1, ON_VEC_ANY, 1),           /* ushr v0.4s, v1.4s, #4 */
        ROW(V_SHIFT_INSERT, 4, 1, ON_VEC_WIDE, 1),   /* sri v0.4s, v1.4s, #7 */
        ROW(V_SHIFT_LONG, 2, 1, ON_VEC_ANY, 1),      /* ushr v0.4s, v1.4s, #4: as V_SHIFT */
        ROW(V_MUL, 4, 1, ON_VEC_WIDE, 1),            /* mul v0.4s, v1.4s, v2.4s */
        ROW(V_MUL_LONG, 4, 1, ON_VEC_WIDE, 1),       /* umull v0.2d, v1.2s, v2.2s */
        ROW(V_ADD_LONG, 2, 1, ON_VEC_WIDE, 1),       /* sub v0.4s, v1.4s, v2.4s: as sub */
        ROW(V_PERMUTE, 4, 1, ON_VEC_WIDE, 1),        /* zip1 v0.4s, v1.4s, v2.4s */
        ROW(V_EXTRACT, 4, 1, ON_VEC_WIDE, 1),        /* ext v0, v1, v2, #8 */
        ROW(V_REVERSE, 4, 1, ON_VEC_WIDE, 1),        /* rev32 v0, v1 */
        ROW(V_TABLE_1, 4, 1, ON_VEC_WIDE, 1),        /* tbl v0, {v1}, v2 */
        ROW(V_TABLE_2, 4, 1, ON_VEC_WIDE, 1),        /* tbl v0, {v1, v2}, v3 */
        ROW(V_TABLE_3, 4, 1, ON_VEC_WIDE, 1),        /* tbl v0, {v1 .. v4}, v5: as V_TABLE_4 */
        ROW(V_TABLE_4, 4, 1, ON_VEC_WIDE, 1),        /* tbl v0, {v1 .. v4}, v5 */
        ROW(V_MOVE, 1, 1, ON_VEC_WIDE, 1),           /* mov v0, v1 */
        ROW(V_MOVE_IMM, 4, 1, ON_VEC_WIDE, 1),       /* movi v0, #15 */
        ROW(V_DUP_GENERAL, 2, 1, ON_VEC_ANY, 1),     /* dup v0.4s, w1 */
        ROW(V_INSERT_LANE, 4, 1, ON_VEC_WIDE, 1),    /* ins v0.d[1], v1.d[0] */
        ROW(V_INSERT_GENERAL, 4, 1, ON_VEC_WIDE, 1), /* ins v0.s[3], w1 */
        ROW(V_TO_GENERAL, 4, 1, ON_VEC_ANY, 1),      /* umov w0, v1.s[3] */
        ROW(PMULL, 4, 1, ON_VEC_WIDE, 1),            /* pmull v0.1q, v1.1d, v2.1d */
        ROW(AES, 4, 1, ON_VEC_WIDE, 1),              /* aese v0, v1 */
        ROW(AES_MIX, 4, 1, ON_VEC_WIDE, 1),          /* aesmc v0, v1 */
        ROW(SHA1, 4, 1, ON_VEC_WIDE, 1),             /* sha1c q0, s1, v2.4s */
        ROW(SHA1_FAST, 4, 1, ON_VEC_WIDE, 1),        /* sha1h s0, s1 */
        ROW(SHA256, 4, 1, ON_VEC_WIDE, 1),           /* sha256h q0, q1, v2.4s */
        ROW(SHA256_FAST, 4, 1, ON_VEC_WIDE, 1),      /* sha256su0 v0.4s, v1.4s */
        ROW(SHA512, 4, 1, ON_VEC_WIDE, 1),           /* sha512h q0, q1, v2.2d */
        ROW(SHA3, 4, 1, ON_VEC_WIDE, 1),             /* eor3 v0, v1, v2, v3 */
    },
    .fuses_aes_pair = true,
    .fuses_compare_branch = false,
    .prefers_post_index = false,    /* in llvm-mca it waits until all before it is written */
    .load_pair_q_is_slow = true,
};
