/* cortex-a53.c: Arm Cortex-A53, two instructions a cycle in order.
 *
 * Sources: LLVM 22's scheduling model of it (latency, micro-operations, resources),
 * one instruction of each class. Its integer latencies of 2 and 3 count to
 * write-back; results are forwarded, so a dependent issues in the next cycle
 * (ReadAdvance of 2 in the same model): 1 is written here. A vector operation
 * takes 6 to write-back and is not forwarded in that model. Erratum 835769: a
 * 64-bit multiply-accumulate right after a memory access may be wrong. Aese
 * and aesmc are a fused pair in LLVM's tuning of this core (FeatureFuseAES), not
 * in its scheduling model.
 */
#include "core/cores.h"

enum {
    P_ALU0, P_ALU1, P_MAC, P_DIV, P_MEMORY, P_VECTOR, P_BRANCH
};

#define ON_ALU (1u << P_ALU0 | 1u << P_ALU1)
#define ON_BRANCH (1u << P_BRANCH)
#define ON_DIV (1u << P_DIV)
#define ON_MAC (1u << P_MAC)
#define ON_MEMORY (1u << P_MEMORY)
#define ON_VECTOR (1u << P_VECTOR)

#define ROW(class, cycles, slots, on, busy_cycles) \
    [TIME_##class] = { .latency = cycles, .uops = slots, .ports = on, .busy = busy_cycles, \
                       .writeback_latency = 1 }

const struct core core_cortex_a53 = {
    .name = "cortex-a53",
    .mca_cpu = "cortex-a53",
    .in_order = true,
    .issue_width = 2,
    .window = 0,
    .port_count = 7,
    .port_names = { "ALU0", "ALU1", "MAC", "DIV", "MEMORY", "VECTOR", "BRANCH" },
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
        ROW(LOAD, 4, 1, ON_MEMORY, 1),               /* ldr x0, [x1] */
        ROW(LOAD_INDEX, 4, 1, ON_MEMORY, 1),         /* ldr x0, [x1, x2, lsl #3] */
        ROW(LOAD_PAIR, 4, 2, ON_MEMORY, 2),          /* ldp x0, x2, [x1] */
        ROW(LOAD_V, 4, 1, ON_MEMORY, 1),             /* ldr q0, [x1] */
        ROW(LOAD_V_INDEX, 4, 1, ON_MEMORY, 1),       /* ldr q0, [x1, x2] */
        ROW(LOAD_V_PAIR, 4, 2, ON_MEMORY, 2),        /* ldp q0, q2, [x1] */
        ROW(LOAD_LIST_1, 4, 1, ON_MEMORY, 1),        /* ld1 {v0}, [x1] */
        ROW(LOAD_LIST_2, 5, 2, ON_MEMORY, 2),        /* ld1 {v0, v1}, [x1] */
        ROW(LOAD_LIST_3, 7, 2, ON_MEMORY, 4),        /* ld1 {v0 .. v3}, [x1]: as LOAD_LIST_4 */
        ROW(LOAD_LIST_4, 7, 2, ON_MEMORY, 4),        /* ld1 {v0 .. v3}, [x1] */
        ROW(LOAD_LANE, 4, 1, ON_MEMORY, 1),          /* ld1r {v0.4s}, [x1] */
        ROW(STORE, 4, 1, ON_MEMORY, 1),              /* str x0, [x1] */
        ROW(STORE_INDEX, 4, 1, ON_MEMORY, 1),        /* str x0, [x1]: as STORE */
        ROW(STORE_PAIR, 4, 1, ON_MEMORY, 1),         /* stp x0, x2, [x1] */
        ROW(STORE_V, 4, 1, ON_MEMORY, 1),            /* str q0, [x1] */
        ROW(STORE_V_INDEX, 4, 1, ON_MEMORY, 1),      /* str q0, [x1]: as STORE_V */
        ROW(STORE_V_PAIR, 4, 1, ON_MEMORY, 1),       /* stp q0, q2, [x1] */
        ROW(STORE_LIST_1, 4, 1, ON_MEMORY, 1),       /* st1 {v0}, [x1] */
        ROW(STORE_LIST_2, 4, 2, ON_MEMORY, 1),       /* st1 {v0, v1}, [x1] */
        ROW(STORE_LIST_3, 4, 2, ON_MEMORY, 1),       /* st1 {v0, v1}, [x1]: as STORE_LIST_2 */
        ROW(STORE_LIST_4, 4, 4, ON_MEMORY, 2),       /* st1 {v0, v1}, [x1]: as STORE_LIST_2, doubled */
        ROW(STORE_LANE, 4, 1, ON_MEMORY, 1),         /* st1 {v0}, [x1]: as STORE_LIST_1 */
        ROW(BRANCH, 1, 1, ON_BRANCH, 1),             /* b foo */
        ROW(CALL, 1, 1, ON_BRANCH, 1),               /* bl foo */
        ROW(HINT, 1, 1, 0, 1),                       /* nop */
        ROW(V_LOGIC, 6, 1, ON_VECTOR, 1),            /* eor v0, v1, v2 */
        ROW(V_ADD, 6, 1, ON_VECTOR, 1),              /* add v0.4s, v1.4s, v2.4s */
        ROW(V_COMPARE, 6, 1, ON_VECTOR, 1),          /* cmtst v0.4s, v1.4s, v2.4s */
        ROW(V_SHIFT, 6, 1, ON_VECTOR, 1),            /* ushr v0.4s, v1.4s, #4 */
        ROW(V_SHIFT_INSERT, 6, 1, ON_VECTOR, 1),     /* sri v0.4s, v1.4s, #7 */
        ROW(V_SHIFT_LONG, 6, 1, ON_VECTOR, 1),       /* ushr v0.4s, v1.4s, #4: as V_SHIFT */
        ROW(V_MUL, 6, 1, ON_VECTOR, 1),              /* mul v0.4s, v1.4s, v2.4s */
        ROW(V_MUL_LONG, 6, 1, ON_VECTOR, 1),         /* umull v0.2d, v1.2s, v2.2s */
        ROW(V_ADD_LONG, 6, 1, ON_VECTOR, 1),         /* sub v0.4s, v1.4s, v2.4s: as sub */
        ROW(V_PERMUTE, 6, 1, ON_VECTOR, 1),          /* zip1 v0.4s, v1.4s, v2.4s */
        ROW(V_EXTRACT, 6, 1, ON_VECTOR, 1),          /* ext v0, v1, v2, #8 */
        ROW(V_REVERSE, 6, 1, ON_VECTOR, 1),          /* rev32 v0, v1 */
        ROW(V_TABLE_1, 6, 1, ON_VECTOR, 1),          /* tbl v0, {v1}, v2 */
        ROW(V_TABLE_2, 6, 1, ON_VECTOR, 1),          /* tbl v0, {v1, v2}, v3 */
        ROW(V_TABLE_3, 6, 1, ON_VECTOR, 1),          /* tbl v0, {v1 .. v4}, v5: as V_TABLE_4 */
        ROW(V_TABLE_4, 6, 1, ON_VECTOR, 1),          /* tbl v0, {v1 .. v4}, v5 */
        ROW(V_MOVE, 6, 1, ON_VECTOR, 1),             /* mov v0, v1 */
        ROW(V_MOVE_IMM, 6, 1, ON_VECTOR, 1),         /* movi v0, #15 */
        ROW(V_DUP_GENERAL, 6, 1, ON_VECTOR, 1),      /* dup v0.4s, w1 */
        ROW(V_INSERT_LANE, 6, 1, ON_VECTOR, 1),      /* ins v0.d[1], v1.d[0] */
        ROW(V_INSERT_GENERAL, 6, 1, ON_VECTOR, 1),   /* ins v0.s[3], w1 */
        ROW(V_TO_GENERAL, 6, 1, ON_VECTOR, 1),       /* umov w0, v1.s[3] */
        ROW(PMULL, 6, 1, ON_VECTOR, 1),              /* pmull v0.1q, v1.1d, v2.1d */
        ROW(AES, 6, 1, ON_VECTOR, 1),                /* aese v0, v1 */
        ROW(AES_MIX, 6, 1, ON_VECTOR, 1),            /* aesmc v0, v1 */
        ROW(SHA1, 6, 1, ON_VECTOR, 1),               /* sha1c q0, s1, v2.4s */
        ROW(SHA1_FAST, 6, 1, ON_VECTOR, 1),          /* sha1h s0, s1 */
        ROW(SHA256, 6, 1, ON_VECTOR, 1),             /* sha256h q0, q1, v2.4s */
        ROW(SHA256_FAST, 6, 1, ON_VECTOR, 1),        /* sha256su0 v0.4s, v1.4s */
        ROW(SHA512, 6, 1, ON_VECTOR, 1),             /* sha512h q0, q1, v2.2d */
        ROW(SHA3, 6, 1, ON_VECTOR, 1),               /* eor3 v0, v1, v2, v3 */
    },
    .fuses_aes_pair = true,
    .fuses_compare_branch = false,
    .prefers_post_index = false,    /* in llvm-mca it waits until all before it is written */
    .load_pair_q_is_slow = false,
    .erratum_835769 = true,
};
