/* print.c: one physical instruction as text, and what may be wrong with one.
 *
 * Takes an instruction whose operands fit its row (insn_complaint() is NULL)
 * and appends its template with the operands filled in. Gives the canonical
 * spelling: lower case, x29 and x30 by number, 31 as xzr or sp by its kind,
 * amounts in decimal, bit patterns in hexadecimal.
 * Does not: know any single instruction, or decorate symbols.
 */
#include "isa/isa.h"
#include "isa/spell.h"

#include <assert.h>
#include <string.h>

const struct register_spelling register_spellings[OP_KIND_COUNT] = {
    [OP_X] = { "x", "", "xzr" },
    [OP_W] = { "w", "", "wzr" },
    [OP_X_SP] = { "x", "", "sp" },
    [OP_W_SP] = { "w", "", "wsp" },
    [OP_8B] = { "v", ".8b", NULL },
    [OP_16B] = { "v", ".16b", NULL },
    [OP_4H] = { "v", ".4h", NULL },
    [OP_8H] = { "v", ".8h", NULL },
    [OP_2S] = { "v", ".2s", NULL },
    [OP_4S] = { "v", ".4s", NULL },
    [OP_1D] = { "v", ".1d", NULL },
    [OP_2D] = { "v", ".2d", NULL },
    [OP_1Q] = { "v", ".1q", NULL },
    [OP_B] = { "b", "", NULL },
    [OP_H] = { "h", "", NULL },
    [OP_S] = { "s", "", NULL },
    [OP_D] = { "d", "", NULL },
    [OP_Q] = { "q", "", NULL },
    [OP_B_LANE] = { "v", ".b", NULL },
    [OP_H_LANE] = { "v", ".h", NULL },
    [OP_S_LANE] = { "v", ".s", NULL },
    [OP_D_LANE] = { "v", ".d", NULL },
};

bool imm_is_pattern(enum imm_range range)
{
    return range == RANGE_LOGICAL_X || range == RANGE_LOGICAL_W || range == RANGE_BYTE_MASK_64
        || range == RANGE_U8 || range == RANGE_U16;
}

int imm_printed_shift(enum imm_range range)
{
    return range == RANGE_U12_SHIFT12 ? 12 : 0;
}

static void print_imm(struct text *t, enum imm_range range, int64_t value)
{
    if (imm_is_pattern(range))
        text_add_hex(t, (uint64_t)value);
    else
        text_add_number(t, value >> imm_printed_shift(range));
}

static void print_operand(struct text *t, const struct operand_spec *spec,
                          const struct phys_operand *op)
{
    const struct register_spelling *spelling = &register_spellings[spec->kind];
    switch (spec->kind) {
    case OP_IMM:
        print_imm(t, spec->range, op->imm);
        break;
    case OP_COND:
        text_add(t, cond_names[op->imm]);
        break;
    case OP_LABEL:
    case OP_SYMBOL:
        text_add(t, op->name);
        break;
    default:
        assert(spelling->prefix != NULL);
        if (op->reg == 31 && spelling->number_31 != NULL) {
            text_add(t, spelling->number_31);
            return;
        }
        text_add(t, spelling->prefix);
        text_add_number(t, op->reg);
        text_add(t, spelling->suffix);
    }
}

/* Is the immediate inside "<…%N>" zero? P points behind the '<'. */
static bool optional_part_is_zero(const char *p, const struct phys_insn *insn)
{
    while (*p != '%')
        p++;
    return insn->op[p[1] - '0'].imm == 0;
}

void insn_print(struct text *t, const struct phys_insn *insn)
{
    assert(insn_complaint(insn) == NULL);
    const struct insn_row *row = &insns[insn->insn];
    for (const char *p = row->print; *p != '\0'; p++) {
        if (*p == '%') {
            int n = *++p - '0';
            assert(n >= 0 && n < row->operand_count);
            print_operand(t, &row->op[n], &insn->op[n]);
        } else if (*p == '<') {
            if (optional_part_is_zero(p + 1, insn))
                while (*p != '>')
                    p++;
        } else if (*p != '>') {
            size_t plain = 1;
            while (p[plain] != '\0' && p[plain] != '%' && p[plain] != '<' && p[plain] != '>')
                plain++;
            text_add_n(t, p, plain);
            p += plain - 1;
        }
    }
}
