/* generate_insn.c: instructions called by their mnemonic.
 *
 * Takes the instruction table: a row is called when it neither touches memory
 * nor flags nor control, is data-independent in time, needs no feature that
 * the program lacks, and no other row of its mnemonic takes the same operands.
 * Results are declared with their type, operands are typed values.
 */
#include <inttypes.h>
#include <string.h>

#include "random/build.h"

/* The type that an operand of this kind has (elab_insn.c says which others fit). */
static const enum value_type kind_type[OP_KIND_COUNT] = {
    [OP_X] = TYPE_U64,        [OP_W] = TYPE_U32,        [OP_8B] = TYPE_U8X8,
    [OP_16B] = TYPE_U8X16,    [OP_4H] = TYPE_U16X4,     [OP_8H] = TYPE_U16X8,
    [OP_2S] = TYPE_U32X2,     [OP_4S] = TYPE_U32X4,     [OP_1D] = TYPE_U64X1,
    [OP_2D] = TYPE_U64X2,     [OP_1Q] = TYPE_U64X2,     [OP_S] = TYPE_U32X4,
    [OP_Q] = TYPE_U32X4,      [OP_B_LANE] = TYPE_U8X16, [OP_H_LANE] = TYPE_U16X8,
    [OP_S_LANE] = TYPE_U32X4, [OP_D_LANE] = TYPE_U64X2,
};

static bool is_input(const struct operand_spec *o)
{
    return o->kind == OP_IMM || o->role == ROLE_USE || o->role == ROLE_TIED;
}

/* Two rows that a call could not tell apart. */
static bool same_operands(const struct insn_row *a, const struct insn_row *b)
{
    int i = 0, k = 0;

    for (;; i++, k++) {
        while (i < a->operand_count && !is_input(&a->op[i]))
            i++;
        while (k < b->operand_count && !is_input(&b->op[k]))
            k++;
        if (i >= a->operand_count || k >= b->operand_count)
            return true; /* one begins the other: immediates may be left out */
        if (a->op[i].kind != b->op[k].kind &&
            (kind_type[a->op[i].kind] == TYPE_VOID ||
             kind_type[a->op[i].kind] != kind_type[b->op[k].kind]))
            return false;
    }
}

static bool is_ambiguous(enum insn insn)
{
    for (int i = INSN_NONE + 1; i < INSN_COUNT; i++)
        if (i != (int)insn && strcmp(insns[i].mnemonic, insns[insn].mnemonic) == 0 &&
            (insns[i].flags & NOT_CALLABLE) == 0 && same_operands(&insns[i], &insns[insn]))
            return true;
    return false;
}

static bool has_types(const struct insn_row *row)
{
    for (int i = 0; i < row->operand_count; i++)
        if (row->op[i].kind != OP_IMM && kind_type[row->op[i].kind] == TYPE_VOID)
            return false;
    return row->operand_count > 1 && row->op[0].kind != OP_IMM && row->op[0].role != ROLE_USE;
}

enum {
    UNWANTED = NOT_CALLABLE | READS_C | READS_NZCV | WRITES_NZCV | IS_LOAD | IS_STORE | IS_BRANCH |
               IS_CALL | IS_RETURN
};

static bool is_callable(const struct gen *g, enum insn insn)
{
    const struct insn_row *row = &insns[insn];

    return (row->flags & UNWANTED) == 0 && row->timing_rule == DIT && has_types(row) &&
           (g->features >> row->feature & 1) != 0 && !is_ambiguous(insn);
}

/* Rows that only scalar programs call have general registers alone. */
static bool is_scalar(const struct insn_row *row)
{
    for (int i = 0; i < row->operand_count; i++)
        if (operand_is_vector((enum operand_kind)row->op[i].kind))
            return false;
    return true;
}

/* A number in the row's range, or -1. The first of two bit positions is small,
 * so that the field stays in the register. */
static int64_t immediate(struct gen *g, const struct insn_row *row, int operand)
{
    const bool is_lane = operand > 0 && row->op[operand - 1].kind >= OP_B_LANE &&
                         row->op[operand - 1].kind <= OP_D_LANE;
    const int limit = is_lane ? value_types[kind_type[row->op[operand - 1].kind]].lanes : 17;

    for (int tries = 0; tries < 100; tries++) {
        const int64_t v = below(g, limit);
        if (imm_fits((enum imm_range)row->op[operand].range, v))
            return v;
    }
    return -1;
}

static bool add_call(struct gen *g, struct text *t, const struct insn_row *row)
{
    const char *comma = "";

    text_format(t, "%s(", row->mnemonic);
    for (int i = 0; i < row->operand_count; i++) {
        if (!is_input(&row->op[i]))
            continue;
        text_add(t, comma);
        comma = ", ";
        if (row->op[i].kind == OP_IMM) {
            const int64_t v = immediate(g, row, i);
            if (v < 0)
                return false;
            text_format(t, "%" PRId64, v);
        } else {
            add_leaf(g, t, kind_type[row->op[i].kind]);
        }
    }
    text_add(t, ")");
    return true;
}

static enum insn random_insn(struct gen *g)
{
    const bool beyond_base = g->features != 1u << FEAT_BASE && chance(g, 40);
    enum insn insn;

    do
        insn = (enum insn)(1 + below(g, INSN_COUNT - 1));
    while (!is_callable(g, insn) || (!g->vectors && !is_scalar(&insns[insn])) ||
           (beyond_base && insns[insn].feature == FEAT_BASE));
    return insn;
}

void insn_statement(struct gen *g)
{
    struct text t = { 0 };
    char name[NAME_MAX_LENGTH];
    const enum insn insn = random_insn(g);
    const enum value_type type = kind_type[insns[insn].op[0].kind];

    if (!add_call(g, &t, &insns[insn]))
        return;
    make_name(g, name, "op");
    line(g, "let %s: %s = %s;", name, type_name(type), t.at);
    add_name(g, name, type, false);
}

/* An AES round in one of its spellings: the key before, inside, or both. */
void aes_statement(struct gen *g)
{
    static const char *const rounds[] = {
        "aesmc(aese(%s, %s))",  "aese(%s ^ %s, 0)",  "aesmc(aese(%s ^ %s, 0)) ^ sv",
        "aesimc(aesd(%s, %s))", "aesd(%s ^ %s, sv)", "aesmc(aese(sv, %s) ^ %s)"
    };
    struct text x = { 0 }, k = { 0 };
    char name[NAME_MAX_LENGTH];

    add_leaf(g, &x, TYPE_U8X16);
    add_leaf(g, &k, TYPE_U8X16);
    make_name(g, name, "x");
    line(g, "let %s: u8x16 = %s;", name, mem_format(rounds[below(g, COUNT(rounds))], x.at, k.at));
    add_name(g, name, TYPE_U8X16, false);
}
