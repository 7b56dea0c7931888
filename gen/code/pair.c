/* pair.c: two neighbouring accesses become ldp or stp.
 *
 * Works inside a block on accesses with one base register, offsets one access
 * apart, and nothing between that redefines the base or touches the same bytes: a
 * later load moves up to the earlier one, an earlier store down to the later
 * one. Then folds pointer updates (post_index.c) where the core prefers that.
 * Does not: look across blocks, or mind distance; the scheduler orders what
 * is left.
 */
#include <assert.h>

#include "base/broken.h"
#include "code/liveness.h"
#include "code/passes.h"

struct pair_row { enum insn one, unscaled, two; uint8_t bytes; enum imm_range range; };

static const struct pair_row pair_rows[] = {
    { INSN_ldr_x, INSN_ldur_x, INSN_ldp_x, 8, RANGE_PAIR_X },
    { INSN_ldr_w, INSN_ldur_w, INSN_ldp_w, 4, RANGE_PAIR_W },
    { INSN_ldr_q, INSN_ldur_q, INSN_ldp_q, 16, RANGE_PAIR_Q },
    { INSN_ldr_d, INSN_ldur_d, INSN_ldp_d, 8, RANGE_PAIR_X },
    { INSN_str_x, INSN_stur_x, INSN_stp_x, 8, RANGE_PAIR_X },
    { INSN_str_w, INSN_stur_w, INSN_stp_w, 4, RANGE_PAIR_W },
    { INSN_str_q, INSN_stur_q, INSN_stp_q, 16, RANGE_PAIR_Q },
    { INSN_str_d, INSN_stur_d, INSN_stp_d, 8, RANGE_PAIR_X },
};

/* Operands of a single access: what is moved, base, offset. */
enum { MOVED, BASE, OFFSET };

static const struct pair_row *row_for(const struct mach_func *f, const struct mach_insn *i)
{
    for (int k = 0; k < COUNT(pair_rows); k++) {
        const struct pair_row *r = &pair_rows[k];
        if (i->insn != r->one && i->insn != r->unscaled)
            continue;
        if (r->two == INSN_ldp_q && f->core->load_pair_q_is_slow)
            return NULL;
        return i->op[OFFSET].stack == NULL && !i->op[OFFSET].is_incoming ? r : NULL;
    }
    return NULL;
}

static bool is_load(const struct mach_insn *i) { return (row_of(i)->flags & IS_LOAD) != 0; }

/* May the moving access pass I? */
static bool can_pass(const struct mach_func *f, const struct mach_insn *moving,
                     const struct mach_insn *i)
{
    const struct vreg *moved = moving->op[MOVED].reg, *base = moving->op[BASE].reg;
    if ((row_of(i)->flags & (IS_CALL | IS_BRANCH)) != 0 || insn_writes(i, base))
        return false;
    if (!vreg_is_constant(moved) && (insn_writes(i, moved) || (is_load(moving) && insn_reads(i, moved))))
        return false;
    return !accesses_conflict(f, moving, i);
}

static bool are_neighbours(const struct pair_row *r, const struct mach_insn *a,
                           const struct mach_insn *b, int64_t step)
{
    if ((b->insn != r->one && b->insn != r->unscaled) || a->op[BASE].reg != b->op[BASE].reg
        || b->op[OFFSET].stack != NULL || b->op[OFFSET].is_incoming)
        return false;
    if (is_broken(BROKEN_PAIRING))
        step *= 2;
    int64_t low = step > 0 ? a->op[OFFSET].imm : b->op[OFFSET].imm;
    return b->op[OFFSET].imm - a->op[OFFSET].imm == step && imm_fits(r->range, low);
}

static bool moved_differ(const struct mach_insn *a, const struct mach_insn *b)
{
    return !is_load(a)
           || (a->op[MOVED].reg != b->op[MOVED].reg && a->op[MOVED].reg != a->op[BASE].reg
               && b->op[MOVED].reg != a->op[BASE].reg);
}

/* Everything strictly between A and B lets MOVING pass. */
static bool way_is_free(const struct mach_func *f, const struct mach_insn *a,
                        const struct mach_insn *b, const struct mach_insn *moving)
{
    for (const struct mach_insn *i = a->next; i != b; i = i->next)
        if (!can_pass(f, moving, i))
            return false;
    return true;
}

static struct mach_insn *find_partner(const struct mach_func *f, const struct pair_row *r,
                                      struct mach_insn *a, int64_t step)
{
    for (struct mach_insn *b = a->next; b != NULL; b = b->next) {
        if (are_neighbours(r, a, b, step) && moved_differ(a, b))
            return way_is_free(f, a, b, is_load(a) ? b : a) ? b : NULL;
        if (insn_writes(b, a->op[BASE].reg) || (row_of(b)->flags & IS_CALL) != 0)
            return NULL;
    }
    return NULL;
}

static struct mach_insn *join(const struct pair_row *r, struct mach_insn *a, struct mach_insn *b)
{
    bool in_order = a->op[OFFSET].imm < b->op[OFFSET].imm;
    struct mach_insn *low = in_order ? a : b, *high = in_order ? b : a;
    struct mach_insn *pair = MAKE(r->two, low->op[MOVED], high->op[MOVED], low->op[BASE],
                                  low->op[OFFSET]);
    pair->mem = low->mem;
    pair->mem_count = 2;
    pair->loc = a->loc;
    pair->algebra = a->algebra != NULL ? a->algebra : b->algebra;
    insn_before(is_load(a) ? a : b, pair);
    insn_remove(a);
    insn_remove(b);
    return pair;
}

static void pair_block(const struct mach_func *f, struct mach_block *b)
{
    for (struct mach_insn *i = b->first, *next; i != NULL; i = next) {
        next = i->next;
        const struct pair_row *r = row_for(f, i);
        if (r == NULL)
            continue;
        struct mach_insn *partner = find_partner(f, r, i, r->bytes);
        if (partner == NULL)
            partner = find_partner(f, r, i, -(int64_t)r->bytes);
        if (partner == NULL)
            continue;
        if (next == partner)
            next = partner->next;
        join(r, i, partner);
    }
}

void pair_accesses(struct mach_func *f)
{
    merge_webs(f);
    for (int k = 0; k < f->blocks.n; k++)
        pair_block(f, f->blocks.at[k]);
    if (f->core->prefers_post_index)
        fold_pointer_updates(f);
}
