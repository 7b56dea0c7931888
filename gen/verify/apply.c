/* apply.c: see apply.h. Operand k lives in register k, a run of registers in
 * consecutive ones from RUN_BASE. An argument that is wider than its operand
 * (lane 0 of a u64x2 where a u64x1 is read) loses what the instruction does
 * not read. */
#include "verify/apply.h"

#include <assert.h>

#include "verify/exec.h"

enum { RUN_BASE = 8, MAX_WIDTH = 128 };

static reg_number register_of(const struct insn_row *row, int operand)
{
    int in_run = operand - row->run_first;
    bool is_in_run = (row->flags & REGISTER_RUN) && in_run >= 0 && in_run < row->run_length;
    return (reg_number)(is_in_run ? RUN_BASE + in_run : operand);
}

static void set_argument(struct machine *m, struct decoded *d, int operand, val v)
{
    enum operand_kind kind = operand_kind_of(d, operand);
    if (kind != OP_IMM && kind != OP_COND) {
        int bits = operand_bits(kind);
        operand_write(m, d, operand, m->domain->field(m->domain, bits, v, 0, bits, false));
        return;
    }
    uint64_t number = 0;
    bool known = m->domain->number(m->domain, v, &number);
    assert(known && "the checker lets only constants be immediates");
    (void)known;
    d->insn.op[operand].imm = (int64_t)number;
}

/* What an operand has before it is set. */
static void clear(struct machine *m, const struct decoded *d, int operand)
{
    static const uint64_t none[2];
    enum operand_kind kind = operand_kind_of(d, operand);
    if (operand_is_general(kind))
        m->x[d->insn.op[operand].reg] = m->domain->constant(m->domain, 64, none);
    else if (operand_is_vector(kind))
        m->v[d->insn.op[operand].reg] = m->domain->constant(m->domain, MAX_WIDTH, none);
}

static val apply(struct domain *domain, enum insn insn, const val *args, int count)
{
    const struct insn_row *row = &insns[insn];
    struct machine m = { .domain = domain };
    struct decoded d = { .insn.insn = insn, .target = -1 };
    int result = -1, used = 0;
    for (int k = 0; k < row->operand_count; k++) {
        d.insn.op[k].reg = register_of(row, k);
        clear(&m, &d, k);
        if (row->op[k].role != ROLE_DEF && used < count)
            set_argument(&m, &d, k, args[used++]);
        if (result < 0 && (row->op[k].role == ROLE_DEF || row->op[k].role == ROLE_TIED))
            result = k;
    }
    assert(used == count && result >= 0);
    row->meaning(&m, &d);
    return operand_read(&m, &d, result);
}

val apply_insn(struct domain *d, enum insn insn, const val *args, int count)
{
    val result = d->recall ? d->recall(d, (int)insn, args, count) : 0;
    if (result)
        return result;
    result = apply(d, insn, args, count);
    if (d->remember)
        d->remember(d, (int)insn, args, count, result);
    return result;
}
