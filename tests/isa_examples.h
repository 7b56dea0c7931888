/* isa_examples.h: random legal instructions of every row, for the tests of the
 * instruction table, the assembler comparison and the meanings.
 *
 * A fixed generator, so that every run tests the same instructions. Registers
 * include 31 (xzr, wzr, sp) and v0 to v31, never x18; immediates include the
 * ends of their ranges.
 */
#ifndef KGEN_TESTS_ISA_EXAMPLES_H
#define KGEN_TESTS_ISA_EXAMPLES_H

#include "isa/isa.h"

struct dice { uint64_t state; };

/* xorshift64*, Vigna 2016 */
static inline uint64_t roll(struct dice *dice)
{
    uint64_t x = dice->state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    dice->state = x;
    return x * 0x2545f4914f6cdd1du;
}

static inline int roll_below(struct dice *dice, int n) { return (int)(roll(dice) >> 33) % n; }

/* A rotated run of ones in every element of 2 to 64 bits. */
static inline int64_t roll_bitmask(struct dice *dice, int bits)
{
    int size = 2 << roll_below(dice, bits == 64 ? 6 : 5);
    int ones = 1 + roll_below(dice, size - 1), turn = roll_below(dice, size);
    uint64_t mask = ~0ull >> (64 - size), run = ~0ull >> (64 - ones);
    uint64_t element = turn == 0 ? run : (run << turn | run >> (size - turn)) & mask;
    for (int n = size; n < bits; n *= 2)
        element |= element << n;
    return (int64_t)element;
}

static inline int64_t roll_byte_mask(struct dice *dice)
{
    uint64_t mask = 0;
    for (int i = 0; i < 8; i++)
        mask |= (roll(dice) >> 40 & 1) * 0xffull << 8 * i;
    return (int64_t)mask;
}

static inline int64_t roll_imm(struct dice *dice, enum imm_range range)
{
    if (range == RANGE_LOGICAL_X)
        return roll_bitmask(dice, 64);
    if (range == RANGE_LOGICAL_W)
        return roll_bitmask(dice, 32);
    if (range == RANGE_BYTE_MASK_64)
        return roll_byte_mask(dice);
    static const int64_t edges[] = { 0, 1, 2, 3, 4, 7, 8, 15, 16, 24, 31, 32, 48, 63, 64, 255, -256,
                                     -512, 4095, 16380, 32760, 65520, 65535, 4096, 16773120 };
    for (;;) {
        int64_t n = (int64_t)(roll(dice) >> 20);
        int64_t sizes[] = { edges[n % COUNT(edges)], n & 7, n & 31, n & 63, n & 255, n & 4095,
                            (n & 65535), (n & 4095) << 12, (n & 1023) << 4, -(n & 1023) };
        int64_t value = sizes[roll_below(dice, COUNT(sizes))];
        if (imm_fits(range, value))
            return value;
    }
}

static inline struct phys_operand roll_operand(struct dice *dice, const struct operand_spec *spec)
{
    struct phys_operand op = { 0 };
    switch (spec->kind) {
    case OP_IMM:
        op.imm = roll_imm(dice, spec->range);
        break;
    case OP_COND:
        op.imm = roll_below(dice, COND_LE + 1);
        break;
    case OP_LABEL:
        op.name = ".Ltarget";
        break;
    case OP_SYMBOL:
        op.name = "object";
        break;
    default:        /* often few registers, so that operands coincide */
        op.reg = (reg_number)roll_below(dice, roll_below(dice, 3) == 0 ? 3 : 32);
    }
    return op;
}

/* A random legal instruction of a row. */
static inline struct phys_insn roll_insn(struct dice *dice, enum insn row_number)
{
    const struct insn_row *row = &insns[row_number];
    for (;;) {
        struct phys_insn insn = { .insn = row_number };
        for (int i = 0; i < row->operand_count; i++)
            insn.op[i] = roll_operand(dice, &row->op[i]);
        for (int i = 1; i < row->run_length; i++)
            insn.op[row->run_first + i].reg =
                (reg_number)((insn.op[row->run_first].reg + i) % 32);
        if (row_number == INSN_add_x_lo12)
            insn.op[2].name = ":lo12:object";
        /* without sp its text is mov_x's */
        if (row_number == INSN_mov_x_sp)
            insn.op[roll_below(dice, 2)].reg = REG_SP;
        if (insn_complaint(&insn) == NULL)
            return insn;
    }
}

#endif
