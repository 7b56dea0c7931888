/* interference.c: the interference graph, as a bit matrix and neighbour lists.
 *
 * Every round of coalescing and every attempt at colouring wants a new one and
 * releases it. Does not: decide what to merge or colour.
 */
#include "base/broken.h"
#include "code/liveness.h"

#include <assert.h>
#include <string.h>

static size_t cell(int a, int b)
{
    if (a < b) {
        int t = a;
        a = b;
        b = t;
    }
    return (size_t)a * ((size_t)a - 1) / 2 + (size_t)b;
}

bool interferes(const struct interference *g, int a, int b)
{
    if (a == b)
        return false;
    size_t c = cell(a, b);
    return (g->bits[c >> 6] >> (c & 63) & 1) != 0;
}

static void neighbour_add(struct neighbours *l, int v)
{
    if (l->n == l->cap) {
        int cap = l->cap > 0 ? l->cap * 2 : 16;
        l->at = mem_grow(l->at, sizeof *l->at * (size_t)l->cap, sizeof *l->at * (size_t)cap);
        l->cap = cap;
    }
    l->at[l->n++] = v;
}

static void edge(struct interference *g, int a, int b)
{
    if (a == b)
        return;
    size_t c = cell(a, b);
    if ((g->bits[c >> 6] >> (c & 63) & 1) != 0)
        return;
    g->bits[c >> 6] |= 1ull << (c & 63);
    neighbour_add(&g->of[a], b);
    neighbour_add(&g->of[b], a);
}

void interference_merge(struct interference *g, int a, int b)
{
    for (int k = 0; k < g->of[b].n; k++)
        edge(g, a, g->of[b].at[k]);
}

static struct interference *graph_for(int n)
{
    struct interference *g = NEW(struct interference);
    const size_t cells = (size_t)n * (size_t)n / 2;
    g->n = n;
    g->bits = NEW_ARRAY(uint64_t, cells / 64 + 1);
    g->of = NEW_ARRAY(struct neighbours, n);
    return g;
}

static void define(struct interference *g, const struct mach_func *f, const struct bitset *live,
                   const struct vreg *d, const struct vreg *copied)
{
    for (int v = bitset_next(live, 0); v >= 0; v = bitset_next(live, v + 1)) {
        const struct vreg *other = f->vregs.at[v];
        bool overlooked = is_broken(BROKEN_ALLOCATOR) && (d->id + v) % 11 == 0;
        if (other->class == d->class && other != copied && !overlooked)
            edge(g, d->id, v);
    }
}

/* A call destroys registers that it does not define. */
static void clobber(struct interference *g, const struct mach_func *f, const struct bitset *live,
                    const struct mach_insn *call)
{
    for (int class = 0; class < CLASS_FLAGS; class++)
        for (reg_number r = 0; r < 32; r++) {
            if ((call->clobbers[class] >> r & 1) == 0
                || (class == CLASS_GENERAL && (r == REG_PLATFORM || r >= REG_FRAME)))
                continue;
            const struct vreg *fixed = f->fixed[class][r];
            assert(fixed != NULL);
            define(g, f, live, fixed, NULL);
        }
}

void make_clobbered(struct mach_func *f)
{
    for (int k = 0; k < f->blocks.n; k++)
        for (struct mach_insn *i = f->blocks.at[k]->first; i != NULL; i = i->next)
            for (int class = 0; class < CLASS_FLAGS; class++)
                for (reg_number r = 0; i->clobbers[class] != 0 && r < 32; r++)
                    if ((i->clobbers[class] >> r & 1) != 0
                        && (class != CLASS_GENERAL || (r != REG_PLATFORM && r < REG_FRAME)))
                        vreg_fixed(f, (enum reg_class)class, r);
}

/* A store that writes its base back must not store the base (Arm ARM C6.2,
 * STR: CONSTRAINED UNPREDICTABLE), not even a copy of it in the same register. */
static void keep_from_base(struct interference *g, const struct mach_insn *i)
{
    int base = insn_base_operand(i);
    if ((row_of(i)->flags & BASE_WRITEBACK) == 0)
        return;
    for (int k = 0; k < base; k++)
        if (i->op[k].reg != NULL && i->op[k].reg->class == CLASS_GENERAL
            && !vreg_is_constant(i->op[k].reg))
            edge(g, i->op[k].reg->id, i->op[base].reg->id);
}

static void walk_block(struct interference *g, const struct mach_func *f, const struct mach_block *b,
                       struct bitset *live)
{
    struct reg_list defs;
    for (const struct mach_insn *i = b->last; i != NULL; i = i->prev) {
        insn_defs(i, &defs);
        const struct vreg *copied = insn_is_copy(i) ? i->op[1].reg : NULL;
        for (int k = 0; k < defs.n; k++) {
            define(g, f, live, defs.at[k], copied);
            for (int j = 0; j < k; j++)
                if (defs.at[j]->class == defs.at[k]->class)
                    edge(g, defs.at[k]->id, defs.at[j]->id);
        }
        for (int k = 0; k < defs.n; k++)
            bitset_drop(live, defs.at[k]->id);
        keep_from_base(g, i);
        if ((row_of(i)->flags & IS_CALL) != 0)
            clobber(g, f, live, i);
        liveness_step(live, i);
    }
}

struct interference *interference_of(const struct mach_func *f, const struct liveness *l)
{
    struct interference *g = graph_for(f->vregs.n);
    struct bitset live = bitset_new(f->vregs.n);
    for (int k = 0; k < f->blocks.n; k++) {
        memset(live.word, 0, sizeof *live.word * (size_t)live.words);
        bitset_union(&(struct bitset){ live.word, l->out[k].words }, &l->out[k]);
        walk_block(g, f, f->blocks.at[k], &live);
    }
    return g;
}
