/* interference.c: the interference graph, as a bit matrix and neighbour lists.
 *
 * A definition interferes with what lives behind it, which is a row of words to
 * add to the row of the register it defines. Where lists are wanted, each new
 * neighbour enters both of them at once; otherwise the matrix is made symmetric
 * at the end. Does not: decide what to merge or colour.
 */
#include "base/broken.h"
#include "code/liveness.h"

#include <assert.h>
#include <string.h>

static uint64_t *row(const struct interference *g, int v) { return g->bits + (size_t)v * g->words; }

static bool has(const struct interference *g, int a, int b)
{
    return (row(g, a)[b >> 6] >> (b & 63) & 1) != 0;
}

static void set(struct interference *g, int a, int b) { row(g, a)[b >> 6] |= 1ull << (b & 63); }

bool interferes(const struct interference *g, int a, int b) { return has(g, a, b); }

static void neighbour_add(struct neighbours *l, int v)
{
    if (l->n == l->cap) {
        int cap = l->cap > 0 ? l->cap * 2 : 32;
        l->at = mem_grow(l->at, sizeof *l->at * (size_t)l->cap, sizeof *l->at * (size_t)cap);
        l->cap = cap;
    }
    l->at[l->n++] = v;
}

static void edge(struct interference *g, int a, int b)
{
    if (a == b || has(g, a, b))
        return;
    set(g, a, b);
    set(g, b, a);
    if (g->of != NULL) {
        neighbour_add(&g->of[a], b);
        neighbour_add(&g->of[b], a);
    }
}

void interference_merge(struct interference *g, int a, int b)
{
    uint64_t *to = row(g, a);
    const uint64_t *from = row(g, b);
    assert(g->of == NULL && !has(g, a, b));
    for (size_t w = 0; w < g->words; w++) {
        for (uint64_t m = from[w] & ~to[w]; m != 0; m &= m - 1)
            set(g, (int)(w * 64) + __builtin_ctzll(m), a);
        to[w] |= from[w];
    }
}

static struct interference *graph_for(int n)
{
    struct interference *g = NEW(struct interference);
    g->n = n;
    g->words = (size_t)(n + 63) / 64;
    g->bits = mem_alloc(sizeof *g->bits * g->words * (size_t)n);
    return g;
}

/* Every neighbour of a row is one of the other way round as well. */
static void make_symmetric(struct interference *g)
{
    for (int v = 0; v < g->n; v++)
        for (size_t w = 0; w < g->words; w++)
            for (uint64_t m = row(g, v)[w]; m != 0; m &= m - 1)
                set(g, (int)(w * 64) + __builtin_ctzll(m), v);
}

/* -- walking the code -- */

struct walk {
    struct interference *g;
    const struct mach_func *f;
    struct bitset live;
    uint64_t *class_mask[CLASS_FLAGS];      /* the registers of a class that are of interest */
};

static void define(const struct walk *w, const struct vreg *d, const struct vreg *copied)
{
    const uint64_t *mask = w->class_mask[d->class];
    uint64_t *mine = row(w->g, d->id);
    if ((mask[d->id >> 6] >> (d->id & 63) & 1) == 0)
        return;
    for (int k = 0; k < w->live.words; k++) {
        uint64_t m = w->live.word[k] & mask[k] & ~mine[k];
        if (copied != NULL && copied->id >> 6 == k)
            m &= ~(1ull << (copied->id & 63));
        if (w->g->of == NULL && !is_broken(BROKEN_ALLOCATOR) && k != d->id >> 6) {
            mine[k] |= m;
            continue;
        }
        for (; m != 0; m &= m - 1) {
            const int v = k * 64 + __builtin_ctzll(m);
            if (!is_broken(BROKEN_ALLOCATOR) || (d->id + v) % 11 != 0)
                edge(w->g, d->id, v);
        }
    }
}

/* A call destroys registers that it does not define. */
static void clobber(const struct walk *w, const struct mach_insn *call)
{
    for (int class = 0; class < CLASS_FLAGS; class++)
        for (reg_number r = 0; r < 32; r++) {
            if ((call->clobbers[class] >> r & 1) == 0
                || (class == CLASS_GENERAL && (r == REG_PLATFORM || r >= REG_FRAME)))
                continue;
            const struct vreg *fixed = w->f->fixed[class][r];
            assert(fixed != NULL);
            define(w, fixed, NULL);
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

static void walk_block(struct walk *w, const struct mach_block *b)
{
    struct reg_list defs;
    for (const struct mach_insn *i = b->last; i != NULL; i = i->prev) {
        insn_defs(i, &defs);
        const struct vreg *copied = insn_is_copy(i) ? i->op[1].reg : NULL;
        for (int k = 0; k < defs.n; k++) {
            define(w, defs.at[k], copied);
            for (int j = 0; j < k; j++)
                if (defs.at[j]->class == defs.at[k]->class)
                    edge(w->g, defs.at[k]->id, defs.at[j]->id);
        }
        for (int k = 0; k < defs.n; k++)
            bitset_drop(&w->live, defs.at[k]->id);
        keep_from_base(w->g, i);
        if ((row_of(i)->flags & IS_CALL) != 0)
            clobber(w, i);
        insn_add_uses(i, &w->live);
    }
}

/* AMONG: the registers of interest; NULL: all. */
static void walk_blocks(struct interference *g, const struct mach_func *f, const struct liveness *l,
                        const struct bitset *among)
{
    struct walk w = { .g = g, .f = f, .live = bitset_new(f->vregs.n) };
    for (int class = 0; class < CLASS_FLAGS; class++)
        w.class_mask[class] = NEW_ARRAY(uint64_t, w.live.words);
    for (int v = 0; v < f->vregs.n; v++)
        if (f->vregs.at[v]->class < CLASS_FLAGS && (among == NULL || bitset_has(among, v)))
            w.class_mask[f->vregs.at[v]->class][v >> 6] |= 1ull << (v & 63);
    for (int k = 0; k < f->blocks.n; k++) {
        memset(w.live.word, 0, sizeof *w.live.word * (size_t)w.live.words);
        bitset_union(&(struct bitset){ w.live.word, l->out[k].words }, &l->out[k]);
        walk_block(&w, f->blocks.at[k]);
    }
}

struct interference *interference_among(const struct mach_func *f, const struct liveness *l,
                                        const struct bitset *among)
{
    struct interference *g = graph_for(f->vregs.n);
    walk_blocks(g, f, l, among);
    make_symmetric(g);
    return g;
}

struct interference *interference_lists(const struct mach_func *f, const struct liveness *l)
{
    struct interference *g = graph_for(f->vregs.n);
    g->of = NEW_ARRAY(struct neighbours, g->n);
    walk_blocks(g, f, l, NULL);
    return g;
}
