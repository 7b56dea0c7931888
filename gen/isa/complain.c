/* complain.c: what is wrong with the operands of a physical instruction.
 *
 * Takes an instruction and gives NULL or a message. Knows only what the row
 * says (kinds, roles, ranges, runs, flags), no single instruction. What it
 * refuses either has no encoding or is CONSTRAINED UNPREDICTABLE (Arm ARM
 * K1.1.29: a load pair into one register, a base that is also moved), or is
 * x18, which belongs to the platform.
 */
#include "isa/isa.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static char message[200];

static const char *say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static const char *say(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    return message;
}

static const char *complain_operand(const struct insn_row *row, const struct phys_operand *op,
                                    int i)
{
    const struct operand_spec *spec = &row->op[i];
    switch (spec->kind) {
    case OP_IMM:
        if (!imm_fits(spec->range, op->imm))
            return say("operand %d of '%s' must be %s, not %" PRId64, i + 1, row->mnemonic,
                       imm_describe(spec->range), op->imm);
        return NULL;
    case OP_COND:
        if (op->imm < COND_EQ || op->imm > COND_LE)
            return say("operand %d of '%s' must be a condition that can be false", i + 1, row->mnemonic);
        return NULL;
    case OP_LABEL:
    case OP_SYMBOL:
        if (op->name == NULL || op->name[0] == '\0')
            return say("operand %d of '%s' needs a name", i + 1, row->mnemonic);
        return NULL;
    default:
        if (op->reg > 31)
            return say("operand %d of '%s': no register %d", i + 1, row->mnemonic, op->reg);
        if (operand_is_general(spec->kind) && op->reg == REG_PLATFORM)
            return say("operand %d of '%s' is x18, which belongs to the platform", i + 1,
                       row->mnemonic);
        return NULL;
    }
}

/* A bit field: its width follows its lowest bit and ends inside the register. */
static const char *complain_field(const struct insn_row *row, const struct phys_insn *insn, int i)
{
    int bits = row->op[i].range == RANGE_WIDTH_X ? 64 : row->op[i].range == RANGE_WIDTH_W ? 32 : 0;
    if (bits == 0 || insn->op[i - 1].imm + insn->op[i].imm <= bits)
        return NULL;
    return say("the field of '%s' ends at bit %" PRId64 ", beyond the %d of the register",
               row->mnemonic, insn->op[i - 1].imm + insn->op[i].imm, bits);
}

static const char *complain_run(const struct insn_row *row, const struct phys_insn *insn)
{
    for (int i = 1; i < row->run_length; i++) {
        const struct phys_operand *op = &insn->op[row->run_first + i];
        if (op->reg != (op[-1].reg + 1) % 32)
            return say("the registers in the list of '%s' must be consecutive", row->mnemonic);
    }
    return NULL;
}

static bool same_register(const struct insn_row *row, const struct phys_insn *insn, int i, int j)
{
    return operand_is_general(row->op[i].kind) == operand_is_general(row->op[j].kind)
        && insn->op[i].reg == insn->op[j].reg;
}

static bool is_register(const struct insn_row *row, int i)
{
    return operand_is_general(row->op[i].kind) || operand_is_vector(row->op[i].kind);
}

static const char *complain_overlap(const struct insn_row *row, const struct phys_insn *insn)
{
    if ((row->flags & (IS_LOAD | IS_STORE)) == 0)
        return NULL;
    for (int i = 0; i < row->operand_count; i++) {
        for (int j = i + 1; j < row->operand_count; j++) {
            if (!is_register(row, i) || !is_register(row, j) || !same_register(row, insn, i, j))
                continue;
            if (row->op[i].role == ROLE_DEF && row->op[j].role == ROLE_DEF)
                return say("'%s' loads twice into one register", row->mnemonic);
            /* 31 is sp as a base and xzr as what is moved. */
            if ((row->flags & BASE_WRITEBACK) != 0 && row->op[j].role == ROLE_TIED
                && insn->op[j].reg != 31)
                return say("'%s' writes its base back and moves it, too", row->mnemonic);
        }
    }
    return NULL;
}

const char *insn_complaint(const struct phys_insn *insn)
{
    assert(insn->insn > INSN_NONE && insn->insn < INSN_COUNT);
    const struct insn_row *row = &insns[insn->insn];
    for (int i = 0; i < row->operand_count; i++) {
        const char *wrong = complain_operand(row, &insn->op[i], i);
        if (wrong == NULL)
            wrong = complain_field(row, insn, i);
        if (wrong != NULL)
            return wrong;
    }
    const char *wrong = complain_run(row, insn);
    return wrong != NULL ? wrong : complain_overlap(row, insn);
}
