/* record.c: random register files and instructions that can run on them; see
 * record.h. */
#include "record.h"

#include <string.h>

static uint64_t roll_edge(struct dice *dice)
{
    static const uint64_t edges[] = {
        0, 1, 2, ~0ull, ~1ull, 1ull << 63, ~0ull >> 1, 0xffffffff, 0x80000000, 0x7fffffff,
        1ull << 32, 0xffffffff00000000, 0x8000000080000000, 0x0000000100000001,
    };
    return edges[roll_below(dice, COUNT(edges))];
}

static uint64_t roll_edge_bytes(struct dice *dice)
{
    static const uint8_t edges[] = { 0x00, 0x01, 0x7f, 0x80, 0xff, 0xfe };
    uint64_t v = 0;
    for (int i = 0; i < 8; i++)
        v |= (uint64_t)edges[roll_below(dice, COUNT(edges))] << 8 * i;
    return v;
}

static uint64_t roll_word(struct dice *dice, uint64_t previous)
{
    switch (roll_below(dice, 8)) {
    case 0: return roll_edge(dice);
    case 1: return roll_edge_bytes(dice);
    case 2: return roll(dice) & 127;
    case 3: return previous;
    case 4: return roll(dice) & 0x1f1f1f1f1f1f1f1f;      /* table indices, lane shifts */
    case 5: return (uint64_t)roll_bitmask(dice, 64);
    default: return roll(dice);
    }
}

void roll_record(struct dice *dice, struct record *r)
{
    uint64_t previous = 0;
    for (int i = 0; i < COUNT(r->x); i++)
        r->x[i] = previous = roll_word(dice, previous);
    for (int i = 0; i < 32; i++)
        for (int k = 0; k < 2; k++)
            r->v[i][k] = previous = roll_word(dice, previous);
    r->sp = roll(dice) & ~15ull;
    r->nzcv = (roll(dice) & 15) << 28;
    r->taken = 0;
}

bool insn_is_memory(const struct phys_insn *insn)
{
    return (insns[insn->insn].flags & (IS_LOAD | IS_STORE)) != 0;
}

/* The base of a load or store: its operand number. */
static int base_operand(const struct insn_row *row)
{
    int n = 0;
    while (row->op[n].kind != OP_X_SP)
        n++;
    return n;
}

/* The register after the base, or -1. */
static int index_operand(const struct insn_row *row)
{
    int n = base_operand(row) + 1;
    return n < row->operand_count && operand_is_general(row->op[n].kind) ? n : -1;
}

static uint64_t register_in(const struct record *r, int reg)
{
    return reg == 31 ? 0 : r->x[reg];
}

/* What is added to the base to get the address. */
static uint64_t displacement(const struct phys_insn *insn, const struct record *r)
{
    const struct insn_row *row = &insns[insn->insn];
    int base = base_operand(row), index = index_operand(row);
    bool is_post = strstr(row->name, "_post") != NULL;
    if (index < 0)
        return is_post || row->operand_count <= base + 1 ? 0 : (uint64_t)insn->op[base + 1].imm;
    uint64_t v = register_in(r, insn->op[index].reg);
    if (row->op[index].kind == OP_W)
        v &= 0xffffffff;
    return row->operand_count > index + 1 ? v << insn->op[index + 1].imm : v;
}

/* Points the base of a load or store into the record's window. */
void record_aim(struct dice *dice, const struct phys_insn *insn, struct record *r, uint64_t window)
{
    const struct insn_row *row = &insns[insn->insn];
    int base = insn->op[base_operand(row)].reg;
    uint64_t within = (uint64_t)roll_below(dice, WINDOW_BYTES - row->access + 1);
    if (base == REG_SP)             /* its low four bits are checked when it is a base */
        within &= ~15ull;
    uint64_t address = window + within;
    if (base == REG_SP)
        r->sp = address - displacement(insn, r);
    else
        r->x[base] = address - displacement(insn, r);
}

bool row_runs_alone(const struct insn_row *row)
{
    if ((row->flags & (IS_CALL | IS_RETURN)) != 0 || row->timing_class == TIME_HINT)
        return false;
    for (int i = 0; i < row->operand_count; i++)
        if (row->op[i].kind == OP_SYMBOL)
            return false;
    return true;
}

/* Can aim() choose the base? Not when it is the index, too, nor sp with an
 * offset that would leave it unaligned. */
static bool can_be_aimed(const struct phys_insn *insn)
{
    const struct insn_row *row = &insns[insn->insn];
    int base = base_operand(row), index = index_operand(row);
    if (insn->op[base].reg == REG_SP)
        return index < 0 && (row->operand_count <= base + 1 || insn->op[base + 1].imm % 16 == 0);
    return index < 0 || insn->op[index].reg != insn->op[base].reg;
}

struct phys_insn roll_runnable(struct dice *dice, enum insn row)
{
    for (;;) {
        struct phys_insn insn = roll_insn(dice, row);
        if (!insn_is_memory(&insn) || can_be_aimed(&insn))
            return insn;
    }
}
