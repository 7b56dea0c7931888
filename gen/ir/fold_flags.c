/* fold_flags.c: identities of operations that read or write the carry.
 *
 * A result that nobody reads makes the operation one that does not write it;
 * an incoming flag that is known makes it one that does not read it. No rule
 * makes a flag live longer: one lives at a time (ir.h).
 */
#include "ir/pass.h"

static bool known_flag(const struct ir_value *v, bool *c)
{
    if (!v->def || v->def->op != IR_flag)
        return false;
    *c = v->def->imm != 0;
    return true;
}

static bool flag_unused(const struct folder *w, const struct ir_inst *i)
{
    const struct ir_value *flag = i->result[1];
    return flag && flag->id < w->use_limit && w->uses[flag->id] == 0;
}

static struct ir_value *without_flag_out(struct folder *w, struct ir_inst *i)
{
    static const enum ir_op plain[IR_OP_COUNT] = {
        [IR_adds] = IR_add, [IR_subs] = IR_sub, [IR_adcs] = IR_adc, [IR_sbcs] = IR_sbc,
    };
    struct ir_inst *n = ir_new_inst(w->f, plain[i->op], i->type, i->arg_count, i->loc);

    for (int k = 0; k < i->arg_count; k++)
        n->args[k] = i->args[k];
    n->algebra = i->algebra;
    ir_insert_before(i, n);
    return n->result[0];
}

/* The carry in is 0 (1 for subtraction): the operation without it. Changed in
 * place, so that the flag it writes stays the same value. */
static bool drop_flag_in(struct ir_inst *i)
{
    bool c;

    if ((i->op != IR_adcs && i->op != IR_sbcs) || !known_flag(i->args[2], &c) ||
        c != (i->op == IR_sbcs))
        return false;
    i->op = i->op == IR_adcs ? IR_adds : IR_subs;
    i->arg_count = 2;
    return true;
}

static struct ir_value *fold_choice(struct folder *w, struct ir_inst *i)
{
    bool c;

    if (i->op == IR_csel && i->args[1] == i->args[2])
        return i->args[1];
    if (!known_flag(i->args[0], &c))
        return NULL;
    c ^= i->imm != 0;
    if (i->op == IR_csel)
        return i->args[c ? 1 : 2];
    if (i->op == IR_cset)
        return fold_const(w, i->type, c, 0);
    return fold_const(w, i->type, c ? UINT64_MAX : 0, 0);
}

struct ir_value *fold_flags(struct folder *w, struct ir_inst *i)
{
    bool c;

    switch (i->op) {
    case IR_adds: case IR_subs: case IR_adcs: case IR_sbcs:
        if (flag_unused(w, i))
            return without_flag_out(w, i);
        w->changed |= drop_flag_in(i);
        return NULL;
    case IR_adc: case IR_sbc:
        if (known_flag(i->args[2], &c) && c == (i->op == IR_sbc))
            return fold_new(w, i->op == IR_adc ? IR_add : IR_sub, i->type, i->args[0], i->args[1]);
        return NULL;
    case IR_cset: case IR_cmask: case IR_csel:
        return fold_choice(w, i);
    default:
        return NULL;
    }
}
