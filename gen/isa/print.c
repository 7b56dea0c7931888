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

static char *put(char *to, const char *s)
{
    while (*s != '\0')
        *to++ = *s++;
    return to;
}

static char *put_digits(char *to, uint64_t n, unsigned base)
{
    char digits[20];
    int at = sizeof digits;
    do
        digits[--at] = "0123456789abcdef"[n % base];
    while ((n /= base) != 0);
    while (at < (int)sizeof digits)
        *to++ = digits[at++];
    return to;
}

static char *put_imm(char *to, enum imm_range range, int64_t value)
{
    if (imm_is_pattern(range))
        return put_digits(put(to, "0x"), (uint64_t)value, 16);
    value >>= imm_printed_shift(range);
    if (value < 0)
        *to++ = '-';
    return put_digits(to, value < 0 ? -(uint64_t)value : (uint64_t)value, 10);
}

static char *put_register(char *to, const struct register_spelling *spelling, reg_number reg)
{
    assert(spelling->prefix != NULL && reg < 32);
    if (reg == 31 && spelling->number_31 != NULL)
        return put(to, spelling->number_31);
    to = put(to, spelling->prefix);
    if (reg >= 10)
        *to++ = (char)('0' + reg / 10);
    *to++ = (char)('0' + reg % 10);
    return put(to, spelling->suffix);
}

static char *put_operand(char *to, const struct operand_spec *spec, const struct phys_operand *op)
{
    switch (spec->kind) {
    case OP_IMM:
        return put_imm(to, spec->range, op->imm);
    case OP_COND:
        return put(to, cond_names[op->imm]);
    case OP_LABEL:
    case OP_SYMBOL:
        return put(to, op->name);
    default:
        return put_register(to, &register_spellings[spec->kind], op->reg);
    }
}

/* As many characters as the instruction may take. */
static size_t most_characters(const struct insn_row *row, const struct phys_insn *insn)
{
    enum { MOST_OF_AN_OPERAND = 24 };
    size_t n = strlen(row->print);
    for (int k = 0; k < row->operand_count; k++)
        n += insn->op[k].name != NULL ? strlen(insn->op[k].name) : MOST_OF_AN_OPERAND;
    return n;
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
    char *to = text_room(t, most_characters(row, insn));
    for (const char *p = row->print; *p != '\0'; p++) {
        if (*p == '%') {
            int n = *++p - '0';
            assert(n >= 0 && n < row->operand_count);
            to = put_operand(to, &row->op[n], &insn->op[n]);
        } else if (*p == '<') {
            if (optional_part_is_zero(p + 1, insn))
                while (*p != '>')
                    p++;
        } else if (*p != '>') {
            *to++ = *p;
        }
    }
    text_end(t, to);
}
