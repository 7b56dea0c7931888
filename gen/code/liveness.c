/* liveness.c: backward data flow over registers.
 *
 * Takes linked blocks; gives live-in and live-out of each. Iterates to a fixed
 * point over the layout backwards, which converges in two or three rounds for
 * structured code. Does not: know flags (mach_check and the scheduler do).
 */
#include "code/liveness.h"

#include <assert.h>

void liveness_step(struct bitset *live, const struct mach_insn *i)
{
    insn_drop_defs(i, live);
    insn_add_uses(i, live);
}

/* Registers read before they are written, and those written. */
static void summarise(const struct mach_block *b, struct bitset *uses, struct bitset *defs)
{
    for (const struct mach_insn *i = b->last; i != NULL; i = i->prev) {
        insn_add_defs(i, defs);
        insn_drop_defs(i, uses);
        insn_add_uses(i, uses);
    }
}

static bool flow(struct liveness *l, const struct mach_block *b, const struct bitset *uses,
                 const struct bitset *defs)
{
    bool changed = false;
    for (int k = 0; k < b->succs.n; k++)
        changed |= bitset_union(&l->out[b->id], &l->in[b->succs.at[k]->id]);
    struct bitset *in = &l->in[b->id];
    for (int w = 0; w < in->words; w++) {
        uint64_t now = uses->word[w] | (l->out[b->id].word[w] & ~defs->word[w]);
        changed |= now != in->word[w];
        in->word[w] = now;
    }
    return changed;
}

struct liveness *liveness_of(const struct mach_func *f)
{
    int n = f->blocks.n;
    struct liveness *l = NEW(struct liveness);
    struct bitset *uses = NEW_ARRAY(struct bitset, n), *defs = NEW_ARRAY(struct bitset, n);
    l->vregs = f->vregs.n;
    l->in = NEW_ARRAY(struct bitset, n);
    l->out = NEW_ARRAY(struct bitset, n);
    for (int k = 0; k < n; k++) {
        assert(f->blocks.at[k]->id == k);
        uses[k] = bitset_new(l->vregs);
        defs[k] = bitset_new(l->vregs);
        l->in[k] = bitset_new(l->vregs);
        l->out[k] = bitset_new(l->vregs);
        summarise(f->blocks.at[k], &uses[k], &defs[k]);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int k = n - 1; k >= 0; k--)
            changed |= flow(l, f->blocks.at[k], &uses[k], &defs[k]);
    }
    return l;
}

static int count_class(const struct mach_func *f, const struct bitset *live, enum reg_class class)
{
    int n = 0;
    for (int v = bitset_next(live, 0); v >= 0; v = bitset_next(live, v + 1))
        n += f->vregs.at[v]->class == class;
    return n;
}

int pressure_peak(const struct mach_func *f, const struct liveness *l, enum reg_class class,
                  struct mach_insn **where)
{
    int peak = 0;
    struct bitset live = bitset_new(l->vregs);
    *where = NULL;
    for (int k = 0; k < f->blocks.n; k++) {
        struct mach_block *b = f->blocks.at[k];
        bitset_copy(&live, &l->out[k]);
        for (struct mach_insn *i = b->last; i != NULL; i = i->prev) {
            /* What an instruction defines needs a register even if nobody reads it. */
            insn_add_defs(i, &live);
            int n = count_class(f, &live, class);
            if (n > peak) {
                peak = n;
                *where = i;
            }
            liveness_step(&live, i);
        }
    }
    return peak;
}
