/* select_flag.c: operations that make or use the carry flag.
 *
 * Every flag of the IR is Arm's C and lives in NZCV; its vreg only ties
 * writers to readers. One spelling each: C is cleared by `cmn xzr, xzr`
 * (0 + 0 carries nothing) and set by `cmp xzr, xzr` (0 - 0 borrows nothing).
 */
#include "code/select.h"

#include <assert.h>

static struct vreg *flag_def(struct selector *s, const struct ir_inst *i)
{
    const struct ir_value *v = i->result[1] != NULL ? i->result[1] : i->result[0];
    return v != NULL && type_is_flag(v->type) ? sel_wanted(s, v) : NULL;
}

static void select_sum(struct selector *s, struct ir_inst *i, struct vreg *to, struct vreg *flag)
{
    bool is_w = type_is_w(i->type);
    struct ir_value *a = i->args[0], *b = i->args[1];
    bool subtract = i->op == IR_subs || i->op == IR_sbcs || i->op == IR_sbc;
    if (i->op == IR_adds || i->op == IR_subs) {
        if (flag == NULL)
            put_sum(s, subtract, is_w, to, a, b);
        else
            put_flags_sum(s, subtract, is_w, to, a, b)->flags_out = flag;
        return;
    }
    bool keeps = i->op == IR_adc || i->op == IR_sbc || flag == NULL;
    enum insn insn = subtract ? (keeps ? WX(is_w, sbc) : WX(is_w, sbcs))
                              : (keeps ? WX(is_w, adc) : WX(is_w, adcs));
    struct mach_insn *made = put(s, insn, op_reg(to != NULL ? to : vreg_zero(s->f)),
                                 op_reg(sel_use_or_zero(s, a)), op_reg(sel_use_or_zero(s, b)));
    made->flags_in = sel_use(s, i->args[2]);
    made->flags_out = keeps ? NULL : flag;
}

static void select_to_flag(struct selector *s, struct ir_inst *i, struct vreg *flag)
{
    bool is_w = type_is_w(i->args[0]->type);
    struct vreg *a = sel_use_or_zero(s, i->args[0]);
    struct mach_insn *made;
    if (i->imm == 0 && !vreg_is_constant(a))
        made = put(s, WX_(is_w, cmp, imm), op_reg(a), op_imm(1));       /* a >= 1 */
    else if (i->imm == 0)
        made = put(s, INSN_cmn_x, op_reg(a), op_reg(a));
    else
        made = put(s, WX(is_w, cmp), op_reg(vreg_zero(s->f)), op_reg(a));   /* 0 >= a */
    made->flags_out = flag;
}

static void select_choice(struct selector *s, struct ir_inst *i, struct vreg *to)
{
    bool is_w = type_is_w(i->result[0]->type);
    struct vreg *b = sel_use_or_zero(s, i->args[1]), *c = sel_use_or_zero(s, i->args[2]);
    put(s, WX(is_w, csel), op_reg(to), op_reg(b), op_reg(c), op_imm(i->imm ? COND_LO : COND_HS))
        ->flags_in = sel_use(s, i->args[0]);
}

static void select_from_flag(struct selector *s, struct ir_inst *i, struct vreg *to)
{
    bool is_w = type_is_w(i->result[0]->type);
    enum insn insn = i->op == IR_cset ? WX(is_w, cset) : WX(is_w, csetm);
    put(s, insn, op_reg(to), op_imm(i->imm ? COND_LO : COND_HS))->flags_in = sel_use(s, i->args[0]);
}

void select_flags(struct selector *s, struct ir_inst *i)
{
    struct vreg *flag = flag_def(s, i);
    struct vreg *to = i->result[0] == NULL || type_is_flag(i->result[0]->type)
                          ? NULL : sel_wanted(s, i->result[0]);
    if (to == NULL && flag == NULL)
        return;
    switch (i->op) {
    case IR_flag: {
        struct vreg *zero = vreg_zero(s->f);
        put(s, i->imm ? INSN_cmp_x : INSN_cmn_x, op_reg(zero), op_reg(zero))->flags_out = flag;
        break;
    }
    case IR_adds: case IR_adcs: case IR_adc:
    case IR_subs: case IR_sbcs: case IR_sbc: select_sum(s, i, to, flag); break;
    case IR_cset:
    case IR_cmask: select_from_flag(s, i, to); break;
    case IR_toflag: select_to_flag(s, i, flag); break;
    case IR_csel: select_choice(s, i, to); break;
    default: assert(0 && "an operation on flags");
    }
}
