/* check.c: what must hold for machine code at every stage.
 *
 * Operands have the class and, when immediate, a value their kind can be; x18
 * appears nowhere; every use is reached by a definition; the flags a reader
 * names are the ones last written on every path; after allocation tied
 * operands are one register and runs are consecutive. All asserts: a failure
 * is a fault of a pass. Does nothing when asserts are off.
 */
#include <assert.h>

#include "code/liveness.h"

#ifndef NDEBUG

/* -- operands -- */

static bool is_placed(const struct vreg *v) { return v->is_assigned; }

static void check_register(const struct mach_func *f, const struct operand_spec *spec,
                           const struct vreg *v)
{
    assert(v != NULL);
    assert(v == f->vregs.at[v->id]);
    assert(operand_is_general((enum operand_kind)spec->kind) == (v->class == CLASS_GENERAL));
    if (v->class != CLASS_GENERAL || !is_placed(v))
        return;
    assert(v->assigned != REG_PLATFORM);
    /* Number 31 means sp in the one kind of operand and zero in the other. */
    bool wants_sp = spec->kind == OP_X_SP || spec->kind == OP_W_SP;
    assert(v->assigned != 31 || (v == f->stack_pointer) == wants_sp);
}

static void check_operands(const struct mach_func *f, const struct mach_insn *i)
{
    const struct insn_row *row = row_of(i);
    for (int k = 0; k < row->operand_count; k++) {
        const struct operand_spec *spec = &row->op[k];
        const struct mach_operand *op = &i->op[k];
        if (spec->kind == OP_IMM)
            assert(op->stack != NULL || imm_fits((enum imm_range)spec->range, op->imm));
        else if (spec->kind == OP_LABEL)
            assert(op->label != NULL && f->blocks.at[op->label->id] == op->label);
        else if (spec->kind == OP_SYMBOL)
            assert(op->callee != NULL || op->tables != NULL || op->symbol != NULL);
        else if (spec->kind != OP_COND)
            check_register(f, spec, op->reg);
        if (op->tied != NULL) {
            assert(spec->role == ROLE_TIED);
            check_register(f, spec, op->tied);
        }
    }
    if ((row->flags & WRITES_NZCV) == 0)
        assert(i->flags_out == NULL);
    if ((row->flags & (READS_C | READS_NZCV)) != 0)
        assert(i->flags_in != NULL);
}

static void check_run(const struct mach_insn *i)
{
    const struct insn_row *row = row_of(i);
    for (int k = 1; k < row->run_length; k++) {
        const struct mach_operand *op = &i->op[row->run_first + k];
        const struct vreg *a = op[-1].reg, *b = op[0].reg;
        if (is_placed(a) && is_placed(b))
            assert(b->assigned == (a->assigned + 1) % 32);
    }
}

/* -- flags: what is in NZCV -- */

static const struct vreg unknown_flags, unreached_flags;

/* The flag value after B, given the one before it; checks readers when asked. */
static const struct vreg *flags_through(const struct mach_block *b, const struct vreg *now,
                                        bool check)
{
    for (const struct mach_insn *i = b->first; i != NULL; i = i->next) {
        if (check && i->flags_in != NULL)
            assert(i->flags_in == now);
        if (insn_writes_flags(i))
            now = i->flags_out != NULL ? i->flags_out : &unknown_flags;
    }
    return now;
}

static void check_flags(const struct mach_func *f)
{
    const struct vreg **in = NEW_ARRAY(const struct vreg *, f->blocks.n);
    for (int k = 0; k < f->blocks.n; k++)
        in[k] = k == 0 ? &unknown_flags : &unreached_flags;
    for (bool changed = true; changed;) {
        changed = false;
        for (int k = 0; k < f->blocks.n; k++) {
            if (in[k] == &unreached_flags)
                continue;
            const struct vreg *out = flags_through(f->blocks.at[k], in[k], false);
            for (int s = 0; s < f->blocks.at[k]->succs.n; s++) {
                const struct vreg **to = &in[f->blocks.at[k]->succs.at[s]->id];
                const struct vreg *joined = *to == &unreached_flags || *to == out ? out
                                                                                  : &unknown_flags;
                changed |= joined != *to;
                *to = joined;
            }
        }
    }
    for (int k = 0; k < f->blocks.n; k++)
        if (in[k] != &unreached_flags)
            flags_through(f->blocks.at[k], in[k], true);
}

/* -- registers -- */

static void check_links(const struct mach_func *f)
{
    for (int k = 0; k < f->blocks.n; k++) {
        const struct mach_block *b = f->blocks.at[k];
        assert(b->id == k);
        for (const struct mach_insn *i = b->first; i != NULL; i = i->next) {
            assert(i->block == b);
            assert(i->next == NULL ? b->last == i : i->next->prev == i);
            assert(!insn_is_branch(i) || i->next == NULL || insn_is_branch(i->next));
        }
    }
}

/* Allocation removes the copies from one register to itself, and with them the
 * definitions: what lives where is then said by assignments, not by vregs. */
static bool is_before_allocation(const struct mach_func *f)
{
    for (int v = 0; v < f->vregs.n; v++)
        if (!f->vregs.at[v]->is_fixed && f->vregs.at[v]->is_assigned)
            return false;
    return f->blocks.at[0]->first != NULL && f->blocks.at[0]->first->insn == INSN_NONE;
}

void mach_check(const struct mach_func *f)
{
    const struct mem_mark mark = mem_mark();
    check_links(f);
    for (int k = 0; k < f->blocks.n; k++)
        for (const struct mach_insn *i = f->blocks.at[k]->first; i != NULL; i = i->next) {
            check_operands(f, i);
            check_run(i);
        }
    check_flags(f);
    if (is_before_allocation(f)) {
        const struct liveness *l = liveness_of(f);
        assert(bitset_next(&l->in[0], 0) < 0);
    }
    mem_release_to(mark);
}

#else

void mach_check(const struct mach_func *f) { (void)f; }

#endif
