/* wipe.c: clear what may hold secrets before a function returns.
 *
 * Stack arrays that can hold secrets are always cleared. With the clause
 * `wipe`, so is every register that a secret was put in, results excepted,
 * and callee-saved general registers, which the epilogue overwrites; of v8 to
 * v15 it restores only the low halves, so they are cleared. What a local callee
 * wrote counts as secret. Works on physical registers, in front of the epilogue.
 */
#include "code/passes.h"

#include <assert.h>

enum { STORES_IN_LINE = 32 };   /* above that, a loop */

static bool holds_secrets(const struct object *o) { return o->kind == OBJECT_STACK && o->secret; }

bool needs_wiping(const struct mach_func *f)
{
    for (int k = 0; k < f->func->objects.n; k++)
        if (holds_secrets(f->func->objects.at[k]))
            return true;
    return f->func->wipe;
}

/* -- registers -- */

static void find_secret(const struct mach_func *f, uint32_t mask[CLASS_FLAGS])
{
    struct reg_list l;
    for (int k = 0; k < f->blocks.n; k++)
        for (const struct mach_insn *i = f->blocks.at[k]->first; i != NULL; i = i->next) {
            insn_defs(i, &l);
            for (int j = 0; j < l.n; j++)
                if (l.at[j]->secret)
                    mask[l.at[j]->class] |= 1u << l.at[j]->assigned;
            for (int class = 0; class < CLASS_FLAGS; class++)
                mask[class] |= i->clobbers[class];
        }
}

static void put_before(struct mach_insn *at, struct mach_insn *i)
{
    i->loc = at->loc;
    insn_before(at, i);
}

static void clear_register(struct mach_func *f, struct mach_insn *at, enum reg_class class,
                           reg_number r)
{
    struct vreg *v = vreg_fixed(f, class, r);
    if (class == CLASS_GENERAL)
        put_before(at, MAKE(INSN_mov_x, op_reg(v), op_reg(vreg_zero(f))));
    else
        put_before(at, MAKE(INSN_movi_16b, op_reg(v), op_imm(0)));
}

static void wipe_registers(struct mach_func *f, struct mach_insn *ret)
{
    uint32_t mask[CLASS_FLAGS] = { 0 };
    find_secret(f, mask);
    for (int k = 0; k < ret->use_count; k++)
        mask[ret->uses[k]->class] &= ~(1u << ret->uses[k]->assigned);
    mask[CLASS_GENERAL] &= allocatable(CLASS_GENERAL) & ~f->frame.saved_general;
    for (int class = 0; class < CLASS_FLAGS; class++)
        for (reg_number r = 0; r < 32; r++)
            if ((mask[class] >> r & 1) != 0)
                clear_register(f, ret, (enum reg_class)class, r);
}

/* -- stack -- */

static uint32_t results_mask(const struct mach_insn *ret)
{
    uint32_t mask = 0;
    for (int k = 0; k < ret->use_count; k++)
        if (ret->uses[k]->class == CLASS_GENERAL)
            mask |= 1u << ret->uses[k]->assigned;
    return mask;
}

/* A caller-saved register that is no result. */
static struct vreg *scratch(struct mach_func *f, const struct mach_insn *ret, int which)
{
    uint32_t busy = results_mask(ret);
    for (reg_number r = 9; r <= 15; r++)
        if ((busy >> r & 1) == 0 && which-- == 0) {
            f->written[CLASS_GENERAL] |= 1u << r;
            return vreg_fixed(f, CLASS_GENERAL, r);
        }
    assert(0 && "a result in every register");
    return NULL;
}

/* Clears BYTES (a multiple of 16) from sp + OFFSET. */
static void wipe_fixed(struct mach_func *f, struct mach_insn *ret, int64_t offset, int64_t bytes)
{
    struct vreg *zero = vreg_zero(f), *base = vreg_sp(f);
    if (!imm_fits(RANGE_PAIR_X, offset + bytes)) {
        base = scratch(f, ret, 0);
        put_before(ret, MAKE(INSN_add_x_imm, op_reg(base), op_reg(vreg_sp(f)), op_imm(offset)));
        offset = 0;
    }
    for (int64_t at = 0; at < bytes; at += 16) {
        if (!imm_fits(RANGE_PAIR_X, offset)) {
            put_before(ret, MAKE(INSN_add_x_imm, op_reg(base), op_reg(base), op_imm(offset)));
            offset = 0;
        }
        put_before(ret, MAKE(INSN_stp_x, op_reg(zero), op_reg(zero), op_reg(base), op_imm(offset)));
        offset += 16;
    }
}

/* At the end of BLOCK: when FROM is (not) TO, there. */
static void branch_on_end(struct mach_func *f, struct mach_block *block, struct vreg *from,
                          struct vreg *to, enum cond when, struct mach_block *there)
{
    struct vreg *flags = vreg_new(f, CLASS_FLAGS);
    struct mach_insn *compare = MAKE(INSN_cmp_x, op_reg(from), op_reg(to));
    struct mach_insn *branch = MAKE(INSN_b_cond, op_imm(when), op_label(there));
    compare->flags_out = branch->flags_in = flags;
    insn_append(block, compare);
    insn_append(block, branch);
}

enum emptiness { NEVER_EMPTY, PERHAPS_EMPTY };

/* A loop over [from, to), both multiples of 16 apart. RET moves to the block
 * behind it; FROM and TO are computed by what was put before RET. */
static void wipe_loop(struct mach_func *f, struct mach_insn *ret, struct vreg *from,
                      struct vreg *to, enum emptiness emptiness)
{
    struct mach_block *before = ret->block, *loop = block_new(f), *after = block_new(f);
    struct vreg *zero = vreg_zero(f);
    insn_remove(ret);
    if (emptiness == PERHAPS_EMPTY)
        branch_on_end(f, before, from, to, COND_EQ, after);
    insn_append(before, MAKE(INSN_b, op_label(loop)));
    insn_append(loop, MAKE(INSN_stp_x_post, op_reg(zero), op_reg(zero), op_reg(from), op_imm(16)));
    branch_on_end(f, loop, from, to, COND_NE, loop);
    insn_append(loop, MAKE(INSN_b, op_label(after)));
    insn_append(after, ret);
    blocks_link(f);
}

/* Everything between sp and the saved registers that x29 points at: nothing
 * when the arrays have no elements. */
static void wipe_variable(struct mach_func *f, struct mach_insn *ret)
{
    struct vreg *from = scratch(f, ret, 0), *to = vreg_fixed(f, CLASS_GENERAL, REG_FRAME);
    put_before(ret, MAKE(INSN_mov_x_sp, op_reg(from), op_reg(vreg_sp(f))));
    wipe_loop(f, ret, from, to, PERHAPS_EMPTY);
}

static void wipe_stack(struct mach_func *f, struct mach_insn *ret)
{
    int64_t lowest = -1, end = 0;
    for (int k = 0; k < f->func->objects.n; k++) {
        const struct object *o = f->func->objects.at[k];
        if (!holds_secrets(o))
            continue;
        if (f->frame.is_variable) {
            wipe_variable(f, ret);
            return;
        }
        int64_t at = f->frame.object_offset[k];
        int64_t behind = at + ((int64_t)o->extent->value[0] + 15) / 16 * 16;
        lowest = lowest < 0 || at < lowest ? at : lowest;
        end = behind > end ? behind : end;
    }
    if (lowest < 0)
        return;
    if (end - lowest <= 16 * STORES_IN_LINE) {
        wipe_fixed(f, ret, lowest, end - lowest);
        return;
    }
    struct vreg *from = scratch(f, ret, 0), *to = scratch(f, ret, 1);
    put_before(ret, MAKE(INSN_add_x_imm, op_reg(from), op_reg(vreg_sp(f)), op_imm(lowest)));
    put_before(ret, MAKE(INSN_add_x_imm, op_reg(to), op_reg(vreg_sp(f)), op_imm(end)));
    wipe_loop(f, ret, from, to, NEVER_EMPTY);
}

void wipe_secrets(struct mach_func *f, struct mach_insn *ret)
{
    wipe_stack(f, ret);
    if (f->func->wipe)
        wipe_registers(f, ret);
}
